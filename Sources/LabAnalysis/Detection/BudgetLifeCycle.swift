import LabModel

/// What tonight does to the alert of one budget.
struct BudgetLifeCycle {
  private let check: BudgetCheck
  private let key: SeriesKey
  private let run: String
  private let open: Alert?

  /// - Parameters:
  ///   - check: That of tonight.
  ///   - key: The series that is limited, of tonight's host.
  ///   - run: Tonight's.
  ///   - alerts: Every alert of the scenario.
  init(_ check: BudgetCheck, of key: SeriesKey, run: String, alerts: [Alert]) {
    self.check = check
    self.key = key
    self.run = run
    open = alerts.last { $0.kind == .budget && $0.isOpen && $0.series.isSameArm(as: key) }
  }

  func apply(to ledger: inout AlertLedger) {
    guard let median = check.median else { return }
    switch (check.outcome, open) {
    case (.broken, nil):
      let draft = AlertDraft(
        kind: .budget,
        series: key,
        direction: .worse,
        onset: run,
        before: check.budget.maximum,
        after: median
      )
      let reason = "the interval of tonight's median is above the limit"
      ledger.open(draft, as: AlertChange(.confirmed, .unknown, reason, criteria))
    case (.kept, let open?):
      let reason = "the interval of tonight's median is within the limit"
      ledger.change(open.number, to: AlertChange(.recovered, open.cause, reason, criteria))
    default: break
    }
  }

  private var criteria: [Criterion] {
    let limit = check.budget.maximum
    func part(_ id: String, _ text: String, _ value: Double?) -> Criterion {
      Criterion(
        id: id,
        text: text,
        value: value,
        limit: limit,
        isMet: (value ?? 0) > limit,
        n: 1,
        unit: Criterion.Unit(key.metric.unit),
        runs: [run]
      )
    }
    return [
      part(CriterionID.budget, "tonight's median against the budget", check.median),
      part(CriterionID.budgetLow, "lower bound of its interval", check.low),
      part(CriterionID.budgetHigh, "upper bound of its interval", check.high),
    ]
  }
}
