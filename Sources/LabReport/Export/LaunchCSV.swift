package import LabModel

/// Stored launches as comma-separated values, one line per launch.
///
/// The columns are always the same ones. A value that could not be had is an empty field. Several
/// values in one field are joined by spaces: the names of flags, and `name=value` of counters and
/// of what disturbed the launch.
package struct LaunchCSV {
  private let run: RunRecord

  package init(_ run: RunRecord) { self.run = run }

  /// The names of the columns, as the first line of a file.
  package static var header: String { line(columns) }

  private static var columns: [String] {
    [
      "run", "block", "position", "target", "state", "kind", "started_ns", "outcome", "exit_code",
      "signal", "reason",
    ] + Metric.stored.map(\.exportName) + [
      "resolution_ns", "state_reached", "state_reason", "preparation_ns", "warm_ups",
      "resident_pages", "total_pages", "flags", "counters", "waited_ns", "unsettled", "disturbed",
    ]
  }

  /// One launch of the run as a line.
  package func line(for record: LaunchRecord) -> String {
    Self.line(identity(record) + result(record.result) + evidence(record))
  }

  private func identity(_ record: LaunchRecord) -> [String] {
    let arm = run.plan.arms.indices.contains(record.arm) ? run.plan.arms[record.arm] : nil
    return [
      run.id, String(record.block), String(record.position), arm?.target ?? "",
      arm?.state.rawValue ?? "", arm?.kind.rawValue ?? "", String(record.startedAt.count),
    ]
  }

  private func result(_ result: LaunchResult) -> [String] {
    let detail = OutcomeDetail(result.outcome)
    return [
      result.outcome.name, Self.text(detail.exitCode), Self.text(detail.signal),
      detail.reason ?? "",
    ] + Metric.stored.map { Self.text(result.value(of: $0)) }
  }

  private func evidence(_ record: LaunchRecord) -> [String] {
    let preparation = record.preparation
    let own = preparation.residency.filter(\.isOwn)
    let counters = record.result.figures.counters.sorted { $0.key < $1.key }
    return [
      String(record.result.resolution.count), record.stateReached.name,
      record.stateReached.reason ?? "", String(preparation.duration.count),
      String(preparation.warmUps),
      own.isEmpty ? "" : String(own.reduce(0) { $0 + $1.residentPages }),
      own.isEmpty ? "" : String(own.reduce(0) { $0 + $1.totalPages }),
      record.result.flags.map(\.rawValue).joined(separator: " "),
      counters.map { "\($0.key)=\($0.value)" }.joined(separator: " "),
      Self.text(preparation.settling?.waited.count), preparation.settling?.obstacle ?? "",
      record.result.disturbances.map { "\($0.kind.rawValue)=\($0.amount)" }
        .joined(separator: " "),
    ]
  }

  private static func text(_ number: (some FixedWidthInteger)?) -> String {
    number.map { String($0) } ?? ""
  }

  private static func line(_ fields: [String]) -> String { CSVLine(fields).text }
}
