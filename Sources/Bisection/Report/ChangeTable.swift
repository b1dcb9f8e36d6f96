import LaunchCore
import Rendering

/// Every change of a range with its size, and what of the difference between the ends is left.
struct ChangeTable {
  private let summary: BisectSummary
  private let words: BisectWords

  private static let titles = ["#", "", "change", "95 % interval", "subject"]

  init(_ summary: BisectSummary) {
    self.summary = summary
    words = BisectWords(summary.start)
  }

  /// The rows in the order of the range, and the rest; empty unless every change was asked for.
  private var rows: [[String]] {
    guard summary.start.parameters.findsAll, !summary.answer.culprits.isEmpty else { return [] }
    let culprits = summary.answer.culprits
      .sorted { $0.revisions.lowerBound < $1.revisions.lowerBound }
    let changes = culprits.map { culprit in
      let last = culprit.newest
      let isOne = culprit.revisions.count == 1
      let first = words.short(culprit.revisions.lowerBound)
      return [
        isOne ? "\(last)" : "\(culprit.revisions.lowerBound)–\(culprit.revisions.upperBound)",
        (isOne ? "" : "\(first) to ") + words.short(culprit.revisions.upperBound)
          + (culprit.isOnlyInGood ? " (only good)" : ""),
        BisectWords.change(culprit.step.estimate), BisectWords.bounds(culprit.step),
        summary.start.artifacts == nil ? summary.start.revisions[last].subject : "",
      ]
    }
    return changes + [rest, whole].compactMap(\.self)
  }

  private var rest: [String]? {
    guard let rest = summary.answer.unexplained else { return nil }
    return [
      "", "not explained", BisectWords.change(rest.estimate), BisectWords.bounds(rest), stretches,
    ]
  }

  /// Where the rest may be.
  private var stretches: String {
    let all = summary.answer.unsearched
    guard !all.isEmpty else { return "" }
    return "\(Quantity.count(all.count, "stretch", plural: "stretches")) not searched"
  }

  private var whole: [String]? {
    guard let difference = summary.answer.difference else { return nil }
    return [
      "", "bad against good", BisectWords.change(difference.estimate),
      "\(BisectWords.bounds(difference)) (99 %)", "",
    ]
  }

  /// The lines for a terminal; subjects are cut so that a row is one line.
  func lines(style: TextStyle) -> [String] {
    let rows = rows
    guard !rows.isEmpty else { return [] }
    func table(_ width: Int) -> TextTable {
      TextTable(
        columns: [.right, .left, .right, .right, .left],
        rows: [Self.titles.map { TextTable.Cell($0, .dim) }]
          + rows.map { row in
            row.enumerated().map { column, text in
              TextTable.Cell(column == 4 ? text.printable.truncated(to: width) : text.printable)
            }
          }
      )
    }
    let others = table(0).width
    return table(max(12, style.width - others - 2)).lines(style: style)
  }

  /// The lines in Markdown.
  var markdown: [String] {
    let rows = rows
    guard !rows.isEmpty else { return [] }
    return MarkdownTable(
      titles: Self.titles,
      textColumns: [1, 4],
      rows: rows.map { $0.map { MarkdownTable.escaped($0.truncated(to: 80)) } }
    ).lines
  }
}
