/// A notice as Markdown, for the summary of a job.
package struct SummaryNotice {
  private let notice: Notice

  package init(_ notice: Notice) { self.notice = notice }

  /// The text, with a line feed after every line.
  package var markdown: String {
    let paragraphs = notice.paragraphs.flatMap { paragraph in
      ["- **\(MarkdownTable.escaped(paragraph.title))**"]
        + paragraph.details.map { "  - \(MarkdownTable.escaped($0))" }
        + paragraph.commands.map { "  - \($0.purpose): `\($0.text)`" }
    }
    let remarks = notice.remarks.flatMap { ["", MarkdownTable.escaped($0)] }
    let lines =
      ["## launchlab: \(MarkdownTable.escaped(notice.scenario))", ""] + paragraphs + remarks
    return lines.map { $0 + "\n" }.joined()
  }
}
