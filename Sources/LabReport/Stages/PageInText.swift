package import LabAnalysis
import LabModel

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
  func markdown(title: String) -> [String] {
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
