import LaunchCore
package import Rendering

/// What a text says about stages as a terminal shows it: a table per block.
package struct LoaderLogText {
  private let result: LoaderLogResult
  private let includesDiagnostics: Bool

  /// The most stages that are shown; of more, the longest.
  private static let longestList = 20

  /// Creates the text of a result.
  ///
  /// - Parameters:
  ///   - result: What a text says.
  ///   - includesDiagnostics: Whether the diagnostics follow; if not, they belong on stderr.
  package init(_ result: LoaderLogResult, includesDiagnostics: Bool = true) {
    self.result = result
    self.includesDiagnostics = includesDiagnostics
  }

  /// The text, with a line feed after every line.
  package func rendered(style: TextStyle) -> String {
    var sections = result.blocks.map { block($0, style) }
    if !result.events.isEmpty { sections.append(events(style)) }
    var texts = sections.map { $0.joinedLines(style) }
    if includesDiagnostics, !result.diagnostics.isEmpty {
      texts.append(DiagnosticText(result.diagnostics, style: style).rendered())
    }
    return texts.joined(separator: "\n")
  }

  // MARK: - Blocks

  private func block(_ block: LoaderLogBlock, _ style: TextStyle) -> [String] {
    let pid = block.pid.map { "  pid \($0)" } ?? ""
    let lines =
      block.lines.count == 1
      ? "line \(block.lines.lowerBound)"
      : "lines \(block.lines.lowerBound)–\(block.lines.upperBound)"
    let place = style.paint("\(pid)  \(result.name.printable), \(lines)", .dim)
    let columns = Columns(block)
    let table = TextTable(columns: columns.kinds, rows: rows(block, columns))
    return [style.paint(block.format, .bold) + place]
      + table.lines(style: style).map { "  " + $0 } + facts(block, style)
  }

  /// What the values of a block have besides their times.
  private struct Columns {
    let hasOwn: Bool

    /// What instants count from; nil when there are none.
    let origin: Int64?

    init(_ block: LoaderLogBlock) {
      hasOwn = block.stages.contains { $0.own != nil }
      let first = block.stages.lazy.compactMap { $0.instant?.nanoseconds }.first
      // A trace may tell the time of day.
      origin = first.map { block.format == LoaderLogFormat.strace ? $0 : 0 }
    }

    var kinds: [TextTable.Alignment] {
      [.left, .decimal] + (hasOwn ? [.decimal] : []) + (origin == nil ? [] : [.decimal])
        + [.decimal, .left]
    }

    var heading: [String] {
      ["stage", "time"] + (hasOwn ? ["self"] : []) + (origin == nil ? [] : ["at"]) + ["share", ""]
    }

    func texts(_ value: LoaderLogValue) -> [String] {
      let own = value.own?.nanoseconds.map { Quantity.text(Nanoseconds($0)) } ?? ""
      let at = value.instant?.nanoseconds.map { $0.subtractingReportingOverflow(origin ?? 0) }
      return (hasOwn ? [own] : [])
        + (origin == nil ? [] : [at.map { Quantity.text(Nanoseconds($0.partialValue)) } ?? ""])
    }

    /// As many cells as there are columns between the time and the share.
    var blanks: [String] { (hasOwn ? [""] : []) + (origin == nil ? [] : [""]) }
  }

  private func rows(_ block: LoaderLogBlock, _ columns: Columns) -> [[TextTable.Cell]] {
    let shown = Self.shown(of: block)
    guard block.total != nil || !shown.isEmpty || !block.images.isEmpty else { return [] }
    var rows = [columns.heading.map { TextTable.Cell($0, .dim) }]
    let hasTotal = block.total != nil
    let hasShares = hasTotal || block.format == LoaderLogFormat.jvmClassLoad
    rows += block.total.map { [row($0, columns, indent: 0, showsShare: true)] } ?? []
    rows += shown.map { value, depth in
      row(value, columns, indent: 2 * depth + (hasTotal ? 2 : 0), showsShare: hasShares)
    }
    rows += block.launchStages.filter { $0.name == StageName.loaderOther }
      .compactMap(\.duration)
      .map { rest in
        (["  the rest", Quantity.text(rest)] + columns.blanks + ["", ""]).map { TextTable.Cell($0) }
      }
    if !block.images.isEmpty {
      let heading = ["slowest initializers", ""] + columns.blanks + ["", ""]
      rows.append(heading.map { TextTable.Cell($0, .dim) })
      rows += block.images.map { row($0, columns, indent: 2, showsShare: hasTotal) }
    }
    return rows
  }

  /// All stages and how deep they are nested, those that contain others first; of a long list the
  /// longest ones.
  private static func shown(of block: LoaderLogBlock) -> [(value: LoaderLogValue, depth: Int)] {
    var all: [(value: LoaderLogValue, depth: Int)] = []
    func add(_ node: LoaderLogNode, _ depth: Int) {
      all.append((node.value, depth))
      for child in node.children { add(child, depth + 1) }
    }
    for node in block.tree { add(node, 0) }
    guard all.count > longestList else { return all }
    // What contains others takes as long at least, and comes first, so that no tree is torn.
    let sorted = all.enumerated().sorted {
      let left = ($0.element.value.amount?.nanoseconds ?? -1, $1.offset)
      return left > ($1.element.value.amount?.nanoseconds ?? -1, $0.offset)
    }
    let kept = sorted.prefix(longestList)
    let isTree = all.contains { $0.depth > 0 }
    return (isTree ? kept.sorted { $0.offset < $1.offset } : Array(kept)).map(\.element)
  }

  /// A share of a total that is not known says nothing.
  private func row(
    _ value: LoaderLogValue,
    _ columns: Columns,
    indent: Int,
    showsShare: Bool
  ) -> [TextTable.Cell] {
    let name = String(repeating: " ", count: indent) + value.name.printable
    let isBad = value.flags.contains(LoaderLogFlag.wrapped)
    var remarks = value.flags
    if let classes = value.counters["classes"] {
      let last = value.counters["last_at_ns"].map { ", up to \(Quantity.text(Nanoseconds($0)))" }
      remarks.append("\(classes) \(classes == 1 ? "class" : "classes")\(last ?? "")")
    }
    if let guess = value.repaired {
      remarks.append("the rest of the total is \(Quantity.text(Nanoseconds(guess)))")
    }
    return [
      TextTable.Cell(name.truncated(to: 60)),
      TextTable.Cell(Self.time(value), isBad ? .warning : nil),
    ] + columns.texts(value).map { TextTable.Cell($0, .dim) } + [
      TextTable.Cell(isBad || !showsShare ? "" : value.percent.map { "\($0) %" } ?? ""),
      TextTable.Cell(remarks.joined(separator: ", "), isBad ? .warning : .dim),
    ]
  }

  /// The time in a readable unit; the printed digits where they are few.
  private static func time(_ value: LoaderLogValue) -> String {
    guard let amount = value.amount else { return Quantity.none }
    guard let nanoseconds = amount.nanoseconds else {
      guard amount.unit == .cycles else { return Quantity.none }
      return "\(value.cycles.map { "\($0)" } ?? amount.printed) cycles"
    }
    let isPadded = amount.printed.hasPrefix("0") && !amount.printed.hasPrefix("0.")
    let hasFewDigits = amount.printed.utf8.count <= 7 && !isPadded
    switch amount.unit {
    case .seconds where hasFewDigits: return "\(amount.printed) s"
    case .milliseconds where hasFewDigits: return "\(amount.printed) ms"
    default: return Quantity.text(Nanoseconds(nanoseconds))
    }
  }

  /// What is said below the table.
  private func facts(_ block: LoaderLogBlock, _ style: TextStyle) -> [String] {
    var facts: [String] = []
    let shown = Self.shown(of: block).count
    if shown < block.stages.count {
      facts.append("the longest \(shown) of \(block.stages.count)")
    }
    let counters = block.counters.sorted { $0.key < $1.key }
      .map { "\($0.key.replacing("_", with: " ")) \($0.value)" }
    if !counters.isEmpty { facts.append(counters.joined(separator: ", ")) }
    let flags = block.flags + (block.isStandard ? [] : ["nonstandard"])
    if !flags.isEmpty { facts.append("flags: \(flags.joined(separator: ", "))") }
    return facts.flatMap { style.wrapped("  " + $0, indent: 4) }.map { style.paint($0, .dim) }
  }

  // MARK: - Events

  private func events(_ style: TextStyle) -> [String] {
    let table = TextTable(
      columns: [.left, .left],
      rows: result.events.map { event in
        let pid = event.pid.map { "pid \($0)" } ?? ""
        return [
          TextTable.Cell(pid, .dim), TextTable.Cell("\(event.name): \(event.text)".printable),
        ]
      }
    )
    return [style.paint("events", .bold)] + table.lines(style: style).map { "  " + $0 }
  }
}

