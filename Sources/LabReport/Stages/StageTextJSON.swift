package import LabAnalysis
import LabModel

/// What a text says about stages as JSON, of schema `launchlab.stages/1`.
///
/// Keys come in a fixed order, and the same result gives the same bytes. Printed numbers and
/// percentages are texts, so that no digit is lost.
package struct StageTextJSON {
  private let result: StageTextResult

  package init(_ result: StageTextResult) { self.result = result }

  /// The JSON text, with a line feed at its end.
  package func rendered() -> String {
    var text = ""
    write { text += $0 }
    return text
  }

  /// Writes the JSON text in pieces, so that many values need little memory.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    let value: JSONValue = [
      "schema": "launchlab.stages/1",
      "file": .string(result.name),
      "standard": .bool(result.isStandard),
      "complete": .bool(result.isComplete),
      "blocks": .array(result.blocks.map(block)),
      "events": .array(result.events.map(event)),
      "used_lines": .array(result.usedLines.map(lines)),
      "ignored_lines": .array(result.ignoredLines.map(lines)),
      "diagnostics": .array(result.diagnostics.map(JSONValue.init(diagnostic:))),
    ]
    try JSONText.write(value, .indented, to: sink)
  }

  private func block(_ block: StageTextBlock) -> JSONValue {
    let total = block.total
    var members: [(name: String, value: JSONValue)] = [
      ("format", .string(block.format)),
      ("pid", JSONValue(block.pid)),
      ("standard", .bool(block.isStandard)),
      ("total_ns", JSONValue(total?.amount?.nanoseconds)),
      ("total", total.map(value) ?? .null),
      ("stages", .array(block.stages.map(value))),
      ("images", .array(block.images.map(value))),
      ("counters", JSONValue(block.counters, JSONValue.integer)),
      ("flags", .array(block.flags.map(JSONValue.string))),
      ("lines", lines(block.lines)),
    ]
    if block.format == StageTextFormat.glibcStartup {
      let isDropped = block.lastDigitDropped.map(JSONValue.bool) ?? .null
      members.insert(("last_digit_dropped", isDropped), at: 5)
    }
    return .object(members)
  }

  private func value(_ value: StageTextValue) -> JSONValue {
    var members: [(name: String, value: JSONValue)] = [
      ("name", .string(value.name)),
      ("stage", JSONValue(value.stage)),
      ("ns", JSONValue(value.amount?.nanoseconds)),
      ("printed", JSONValue(value.amount?.printed)),
      ("unit", JSONValue(value.amount?.unit.rawValue)),
      ("percent", JSONValue(value.percent)),
      ("resolution_ns", JSONValue(value.amount?.resolution)),
      ("flags", .array(value.flags.map(JSONValue.string))),
      ("line", JSONValue(value.line)),
    ]
    if value.amount?.unit == .cycles { members.append(("cycles", JSONValue(value.cycles))) }
    if let guess = value.repaired { members.append(("repaired_ns", .integer(guess))) }
    if let instant = value.instant {
      members.append(("at_ns", JSONValue(instant.nanoseconds)))
      members.append(("at_printed", .string(instant.printed)))
    }
    if let own = value.own { members.append(("self_ns", JSONValue(own.nanoseconds))) }
    if let depth = value.depth { members.append(("depth", JSONValue(depth))) }
    if let pid = value.pid { members.append(("pid", .integer(pid))) }
    if !value.counters.isEmpty {
      members.append(("counters", JSONValue(value.counters, JSONValue.integer)))
    }
    return .object(members)
  }

  private func event(_ event: StageTextEvent) -> JSONValue {
    [
      "name": .string(event.name),
      "text": .string(event.text),
      "pid": JSONValue(event.pid),
      "line": JSONValue(event.line),
    ]
  }

  private func lines(_ range: ClosedRange<Int>) -> JSONValue {
    .integers([Int64(range.lowerBound), Int64(range.upperBound)])
  }
}
