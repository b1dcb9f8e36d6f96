package import LabModel

extension BudgetCheck {
  /// Holds the newest night against the limits of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: Its budgets are checked, in their order.
  ///   - trends: The series of tonight's host; one without a value tonight is unmeasured.
  /// - Returns: One check per budget. A value without an interval is taken as it is where it keeps
  ///   the limit, and is undecided where it does not.
  package static func checks(of scenario: Scenario, trends: [SeriesTrend]) -> [Self] {
    (scenario.budgets ?? []).map { budget in
      let trend = trends.first { budget.isOf($0.key) }
      return Self(budget, tonight: trend?.assessment.tonight)
    }
  }

  init(_ budget: Budget, tonight: SeriesPoint?) {
    self.init(
      budget: budget,
      median: tonight?.median,
      low: tonight?.intervalLow,
      high: tonight?.intervalHigh,
      outcome: Self.outcome(tonight, limit: budget.maximum)
    )
  }

  private static func outcome(_ tonight: SeriesPoint?, limit: Double) -> Outcome {
    guard let tonight else { return .unmeasured }
    guard let low = tonight.intervalLow, let high = tonight.intervalHigh else {
      return tonight.median > limit ? .undecided : .kept
    }
    if low > limit { return .broken }
    return high <= limit ? .kept : .undecided
  }
}

extension Budget {
  /// Whether it limits a series.
  func isOf(_ key: SeriesKey) -> Bool {
    key.target == target && key.state == state && key.metric == metric
  }
}
