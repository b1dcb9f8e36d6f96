package import LabAnalysis
import LabModel

/// What a text says about stages as a terminal shows it: a table per block.
package struct StageTextText {
  private let result: StageTextResult
  private let includesDiagnostics: Bool

  /// The most rows of a list without a total, of which the longest are shown.
  private static let longestList = 20

  /// Creates the text of a result.
  ///
  /// - Parameters:
  ///   - result: What a text says.
  ///   - includesDiagnostics: Whether the diagnostics follow; if not, they belong on stderr.
  package init(_ result: StageTextResult, includesDiagnostics: Bool = true) {
    self.result = result
    self.includesDiagnostics = includesDiagnostics
  }

  /// The text, with a line feed after every line.
  package func rendered(style: TextStyle) -> String {
    var sections = result.blocks.map { block($0, style) }
    if !result.events.isEmpty { sections.append(events(style)) }
    var texts = sections.map { $0.map { $0 + "\n" }.joined() }
    if includesDiagnostics, !result.diagnostics.isEmpty {
      texts.append(DiagnosticText(result.diagnostics, style: style).rendered())
    }
    return texts.joined(separator: "\n")
  }

  // MARK: - Blocks

  private func block(_ block: StageTextBlock, _ style: TextStyle) -> [String] {
    let pid = block.pid.map { "  pid \($0)" } ?? ""
    let lines =
      block.lines.count == 1
      ? "line \(block.lines.lowerBound)"
      : "lines \(block.lines.lowerBound)–\(block.lines.upperBound)"
    let place = style.paint("\(pid)  \(result.name.printable), \(lines)", .dim)
    let table = TextTable(columns: [.left, .decimal, .decimal, .left], rows: rows(block))
    return [style.paint(block.format, .bold) + place]
      + table.lines(style: style).map { "  " + $0 } + facts(block, style)
  }

  private func rows(_ block: StageTextBlock) -> [[TextTable.Cell]] {
    let shown = Self.shown(of: block)
    let values = [block.total].compactMap(\.self) + shown + block.images
    guard !values.isEmpty else { return [] }
    var rows = [["stage", "time", "share", ""].map { TextTable.Cell($0, .dim) }]
    let hasTotal = block.total != nil
    rows += block.total.map { [row($0, indent: 0, showsShare: true)] } ?? []
    rows += shown.map { row($0, indent: hasTotal ? 2 : 0, showsShare: hasTotal) }
    rows += block.launchStages.filter { $0.name == StageName.loaderOther }
      .compactMap(\.duration)
      .map { ["  the rest", Quantity.text($0), "", ""].map { TextTable.Cell($0) } }
    if !block.images.isEmpty {
      rows.append(["slowest initializers", "", "", ""].map { TextTable.Cell($0, .dim) })
      rows += block.images.map { row($0, indent: 2, showsShare: hasTotal) }
    }
    return rows
  }

  /// All stages; of a long list without a total, the longest ones.
  private static func shown(of block: StageTextBlock) -> [StageTextValue] {
    guard block.total == nil, block.stages.count > longestList else { return block.stages }
    let sorted = block.stages.enumerated().sorted {
      let left = ($0.element.amount?.nanoseconds ?? -1, $1.offset)
      return left > ($1.element.amount?.nanoseconds ?? -1, $0.offset)
    }
    return sorted.prefix(longestList).map(\.element)
  }

  /// A share of a total that is not known says nothing.
  private func row(_ value: StageTextValue, indent: Int, showsShare: Bool) -> [TextTable.Cell] {
    let name = String(repeating: " ", count: indent) + value.name.printable
    let isBad = value.flags.contains(StageTextFlag.wrapped)
    var remarks = value.flags
    if let guess = value.repaired {
      remarks.append("the rest of the total is \(Quantity.text(Nanoseconds(guess)))")
    }
    return [
      TextTable.Cell(name.truncated(to: 60)),
      TextTable.Cell(Self.time(value), isBad ? .warning : nil),
      TextTable.Cell(isBad || !showsShare ? "" : value.percent.map { "\($0) %" } ?? ""),
      TextTable.Cell(remarks.joined(separator: ", "), isBad ? .warning : .dim),
    ]
  }

  /// The time in a readable unit; the printed digits where they are few.
  private static func time(_ value: StageTextValue) -> String {
    guard let amount = value.amount else { return Quantity.none }
    guard let nanoseconds = amount.nanoseconds else {
      guard amount.unit == .cycles else { return Quantity.none }
      return "\(value.cycles.map { "\($0)" } ?? amount.printed) cycles"
    }
    let hasFewDigits = amount.printed.utf8.count <= 7 && amount.printed != "0"
    switch amount.unit {
    case .seconds where hasFewDigits: return "\(amount.printed) s"
    case .milliseconds where hasFewDigits: return "\(amount.printed) ms"
    default: return Quantity.text(Nanoseconds(nanoseconds))
    }
  }

  /// What is said below the table.
  private func facts(_ block: StageTextBlock, _ style: TextStyle) -> [String] {
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
