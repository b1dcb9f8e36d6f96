package import LabAnalysis
import LabModel

/// The pages that a cold launch brought in, as a terminal shows them.
package struct PageInText {
  private let summary: PageInSummary
  private let style: TextStyle

  /// How many files are shown one by one.
  private static let shownFiles = 10

  package init(_ summary: PageInSummary, style: TextStyle) {
    self.summary = summary
    self.style = style
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let rows = PageInRows(summary, limit: Self.shownFiles)
    let heading = style.paint("pages that came in, by file", .dim)
    guard !rows.cells.isEmpty else { return "\(heading)\n  none\n" }
    let table = TextTable(
      columns: [.left, .right, .right, .right],
      rows: [["", "pages", "faulted", "read ahead"].map { TextTable.Cell($0, .dim) }]
        + rows.cells.map { cells in
          [TextTable.Cell("  \(cells[0].truncated(to: max(24, style.width - 40)))")]
            + cells.dropFirst().map { TextTable.Cell($0) }
        }
    )
    let notes = summary.notes.flatMap { style.wrapped("  note: \($0.printable)", indent: 4) }
    return ([heading] + table.lines(style: style) + notes).map { $0 + "\n" }.joined()
  }
}

/// The rows of a table of page-ins: file, pages, faulted, read ahead; the total first.
struct PageInRows {
  let cells: [[String]]

  init(_ summary: PageInSummary, limit: Int) {
    guard !summary.files.isEmpty else {
      cells = []
      return
    }
    let shown = summary.files.prefix(limit)
    let rest = summary.files.dropFirst(limit)
    let total = Self.row("all files", summary.pages, summary.faulted, summary.readAhead)
    let more = rest.reduce(0) { $0 + $1.pages }
    let others = Quantity.count(rest.count, "more file")
    cells =
      [total] + shown.map { Self.row($0.path.printable, $0.pages, $0.faulted, $0.readAhead) }
      + (rest.isEmpty ? [] : [Self.row(others, more, nil, nil)])
  }

  private static func row(_ name: String, _ pages: Int, _ faulted: Int?, _ ahead: Int?) -> [String]
  {
    [
      name, "\(pages)", faulted.map(String.init) ?? Quantity.none,
      ahead.map(String.init) ?? Quantity.none,
    ]
  }
}