/// What a text says about stages as JSON, of schema `launchlab.stages/1`.
///
/// Keys come in a fixed order, and the same result gives the same bytes. Printed numbers and
/// percentages are texts, so that no digit is lost.
package struct LoaderLogJSON: JSONDocument {
  private let result: LoaderLogResult

  package init(_ result: LoaderLogResult) { self.result = result }

  package var value: JSONValue {
    [
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
  }

  private func block(_ block: LoaderLogBlock) -> JSONValue {
    let total = block.total
    var members: [(name: String, value: JSONValue)] = [
      ("format", .string(block.format)),
      ("pid", JSONValue(block.pid)),
      ("standard", .bool(block.isStandard)),
      ("total_ns", JSONValue(total?.amount?.nanoseconds)),
      ("total", total.map(entry) ?? .null),
      ("stages", .array(block.stages.map(entry))),
      ("images", .array(block.images.map(entry))),
      ("counters", JSONValue(block.counters, JSONValue.integer)),
      ("flags", .array(block.flags.map(JSONValue.string))),
      ("lines", lines(block.lines)),
    ]
    if block.format == LoaderLogFormat.glibcStartup {
      let isDropped = block.lastDigitDropped.map(JSONValue.bool) ?? .null
      members.insert(("last_digit_dropped", isDropped), at: 5)
    }
    return .object(members)
  }

  private func entry(_ value: LoaderLogValue) -> JSONValue {
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

  private func event(_ event: LoaderLogEvent) -> JSONValue {
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
