import LaunchCore
import LaunchStore

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

  /// The runs of this machine that do not count, the oldest first.
  let leftOut: [LeftOutRun]

  /// Those of the scenario that count, ascending by start.
  let nights: [Night]

  /// The alerts as they are stored, by number.
  private let stored: [Int: Alert]

  /// Reads the alerts of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: The name of the scenario.
  ///   - store: It is only read.
  ///   - nights: Those that count, ascending by start; alerts that began on another machine than the last
  ///     one are left out.
  /// - Throws: `StoreError`.
  init(of scenario: String, in store: Store, nights: [Night]) throws {
    self.nights = nights
    let isOfMachine = { (night: Night) in
      night.identity == nil || night.identity == nights.last?.identity
    }
    leftOut = try store.leftOutRuns(scenario: scenario).filter { isOfMachine($0.night) }
    let complete = nights.filter { $0.status == .complete }
    let all = try store.alerts(scenario: scenario)
    stored = Dictionary(all.map { ($0.number, $0) }) { first, _ in first }
    let known = Set(nights.filter(isOfMachine).map(\.run) + leftOut.map(\.run))
    for var alert in all where known.contains(alert.onset) {
      if let gone = leftOut.first(where: { $0.run == alert.lastGood }) {
        alert.lastGood =
          complete.last {
            $0.startedAt <= gone.startedAt && $0.isOnSameHost(as: gone.night)
          }?.run
      }
      if let gone = leftOut.first(where: { $0.run == alert.onset }) {
        if alert.isOpen { notes.append(Self.note(on: alert, gone)) }
        let next = complete.first {
          $0.startedAt >= gone.startedAt && $0.isOnSameHost(as: gone.night)
        }
        if next == nil, alert.isOpen { continue }
        alert.onset = next?.run ?? alert.onset
      }
      alerts.append(alert)
    }
  }

  /// An alert as it is to be stored: with its runs that do not count, unless it has a new beginning.
  func kept(_ alert: Alert) -> Alert {
    guard let stored = stored[alert.number],
      let counted = alerts.first(where: { $0.number == alert.number })
    else { return alert }
    var kept = alert
    if alert.onset == counted.onset { kept.onset = stored.onset }
    if alert.lastGood == counted.lastGood { kept.lastGood = stored.lastGood }
    return kept
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
