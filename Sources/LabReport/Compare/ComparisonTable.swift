import LabAnalysis
import LabModel

/// All comparisons for a terminal, one line each, or one phrase each where the table is too wide.
struct ComparisonTable {
  private let findings: [ComparisonFinding]
  private let counted: String
  private let style: TextStyle

  /// - Parameters:
  ///   - findings: In the order they are shown.
  ///   - counted: What the values of each side are called, such as `pairs`.
  ///   - style: How the table is shown.
  init(_ findings: [ComparisonFinding], counting counted: String, style: TextStyle) {
    self.findings = findings
    self.counted = counted
    self.style = style
  }

  func lines() -> [String] {
    guard !findings.isEmpty else { return [] }
    let table = TextTable(
      columns: (isNamed ? [.left, .left] : [.left]) + (hasMetrics ? [.left] : [])
        + [.decimal, .decimal, .decimal, .left, .left, .right, .decimal],
      rows: [titles.map { TextTable.Cell($0, .dim) }] + findings.map(row)
    )
    return table.width <= style.width ? table.lines(style: style) : findings.flatMap(phrases)
  }

  /// Whether several pairs are shown, so that each line names its own.
  private var isNamed: Bool { Set(findings.map(\.pair)).count > 1 }

  private var hasMetrics: Bool { findings.contains { $0.metric != .launch } }

  private var titles: [String] {
    let sides =
      isNamed
      ? ["before", "after"]
      : findings.first.map {
        [$0.pair.sides.baseline, $0.pair.sides.candidate]
      } ?? []
    return (isNamed ? ["compared", "state"] : ["state"]) + (hasMetrics ? ["metric"] : []) + sides
      + ["change", "interval", "verdict", counted, "detects"]
  }

  private func row(_ finding: ComparisonFinding) -> [TextTable.Cell] {
    (isNamed ? [TextTable.Cell(finding.pair.phrase)] : [])
      + [TextTable.Cell(finding.state.rawValue)]
      + (hasMetrics ? [TextTable.Cell(finding.metric.rawValue)] : [])
      + figures(of: finding).map { TextTable.Cell($0.text, $0.ink) }
  }

  private typealias Figure = (title: String, text: String, ink: TextStyle.Ink?)

  private func figures(of finding: ComparisonFinding) -> [Figure] {
    let words = ComparisonWords(finding)
    return [
      ("before", median(finding.baselineMedian, finding), nil),
      ("after", median(finding.candidateMedian, finding), nil),
      ("change", words.change, nil),
      ("interval", words.interval ?? Quantity.none, nil),
      ("verdict", words.verdict, ink(finding.verdict)),
      (counted, count(of: finding), nil),
      ("detects", finding.smallestDetectable.map(Quantity.percent) ?? Quantity.none, nil),
    ]
  }

  /// A line with what is compared and the verdict, and one with the numbers.
  private func phrases(_ finding: ComparisonFinding) -> [String] {
    let figures = figures(of: finding)
    let metric = hasMetrics ? " \(finding.metric.rawValue)" : ""
    let head = "\(finding.pair.phrase) \(finding.state.rawValue)\(metric): "
    let numbers = figures.filter { $0.title != "verdict" }
      .map { Self.unbroken("\($0.title) \($0.text)") }.joined(separator: ", ")
    return [head + style.paint(finding.verdict.rawValue, ink(finding.verdict))]
      + style.wrapped("    " + numbers, indent: 4).map { $0.replacing("\u{A0}", with: " ") }
  }

  private func count(of finding: ComparisonFinding) -> String {
    finding.unpaired == 0
      ? "\(finding.count)" : "\(finding.count)/\(finding.count + finding.unpaired)"
  }

  /// Both medians of a comparison have the unit of the baseline.
  private func median(_ value: Double?, _ finding: ComparisonFinding) -> String {
    guard let value else { return Quantity.none }
    return Scale(finding.metric.unit, for: finding.baselineMedian ?? value).text(value)
  }

  private func ink(_ verdict: Verdict) -> TextStyle.Ink? {
    switch verdict {
    case .regression: .boldFailure
    case .improvement: .success
    case .inconclusive: .warning
    case .same: nil
    }
  }

  /// The text with spaces at which no line is broken.
  private static func unbroken(_ text: String) -> String { text.replacing(" ", with: "\u{A0}") }
}
