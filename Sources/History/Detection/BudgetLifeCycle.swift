package import LaunchCore

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
      let reason = "the interval of \(subject) is above the limit"
      ledger.open(draft, as: AlertChange(.confirmed, .unknown, reason, criteria))
    case (.kept, let open?):
      let reason = "the interval of \(subject) is within the limit"
      ledger.change(open.number, to: AlertChange(.recovered, open.cause, reason, criteria))
    default: break
    }
  }

  private var subject: String {
    key.metric == .slowShare ? "the share of slow launches" : "tonight's median"
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
      part(CriterionID.budget, "\(subject) against the budget", check.median),
      part(CriterionID.budgetLow, "lower bound of its interval", check.low),
      part(CriterionID.budgetHigh, "upper bound of its interval", check.high),
    ]
  }
}

extension BudgetCheck {
  /// Holds the newest night against the limits of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: Its budgets are checked, in their order.
  ///   - trends: The series of tonight's host; one without a value tonight is unmeasured.
  ///   - nights: Tell builds apart, for budgets of slow launches.
  /// - Returns: One check per budget. A value without an interval is taken as it is where it keeps
  ///   the limit, and is undecided where it does not.
  package static func checks(
    of scenario: Scenario,
    trends: [SeriesTrend],
    nights: [Night] = []
  ) -> [Self] {
    (scenario.budgets ?? []).map { budget in
      let trend = trends.first { budget.isOf($0.key) }
      let tonight = trend?.assessment.tonight
      let part = tonight == nil ? nil : trend?.points[(trend?.breaks.last?.index ?? 0)...]
      return Self(budget, part: part ?? [], nights: nights)
    }
  }

  /// - Parameters:
  ///   - budget: Its outcome is looked for.
  ///   - part: The points that may be compared with tonight's, the last one; none without one tonight.
  ///   - nights: Tell the builds of these points apart.
  init(_ budget: Budget, part: ArraySlice<SeriesPoint>, nights: [Night]) {
    guard budget.metric != .slowShare else {
      let known = Dictionary(nights.map { ($0.run, $0) }) { first, _ in first }
      self.init(budget, slowLaunchesOf: Array(part), nights: known)
      return
    }
    let tonight = part.last
    let (low, high) = (tonight?.intervalLow, tonight?.intervalHigh)
    let interval = low.flatMap { low in high.map { (low, $0) } }
    self.init(
      budget: budget,
      median: tonight?.median,
      low: low,
      high: high,
      outcome: budget.outcome(tonight?.median, interval: interval)
    )
  }
}

extension Budget {
  /// Whether it limits a series.
  func isOf(_ key: SeriesKey) -> Bool {
    key.target == target && key.state == state && key.metric == metric
  }
}
