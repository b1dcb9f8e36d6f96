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
    let launches = Quantity.count(summary.launches, "launch", plural: "launches")
    let collector = StageWords.collector(summary.collector)
    let lead = "Medians of \(launches) of their own, seen by \(collector)."
    return ["### \(MarkdownTable.escaped(title))", "", lead, ""] + table(rows.stages)
      + list("Printed", rows.printed)
      + list("Slowest initializers, by library and symbol", rows.slowestInitializers)
      + list("Slowest libraries to find and map", rows.slowestLibraries)
      + list("Tasks, marks and libraries loaded later", rows.later, showsStart: true) + evidence
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
      StageWords.remarks(row.stage, of: summary.launches),
    ]
  }

  private var evidence: [String] {
    let cost = summary.cost.map { ["- Cost: \(StageWords.cost($0, summary.collector))"] } ?? []
    let check = summary.check.map { check in
      ["- \(check.isIncomplete ? "**Sum:**" : "Sum:") \(StageWords.check(check))"]
    }
    let notes = summary.notes.map { note in
      let isPartial = note.launches < max(summary.launches, 1)
      let launches = isPartial ? " (\(note.launches) of \(summary.launches) launches)" : ""
      return "- Note: \(MarkdownTable.escaped(note.text))\(launches)"
    }
    let lines = cost + (check ?? []) + notes
    return lines.isEmpty ? [] : [""] + lines
  }
}
