import LabAnalysis
import LabModel

/// Cells in aligned columns, two spaces apart.
struct TextTable {
  struct Cell {
    var text: String
    var ink: TextStyle.Ink?

    init(_ text: String, _ ink: TextStyle.Ink? = nil) {
      self.text = text
      self.ink = ink
    }
  }

  enum Alignment {
    case left
    case right

    /// The ends of the whole parts of the numbers stand below each other.
    case decimal
  }

  var columns: [Alignment]

  /// Each with one cell per column.
  var rows: [[Cell]] = []

  /// One line per row, without trailing spaces.
  func lines(style: TextStyle) -> [String] {
    let texts = aligned()
    let widths = columns.indices.map { column in
      texts.map { $0[column].displayWidth }.max() ?? 0
    }
    return rows.indices.map { row in
      let last = texts[row].lastIndex { !$0.isEmpty } ?? 0
      return columns.indices.prefix(last + 1).map { column in
        let padded = texts[row][column].padded(to: widths[column], onLeft: columns[column] != .left)
        return style.paint(column == last ? padded.trimmed : padded, rows[row][column].ink)
      }
      .joined(separator: "  ")
    }
  }

  /// The widest line.
  var width: Int {
    lines(style: TextStyle()).map(\.displayWidth).max() ?? 0
  }

  /// The texts of all cells, those of decimal columns filled on the right up to a common point.
  private func aligned() -> [[String]] {
    var texts = rows.map { $0.map(\.text) }
    for column in columns.indices where columns[column] == .decimal {
      let tails = texts.map { Self.tailWidth($0[column]) }
      let widest = tails.compactMap(\.self).max() ?? 0
      for row in texts.indices {
        guard let tail = tails[row] else { continue }
        texts[row][column] += String(repeating: " ", count: widest - tail)
      }
    }
    return texts
  }

  /// The width of what follows the first whole part; nil for a text without a number.
  private static func tailWidth(_ text: String) -> Int? {
    guard let start = text.firstIndex(where: \.isNumber) else { return nil }
    return String(text[start...].drop(while: \.isNumber)).displayWidth
  }
}

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
