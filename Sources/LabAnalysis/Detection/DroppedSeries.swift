import LabModel

/// What becomes of alerts that no later night can settle, since the scenario asks for something else
/// now.
///
/// A red alert of a series that is no longer judged stays: that nobody looks at it does not make it
/// good, and a person may acknowledge it.
struct DroppedSeries {
  private let scenario: Scenario
  private let metrics: [Metric]

  /// - Parameter scenario: As it is tonight.
  init(_ scenario: Scenario) {
    self.scenario = scenario
    metrics = (scenario.regression ?? RegressionRule()).metrics
  }

  func apply(to ledger: inout AlertLedger) {
    for alert in ledger.alerts where alert.isOpen {
      if alert.kind == .budget, !(scenario.budgets ?? []).contains(where: { $0.isOf(alert.series) })
      {
        let reason = "the scenario no longer has this budget"
        ledger.change(alert.number, to: AlertChange(.recovered, alert.cause, reason, []))
      } else if alert.kind != .budget, alert.state == .suspected, !isJudged(alert.series) {
        let reason =
          "the scenario no longer judges \(alert.series.metric.rawValue) of "
          + "\(alert.series.target) in the state \(alert.series.state.rawValue)"
        ledger.change(alert.number, to: AlertChange(.refuted, alert.cause, reason, []))
      }
    }
  }

  private func isJudged(_ series: SeriesKey) -> Bool {
    metrics.contains(series.metric) && scenario.states.contains(series.state)
      && scenario.targets.contains { $0.name == series.target }
  }
}
