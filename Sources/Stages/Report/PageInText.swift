package import LaunchCore
package import Rendering

/// The pages that the cold launches of an arm brought in.
package struct PageInText {
  private let summary: PageInSummary
  private let table: PageInTable

  package init(_ summary: PageInSummary, showsAll: Bool = false) {
    self.summary = summary
    table = PageInTable(summary.files, showsAll: showsAll)
  }

  /// The lines for a terminal.
  package func lines(style: TextStyle) -> [String] {
    let notes = summary.notes.flatMap { style.wrapped("note      \($0.printable)", indent: 10) }
    return table.lines(style: style) + ["", style.paint("page-ins", .dim) + "  \(total)"] + notes
  }

  /// The section of a report in Markdown, which begins with a heading of the third level.
  package func markdown(title: String) -> [String] {
    let table = table.markdown
    let notes = summary.notes.map { "- Note: \(MarkdownTable.escaped($0))" }
    return ["### \(MarkdownTable.escaped(title))", ""] + table + (table.isEmpty ? [] : [""])
      + ["- Page-ins: \(total)"] + notes
  }

  private var total: String {
    let isOne = summary.launches == 1
    let extent = isOne ? "1 launch" : "the medians per file of \(summary.launches) launches"
    var parts = ["\(Quantity.count(summary.pages, "page")) came in"]
    if let faulted = summary.faulted, let ahead = summary.readAhead {
      parts.append("\(faulted) by a fault and \(ahead) read ahead")
    }
    if let metadata = summary.metadata, metadata.pages > 0 {
      parts.append("\(Quantity.count(metadata.pages, "page")) of file-system metadata")
    }
    let text = parts.joined(separator: ", ")
    guard let wait = summary.wait else { return "\(text) (\(extent))" }
    let all = Quantity.text(wait + (summary.metadata?.wait ?? .zero))
    return "\(text); waited \(all) for them (\(extent))"
  }
}

/// The pages that a cold launch brought in, file by file, most pages first.
///
/// It is the figure that Instruments calls "File Backed Page In".
package struct PageInTable {
  private static let mostFiles = 12
  private static let titles = ["pages", "faulted", "read ahead", "waited", "own", ""]

  private let files: [PageIn]
  private let rest: [PageIn]

  /// Creates the table; files without a page that came in are left out.
  package init(_ files: [PageIn], showsAll: Bool = false) {
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
    let room = max(12, style.width == .max ? .max : style.width - 47)
    let table = TextTable(
      columns: [.right, .right, .right, .right, .left, .left],
      rows: [Self.titles.map { TextTable.Cell($0, .dim) }]
        + rows.map { row in
          row.enumerated().map { column, text in
            TextTable.Cell(column == 5 ? Self.shortened(text, to: room) : text)
          }
        }
    )
    return [style.paint("page-ins by file", .dim)]
      + table.lines(style: style).map { "  \($0)" }
  }

  /// The table in Markdown; empty when no page came in.
  package var markdown: [String] {
    guard !files.isEmpty else { return [] }
    return MarkdownTable(
      titles: Self.titles.dropLast() + ["file"],
      textColumns: [4, 5],
      rows: rows.map { $0.map(MarkdownTable.escaped) }
    )
    .lines
  }

  private var rows: [[String]] {
    let shown = files.map {
      [
        Self.count($0.pages), Self.count($0.faulted), Self.count($0.readAhead),
        Self.wait($0.wait), $0.isOwn ? "own" : "", $0.path.printable,
      ]
    }
    guard !rest.isEmpty else { return shown }
    let others = PageInSummary(launches: 1, files: rest)
    return shown + [
      [
        Self.count(others.pages), Self.count(others.faulted), Self.count(others.readAhead),
        Self.wait(others.wait), "", "\(rest.count) more files",
      ]
    ]
  }

  private static func count(_ number: Int?) -> String { number.map { String($0) } ?? Quantity.none }

  private static func wait(_ time: Nanoseconds?) -> String {
    time.map { $0 == .zero ? "" : Quantity.text($0) } ?? Quantity.none
  }

  /// The end of a path, which tells more than its beginning.
  private static func shortened(_ path: String, to width: Int) -> String {
    guard path.displayWidth > width else { return path }
    return "…" + path.suffix(width - 1)
  }
}
