import LabAnalysis

/// The pages that the cold launches of an arm brought in, as a section of a report in Markdown.
struct PageInMarkdown {
  private let summary: PageInSummary
  private let title: String

  /// How many files are shown one by one.
  private static let shownFiles = 20

  init(_ summary: PageInSummary, title: String) {
    self.summary = summary
    self.title = title
  }

  /// The section, which begins with a heading of the third level.
  var lines: [String] {
    let rows = PageInRows(summary, limit: Self.shownFiles).cells
    let table = MarkdownTable(
      titles: ["file", "pages", "faulted", "read ahead"],
      textColumns: [0],
      rows: rows.map { $0.map(MarkdownTable.escaped) }
    )
    let notes = summary.notes.map { "- Note: \(MarkdownTable.escaped($0))" }
    return ["### \(MarkdownTable.escaped(title))", ""] + (rows.isEmpty ? ["None."] : table.lines)
      + (notes.isEmpty ? [] : [""] + notes)
  }
}
