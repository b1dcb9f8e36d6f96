import Foundation
package import LaunchCore
import Rendering
import Stages

/// Stored launches as JSON lines: one object per launch, with everything that is known of it.
package struct LaunchLines {
  private let run: RunRecord

  package init(_ run: RunRecord) { self.run = run }

  /// One launch of the run as a line, with its line feed.
  package func line(for record: LaunchRecord) -> String {
    JSONText.line(.object(identity(record) + result(record.result) + evidence(record)))
  }

  private typealias Members = [(name: String, value: JSONValue)]

  private func identity(_ record: LaunchRecord) -> Members {
    let arm = run.plan.arms.indices.contains(record.arm) ? run.plan.arms[record.arm] : nil
    return [
      ("run", .string(run.id)), ("purpose", .string(run.purpose.rawValue)),
      ("block", JSONValue(record.block)),
      ("position", JSONValue(record.position)), ("target", JSONValue(arm?.target)),
      ("state", JSONValue(arm?.state.rawValue)), ("kind", JSONValue(arm?.kind.rawValue)),
      ("started_ns", .integer(record.startedAt.count)),
    ]
  }

  private func result(_ result: LaunchResult) -> Members {
    let figures = result.figures
    let detail = OutcomeDetail(result.outcome)
    let metrics = Metric.stored.map { metric in
      (name: metric.exportName, value: JSONValue(result.value(of: metric)))
    }
    return [
      ("outcome", .string(result.outcome.name)), ("exit_code", JSONValue(detail.exitCode)),
      ("signal", JSONValue(detail.signal)), ("reason", JSONValue(detail.reason)),
    ] + metrics + [
      ("resolution_ns", .integer(result.resolution.count)),
      ("includes_waited_children", .bool(figures.includesWaitedChildren)),
      ("counters", JSONValue(figures.counters, JSONValue.integer)),
      ("missing", JSONValue(figures.missing, JSONValue.string)),
      ("flags", .array(result.flags.map { .string($0.rawValue) })),
      ("stdout", output(result.output.stdout, of: result)),
      ("stderr", output(result.output.stderr, of: result)),
    ]
  }

  private func evidence(_ record: LaunchRecord) -> Members {
    let preparation = record.preparation
    return [
      ("state_reached", .string(record.stateReached.name)),
      ("state_reason", JSONValue(record.stateReached.reason)),
      ("preparation_ns", .integer(preparation.duration.count)),
      ("warm_ups", JSONValue(preparation.warmUps)),
      ("waited_ns", JSONValue(preparation.settling?.waited.count)),
      ("unsettled", JSONValue(preparation.settling?.obstacle)),
      ("disturbed", .array(record.result.disturbances.map(disturbance))),
      ("residency", .array(preparation.residency.map(file))),
      ("stages", record.stages.map { LaunchStagesJSON($0).value } ?? nil),
    ]
  }

  /// What a launch printed that was not ready; null for one that was.
  private func output(_ stream: CapturedStream, of result: LaunchResult) -> JSONValue {
    guard result.outcome != .ready else { return nil }
    return [
      "head": .string(String(decoding: stream.head, as: UTF8.self)),
      "tail": .string(String(decoding: stream.tail, as: UTF8.self)),
      "total_bytes": .integer(stream.totalBytes),
    ]
  }

  private func disturbance(_ disturbance: Disturbance) -> JSONValue {
    [
      "kind": .string(disturbance.kind.rawValue),
      "amount": .integer(disturbance.amount),
      "limit": .integer(disturbance.limit),
    ]
  }

  private func file(_ file: FileResidency) -> JSONValue {
    [
      "path": .string(file.path),
      "is_own": .bool(file.isOwn),
      "resident_pages": JSONValue(file.residentPages),
      "total_pages": JSONValue(file.totalPages),
      "pinned_by": JSONValue(file.pinnedBy),
    ]
  }
}

/// The values of an outcome, each nil where the outcome has no such value.
struct OutcomeDetail {
  var exitCode: Int?
  var signal: Int?
  var reason: String?

  init(_ outcome: Outcome) {
    switch outcome {
    case .ready, .timedOut: break
    case .exited(let code): exitCode = Int(code)
    case .signalled(let number): signal = Int(number)
    case .notStarted(let text): reason = text
    }
  }
}

extension Metric {
  /// The name of the field or column of single values, with the unit where it is a time.
  var exportName: String { unit == .nanoseconds ? "\(rawValue)_ns" : rawValue }
}

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
      "purpose",
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
        .joined(separator: " "), run.purpose.rawValue,
    ]
  }

  private static func text(_ number: (some FixedWidthInteger)?) -> String {
    number.map { String($0) } ?? ""
  }

  private static func line(_ fields: [String]) -> String { CSVLine(fields).text }
}

/// A line of comma-separated values.
///
/// Source of the format: RFC 4180, with its CR LF line ends. A text that a spreadsheet would take for
/// a formula begins with an apostrophe, and control characters are made visible.
struct CSVLine {
  private let fields: [String]

  init(_ fields: [String]) { self.fields = fields }

  /// With its line end.
  var text: String { fields.map(Self.quoted).joined(separator: ",") + "\r\n" }

  private static func quoted(_ field: String) -> String {
    let shown = field.printable
    let isFormula =
      shown.unicodeScalars.first.map("=+-@".unicodeScalars.contains) == true && !isNumber(shown)
    let field = isFormula ? "'" + shown : shown
    // Spreadsheets of many countries divide lines at semicolons.
    let needsQuotes = field.unicodeScalars.contains { "\",;".unicodeScalars.contains($0) }
    guard needsQuotes else { return field }
    return "\"" + field.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }

  private static func isNumber(_ text: String) -> Bool {
    text.wholeMatch(of: /[+-]?([0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?|inf)/) != nil
  }
}
