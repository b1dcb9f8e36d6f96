import LabAnalysis
import LabModel

/// Medians of what else was measured of each arm, for a terminal.
///
/// Where the table would be wider than the terminal, each arm becomes a phrase.
struct FigureTable {
  private let arms: [ArmText]
  private let style: TextStyle

  init(_ summary: RunSummary, style: TextStyle) {
    arms = ArmText.shown(of: summary).filter { $0.failure == nil }
    self.style = style
  }

  func lines() -> [String] {
    guard !arms.isEmpty else { return [] }
    let figures = shownFigures
    let titles = ["medians"] + figures.map(\.title)
    let table = TextTable(
      columns: [.left] + figures.map { _ in .decimal },
      rows: [titles.map { TextTable.Cell($0, .dim) }]
        + arms.map { arm in
          ([arm.name] + figures.map { $0.text(arm) })
            .map { TextTable.Cell($0, arm.isFloor ? .dim : nil) }
        }
    )
    return table.width <= style.width ? table.lines(style: style) : phrases(figures)
  }

  private func phrases(_ figures: [Figure]) -> [String] {
    [style.paint("medians", .dim)]
      + arms.flatMap { arm in
        let texts = figures.filter { $0.text(arm) != Quantity.none }
          .map { Self.unbroken("\($0.title) \($0.text(arm))") }
        let phrase = "  \(Self.unbroken(arm.name)): \(texts.joined(separator: ", "))"
        return style.wrapped(phrase, indent: 4)
          .map { style.paint($0.replacing("\u{A0}", with: " "), arm.isFloor ? .dim : nil) }
      }
  }

  /// The text with spaces at which no line is broken.
  private static func unbroken(_ text: String) -> String { text.replacing(" ", with: "\u{A0}") }

  private struct Figure {
    var title: String
    var text: (ArmText) -> String
  }

  /// The figures that at least one arm has.
  private var shownFigures: [Figure] {
    let metrics: [(title: String, metric: Metric)] = [
      ("peak RSS", .peakRSS), ("minor faults", .minorFaults), ("major", .majorFaults),
      ("CPU", .cpuTime), ("user", .userTime), ("system", .systemTime),
      ("read", .bytesRead),
    ]
    let figures = metrics.map { title, metric in Figure(title: title) { $0.median(of: metric) } }
    let preparation = Figure(title: "prepared in", text: \.preparation)
    return (figures + [preparation])
      .filter { figure in arms.contains { figure.text($0) != Quantity.none } }
  }
}
