package import LabAnalysis
import LabModel

/// How the launches of an arm were spent, as a section of a report in Markdown.
package struct StagesMarkdown {
  private let summary: StagesSummary
  private let title: String
  private let rows: StageRows

  /// Creates the section of an arm, whose name is its title.
  package init(_ summary: StagesSummary, title: String) {
    self.summary = summary
    self.title = title
    rows = StageRows(summary: summary, showsAll: false)
  }

  /// The section, with a line feed after every line.
  package func rendered() -> String { lines.map { $0 + "\n" }.joined() }

  /// The section, which begins with a heading of the third level.
  package var lines: [String] {
    let count = Quantity.count(summary.seenLaunches, "launch", plural: "launches")
    let own = summary.seenLaunches == 1 ? "its own" : "their own"
    let unready = summary.launches == 0 ? ", of which none became ready" : ""
    let lead = "\(summary.seenLaunches == 1 ? "From" : "Medians of") \(count) of \(own)\(unready)."
    let heading = "\(title), seen by \(StageWords.collector(summary.collector))"
    return ["### \(MarkdownTable.escaped(heading))", "", lead, ""] + table(rows.stages)
      + list("Printed", rows.printed)
      + list("Slowest initializers, by library and symbol", rows.slowestInitializers)
      + list("Slowest libraries to find and map", rows.slowestLibraries)
      + list("Tasks, marks and libraries loaded later", rows.later, showsStart: true)
      + (rows.unlistedCount > 0 ? ["", "And \(rows.unlistedCount) more."] : []) + evidence
  }

  private func list(_ title: String, _ rows: [StageRow], showsStart: Bool = false) -> [String] {
    rows.isEmpty ? [] : ["", "**\(title)**", ""] + table(rows, showsStart: showsStart)
  }

  private func table(_ rows: [StageRow], showsStart: Bool = false) -> [String] {
    let titles = ["stage", "median", "95 % interval", "of launch", "", "remarks"]
    let table = MarkdownTable(
      titles: showsStart ? [titles[0], "at"] + titles[1...] : titles,
      textColumns: showsStart ? [0, 5, 6] : [0, 4, 5],
      rows: rows.map { row in
        let cells = cells(row)
        let start = row.stage.start.map { Quantity.text($0, .nanoseconds) } ?? ""
        return showsStart ? [cells[0], start] + cells[1...] : cells
      }
    )
    return table.lines
  }

  private func cells(_ row: StageRow) -> [String] {
    // No-break spaces, since Markdown drops others at the beginning of a cell.
    let indent = String(repeating: "\u{A0}\u{A0}", count: row.depth)
    let title = MarkdownTable.escaped(row.title)
    let name = indent + (row.isTotal ? "**\(title)**" : title)
    guard !row.stage.isInstant else { return [name, "", "", "", "", ""] }
    return [
      name, StageWords.median(row.stage), StageWords.interval(row.stage),
      StageWords.share(row.stage.share), row.stage.share.map(StageBar(width: 20).text) ?? "",
      StageWords.remarks(row.stage, of: summary.seenLaunches),
    ]
  }

  private var evidence: [String] {
    let cost = summary.cost.map { ["- Cost: \(StageWords.cost($0, summary.collector))"] } ?? []
    let check = summary.check.map { check in
      let words = StageWords.check(check, launches: summary.launches)
      return ["- \(check.isIncomplete ? "**Sum:**" : "Sum:") \(words)"]
    }
    let leftOut = StageWords.leftOut(summary).map { ["- Left out: \($0)"] } ?? []
    let notes = summary.notes.map { note in
      "- Note: \(MarkdownTable.escaped(note.text))\(StageWords.extent(of: note, in: summary))"
    }
    let lines = cost + (check ?? []) + leftOut + notes
    return lines.isEmpty ? [] : [""] + lines
  }
}
