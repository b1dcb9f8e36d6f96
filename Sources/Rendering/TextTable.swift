// Rendering: values as text, the same in every report.
//
// `Quantity` writes numbers with their units; `Phrase` is a sentence that Markdown and a terminal show each
// in its own way. `TextTable` and `MarkdownTable` lay out columns, `TextStyle` knows colours and the width of
// the terminal. `JSONText` writes `JSONValue`s in pieces, so that a large one is never held as text.
// `DiagnosticText` prints what is wrong, in one form for all commands.
//
// What a report says is decided in the room that it belongs to. Nothing here knows a run, a night or a
// bisection, and nothing writes to a file.

import LaunchCore

/// Cells in aligned columns, two spaces apart.
package struct TextTable {
  package struct Cell {
    package var text: String
    var ink: TextStyle.Ink?

    package init(_ text: String, _ ink: TextStyle.Ink? = nil) {
      self.text = text
      self.ink = ink
    }
  }

  package enum Alignment {
    case left
    case right

    /// The ends of the whole parts of the numbers stand below each other.
    case decimal
  }

  package var columns: [Alignment]

  /// Each with one cell per column.
  package var rows: [[Cell]] = []

  package init(columns: [Alignment], rows: [[Cell]] = []) {
    self.columns = columns
    self.rows = rows
  }

  /// One line per row, without trailing spaces.
  package func lines(style: TextStyle) -> [String] {
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
  package var width: Int {
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

/// Values as a line of block elements.
package struct Sparkline {
  private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// The smallest height, as a share of the middle, so that noise does not look like a step.
  private static let leastSpan = 0.1

  /// Per night the value; nil for a night without one.
  var values: [Double?]

  /// The indices of the nights that a break stands before.
  var breaks: Set<Int> = []

  /// One character per night, `·` where there is no value, and `╎` at a break.
  package var text: String {
    let known = values.compactMap(\.self)
    guard let low = known.min(), let high = known.max() else {
      return String(repeating: "·", count: values.count)
    }
    let middle = (low + high) / 2
    let span = max(high - low, abs(middle) * Self.leastSpan)
    let bottom = middle - span / 2
    return values.enumerated().reduce(into: "") { text, item in
      if breaks.contains(item.offset) { text.append("╎") }
      guard let value = item.element, span > 0 else {
        return text.append(item.element == nil ? "·" : Self.blocks[0])
      }
      let step = Int(clamping: (value - bottom) / span * Double(Self.blocks.count))
      text.append(Self.blocks[min(max(step, 0), Self.blocks.count - 1)])
    }
  }

  package init(values: [Double?], breaks: Set<Int> = []) {
    self.values = values
    self.breaks = breaks
  }
}
