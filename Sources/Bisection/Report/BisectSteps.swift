import History
import LaunchCore
import Rendering

/// Every revision that was visited: what it is, and how it compares with the good end.
struct BisectSteps {
  private let summary: BisectSummary
  private let words: BisectWords

  private static let titles = [
    "", "#", "commit", "against good", "95 % interval", "rounds", "P(bad)", "subject",
  ]

  /// How wide a subject is at least.
  private static let fewestColumns = 12

  init(_ summary: BisectSummary) {
    self.summary = summary
    words = BisectWords(summary.start)
  }

  /// One row of the table; the texts of people are as they are.
  private struct Row {
    var revision: Int
    var cells: [String]
    var isCulprit: Bool
    var isBroken: Bool
  }

  private var rows: [Row] {
    let levels = Dictionary(summary.answer.levels.map { ($0.revision, $0) }) { first, _ in first }
    let visited = Set(levels.keys).union(summary.skipped).sorted()
    let stoodFor = stoodFor
    return visited.map { revision in
      let figures = levels[revision].map(figures) ?? [fault(of: revision), "", "", ""]
      let facts = summary.start.revisions[revision]
      let isArtifact = summary.start.artifacts != nil
      return Row(
        revision: revision,
        cells: [mark(revision), String(revision), words.short(revision)] + figures
          + [stoodFor[revision] ?? (isArtifact && facts.subject == facts.id ? "" : facts.subject)],
        isCulprit: isCulprit(revision),
        isBroken: levels[revision] == nil
      )
    }
  }

  private func figures(_ level: BisectLevel) -> [String] {
    guard level.revision > 0 else {
      return ["0", "", String(level.rounds), Self.probability(level.probabilityBad)]
    }
    return [
      BisectWords.change(level.level.estimate), BisectWords.bounds(level.level),
      String(level.rounds), Self.probability(level.probabilityBad),
    ]
  }

  private static func probability(_ value: Double?) -> String {
    guard let value else { return "" }
    let percent = Int(clamping: (value * 100).rounded())
    return percent == 0 && value > 0
      ? "< 1 %" : percent == 100 && value < 1 ? "> 99 %" : "\(percent) %"
  }

  private func fault(of revision: Int) -> String {
    if summary.start.skips.contains(revision) { return "skipped" }
    return summary.unlaunchable.contains(revision) ? "cannot be launched" : "does not build"
  }

  private func isCulprit(_ revision: Int) -> Bool {
    summary.answer.culprits.contains { $0.revisions.contains(revision) }
      || stoodFor[revision] != nil
  }

  /// The builds that were launched in place of culprits, since they are equal to them, with words
  /// that say so.
  private var stoodFor: [Int: String] {
    let others = summary.answer.culprits.filter {
      $0.isOnlyInGood ? $0.build < $0.newest : $0.build > $0.newest
    }
    return Dictionary(
      others.map { ($0.build, "equals \(words.short($0.newest))") }
    ) { first, _ in first }
  }

  private func mark(_ revision: Int) -> String {
    if isCulprit(revision) { return "culprit" }
    return revision == 0
      ? "good" : revision == summary.start.revisions.count - 1 ? "bad" : ""
  }

  // MARK: - Formats

  /// The lines for a terminal; subjects are cut so that a row is one line.
  func lines(style: TextStyle) -> [String] {
    guard !rows.isEmpty else { return [] }
    let title = Self.titles[7].displayWidth
    let rooms = [true, false].map { hasInterval in
      style.width - table(subjectWidth: 0, hasInterval: hasInterval).width + title
    }
    let hasInterval = rooms[0] >= Self.fewestColumns
    return table(
      subjectWidth: max(Self.fewestColumns, rooms[hasInterval ? 0 : 1]),
      hasInterval: hasInterval
    ).lines(style: style)
  }

  private func table(subjectWidth: Int, hasInterval: Bool) -> TextTable {
    let columns: [TextTable.Alignment] = [
      .left, .right, .left, .right, .right, .right, .right, .left,
    ]
    let rows = rows
    let shown = Self.shown(rows).filter { hasInterval || $0 != 4 }
    let titles = Self.titles.map { TextTable.Cell($0, .dim) }
    let cells = rows.map { row in
      let ink: TextStyle.Ink? = row.isCulprit ? .boldFailure : row.isBroken ? .dim : nil
      return row.cells.enumerated().map { column, text in
        let printable = text.printable
        return TextTable.Cell(
          column < 7 ? printable : subjectWidth == 0 ? "" : printable.truncated(to: subjectWidth),
          ink
        )
      }
    }
    return TextTable(
      columns: shown.map { columns[$0] },
      rows: ([titles] + cells).map { row in shown.map { row[$0] } }
    )
  }

  /// The columns; that of probabilities only where there is one.
  private static func shown(_ rows: [Row]) -> [Int] {
    titles.indices.filter { column in column != 6 || rows.contains { !$0.cells[column].isEmpty } }
  }

  /// The lines in Markdown.
  var markdown: [String] {
    let rows = rows
    guard !rows.isEmpty else { return [] }
    let shown = Self.shown(rows)
    return MarkdownTable(
      titles: shown.map { Self.titles[$0] },
      textColumns: Set(shown.indices.filter { [0, 2, 7].contains(shown[$0]) }),
      rows: rows.map { row in
        shown.map { column in
          let text = row.cells[column]
          if column == 0, row.isCulprit { return "**culprit**" }
          return MarkdownTable.escaped(column == 7 ? text.truncated(to: 80) : text)
        }
      }
    ).lines
  }

  /// Why revisions could not be used, one line each, at most 5.
  var faults: [Phrase] {
    if case .failed = summary.answer.outcome { return [] }
    let known = summary.skipped.compactMap { revision in
      summary.start.skips.contains(revision)
        ? nil : summary.failures[revision].map { (revision, $0) }
    }
    let shown = known.prefix(5).map { revision, reason -> Phrase in
      "\(words.short(revision)) \(raw: fault(of: revision)): \(reason.truncated(to: 200))"
    }
    return shown + (known.count > 5 ? ["and \(known.count - 5) more"] : [])
  }
}
