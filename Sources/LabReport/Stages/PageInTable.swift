/// The pages that a cold launch brought in, file by file, most pages first.
///
/// It is the figure that Instruments calls "File Backed Page In".
package struct PageInTable {
  /// The pages of one file; `faulted` and `readAhead` are nil where they could not be told.
  package typealias File = (
    path: String, isOwn: Bool, pages: Int, faulted: Int?, readAhead: Int?
  )

  private static let mostFiles = 12
  private static let titles = ["pages", "faulted", "read ahead", "own", ""]

  private let files: [File]
  private let rest: [File]

  /// Creates the table; files without a page that came in are left out.
  package init(_ files: [File], showsAll: Bool = false) {
    let sorted = files.filter { $0.pages > 0 }.enumerated()
      .sorted { ($1.element.pages, $0.offset) < ($0.element.pages, $1.offset) }
      .map(\.element)
    let count = showsAll || sorted.count == Self.mostFiles + 1 ? sorted.count : Self.mostFiles
    self.files = Array(sorted.prefix(count))
    rest = Array(sorted.dropFirst(count))
  }

  /// The table for a terminal; empty when no page came in.
  package func lines(style: TextStyle) -> [String] {
    guard !files.isEmpty else { return [] }
    let room = max(24, style.width == .max ? .max : style.width - 36)
    let table = TextTable(
      columns: [.right, .right, .right, .left, .left],
      rows: [Self.titles.map { TextTable.Cell($0, .dim) }]
        + rows.map { row in
          row.enumerated().map { column, text in
            TextTable.Cell(column == 4 ? Self.shortened(text, to: room) : text)
          }
        }
    )
    return [style.paint("pages brought in, by file", .dim)]
      + table.lines(style: style).map { "  \($0)" }
  }

  /// The table in Markdown; empty when no page came in.
  package var markdown: [String] {
    guard !files.isEmpty else { return [] }
    return MarkdownTable(
      titles: Self.titles.dropLast() + ["file"],
      textColumns: [3, 4],
      rows: rows.map { $0.map(MarkdownTable.escaped) }
    )
    .lines
  }

  private var rows: [[String]] {
    let shown = files.map {
      [
        Self.count($0.pages), Self.count($0.faulted), Self.count($0.readAhead),
        $0.isOwn ? "own" : "", $0.path.printable,
      ]
    }
    guard !rest.isEmpty else { return shown }
    return shown + [
      [
        Self.count(rest.reduce(0) { $0 + $1.pages }), Self.sum(rest.map(\.faulted)),
        Self.sum(rest.map(\.readAhead)), "", "\(rest.count) more files",
      ]
    ]
  }

  private static func count(_ number: Int?) -> String { number.map { String($0) } ?? Quantity.none }

  /// The sum, which is not known when one of the numbers is not.
  private static func sum(_ numbers: [Int?]) -> String {
    let known = numbers.compactMap(\.self)
    return count(known.count == numbers.count ? known.reduce(0, +) : nil)
  }

  /// The end of a path, which tells more than its beginning.
  private static func shortened(_ path: String, to width: Int) -> String {
    guard path.displayWidth > width else { return path }
    return "…" + path.suffix(width - 1)
  }
}
