import LabAnalysis
import LabModel
import LabStore

/// What is read of single runs to tell more of the alerts of a night.
struct AlertEvidence {
  let store: Store

  /// The run of the night.
  let tonight: String

  /// How many launches tonight has, and how many of them were disturbed.
  func launches() throws -> (all: Int, disturbed: Int) {
    var tally = (all: 0, disturbed: 0)
    try store.forEachLaunch(of: tonight) { launch in
      tally.all += 1
      if launch.isDisturbed { tally.disturbed += 1 }
    }
    return tally
  }

  /// How the stages of the arms of alerts changed since the last good night of each.
  func stageChanges(of alerts: [Alert]) throws -> [StageChange] {
    let timed = alerts.filter { $0.isOpen && $0.series.metric == .launch }
    guard !timed.isEmpty else { return [] }
    let after = try store.collectors(of: tonight)
    var before: [String: [CollectorRow]] = [:]
    var seen: Set<String> = []
    var changes: [StageChange] = []
    for alert in timed {
      guard let good = alert.lastGood else { continue }
      let arm = "\(alert.series.state.rawValue) \(alert.series.target)"
      guard seen.insert(arm).inserted else { continue }
      let rows = try before[good] ?? store.collectors(of: good)
      before[good] = rows
      changes += StageChange.changes(from: rows, to: after).filter {
        $0.target == alert.series.target && $0.state == alert.series.state
      }
    }
    return changes
  }

  /// The summaries of the nights that open alerts speak of.
  func summaries(of alerts: [Alert]) throws -> [MetricRow] {
    let open = alerts.filter(\.isOpen)
    guard !open.isEmpty else { return [] }
    let runs = Set(open.flatMap { [$0.lastGood, $0.onset].compactMap(\.self) } + [tonight])
    let arms = Set(open.map { [$0.series.target, $0.series.state.rawValue] })
    let metrics = Set(open.map(\.series.metric))
    return try runs.sorted().flatMap { run in
      try store.summaries(run: run).filter { row in
        row.arm.kind == .plain && metrics.contains(row.metric)
          && arms.contains([row.arm.target, row.arm.state.rawValue])
      }
    }
  }
}
