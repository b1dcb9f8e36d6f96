import LabModel
import LabStore

/// The alerts of a scenario as its history has them, when some of its runs do not count.
///
/// An alert that began with such a run begins with the next night that counts, and one that compares
/// with it compares with the night before. The stored alerts stay as they are, so that a run that is
/// put back changes them back.
struct CountedAlerts {
  /// Ascending by number.
  private(set) var alerts: [Alert] = []

  /// What a reader of open alerts must know.
  private(set) var notes: [Diagnostic] = []

  /// The runs that do not count, the oldest first.
  let leftOut: [LeftOutRun]

  /// Reads the alerts of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: The name of the scenario.
  ///   - store: It is only read.
  ///   - nights: Those of the scenario that count, ascending by start.
  /// - Throws: `StoreError`.
  init(of scenario: String, in store: Store, nights: [Night]) throws {
    leftOut = try store.leftOutRuns(scenario: scenario)
    let complete = nights.filter { $0.status == .complete }
    for var alert in try store.alerts(scenario: scenario) {
      if let gone = leftOut.first(where: { $0.run == alert.lastGood }) {
        alert.lastGood = complete.last { $0.startedAt <= gone.startedAt }?.run
      }
      if let gone = leftOut.first(where: { $0.run == alert.onset }) {
        if alert.isOpen { notes.append(Self.note(on: alert, gone)) }
        let next = complete.first { $0.startedAt >= gone.startedAt }
        if next == nil, alert.isOpen { continue }
        alert.onset = next?.run ?? alert.onset
      }
      alerts.append(alert)
    }
  }

  private static func note(on alert: Alert, _ gone: LeftOutRun) -> Diagnostic {
    Diagnostic(
      .note,
      id: "alert-of-excluded-run",
      problem:
        "\(alert.id) began with run \(gone.run), which is \(gone.decision.standing.rawValue)",
      remedy: "the nights that follow judge it again; put the run back with "
        + "`launchlab runs include \(gone.run)`"
    )
  }
}
