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
