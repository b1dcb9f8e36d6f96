import LaunchCore
import Rendering
import Stages

/// What differs between the stages of the culprit and its parent.
struct StageDifferenceTable {
  private let differences: [StageDifference]
  private let mostRows: Int
  private static let separator = " > "
  private static let titles = [
    "stage", "before", "after", "difference", "95 % interval", "share of time",
  ]

  /// How wide the columns beside the names are.
  private static let figureColumns = 76

  static let title = "What changed between the parent and the culprit"
  static func title(of culprit: String) -> String { "What \(culprit) changed in the launch" }

  static let remark = "Differences within the noise, and small ones, are left out."

  /// - Parameters:
  ///   - differences: The largest first.
  ///   - mostRows: How many of them are shown.
  init(_ differences: [StageDifference], mostRows: Int = 20) {
    self.differences = differences
    self.mostRows = mostRows
  }

  var isEmpty: Bool { differences.isEmpty }

  private func rows(isIndented: Bool) -> [[String]] {
    differences.prefix(mostRows).map { difference in
      [name(difference, isIndented)] + values(difference)
        + [
          difference.share.map { share in
            (share < 0 ? "−" : "") + Quantity.percent(abs(share))
          } ?? ""
        ]
    }
  }

  /// The path, or below the stages that contain it, with indentation, the rest of it.
  private func name(_ difference: StageDifference, _ isIndented: Bool) -> String {
    if difference.kind == .tally {
      return "number of \(difference.path.replacing("_", with: " "))"
    }
    let fate = difference.before == nil ? " (new)" : difference.after == nil ? " (gone)" : ""
    let parents = differences.filter { difference.path.hasPrefix($0.path + Self.separator) }
    let closest = parents.map(\.path.count).max().map { $0 + Self.separator.count } ?? 0
    let path = isIndented ? String(difference.path.dropFirst(closest)) : difference.path
    let indentation = isIndented ? String(repeating: "  ", count: parents.count) : ""
    return indentation + StageWords.title(path: path) + fate
  }

  private func values(_ difference: StageDifference) -> [String] {
    let unit: Metric.Unit = difference.kind == .tally ? .count : .nanoseconds
    let both = [difference.before, difference.after].map { value in
      value.map { Quantity.text($0, unit) } ?? Quantity.none
    }
    let change = Quantity.signed(difference.difference) { Quantity.text($0, unit) }
    return both + [change, bounds(difference)]
  }

  /// The interval in the unit of the difference.
  private func bounds(_ difference: StageDifference) -> String {
    guard let interval = difference.interval else { return "" }
    let scale = Scale(.nanoseconds, for: difference.difference)
    return [interval.lowerBound, interval.upperBound]
      .map { Quantity.signed($0, scale.text) }.joined(separator: " to ")
  }

  private var rest: String? {
    let more = differences.count - mostRows
    return more > 0 ? "and \(Quantity.count(more, "smaller one"))" : nil
  }

  /// The lines for a terminal.
  func lines(style: TextStyle, title: String = Self.title) -> [String] {
    guard !isEmpty else { return [] }
    let table = TextTable(
      columns: [.left, .decimal, .decimal, .decimal, .right, .right],
      rows: [Self.titles.map { TextTable.Cell($0, .dim) }]
        + rows(isIndented: true).map { row in
          row.enumerated().map { column, text in
            TextTable.Cell(
              column == 0
                ? text.printable.truncated(to: max(20, style.width - Self.figureColumns)) : text
            )
          }
        }
    )
    return [style.paint(title, .bold)] + table.lines(style: style)
      + [rest, Self.remark].compactMap(\.self).map { style.paint($0, .dim) }
  }

  /// The lines in Markdown, without a heading.
  var markdown: [String] {
    guard !isEmpty else { return [] }
    let table = MarkdownTable(
      titles: Self.titles,
      textColumns: [0],
      rows: rows(isIndented: false).map { row in
        [MarkdownTable.escaped(row[0].truncated(to: 120))] + row.dropFirst()
      }
    )
    return table.lines + [""] + [rest, Self.remark].compactMap(\.self)
  }
}

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
      let last = culprit.revisions.upperBound
      let isOne = culprit.revisions.count == 1
      let first = words.short(culprit.revisions.lowerBound)
      return [
        isOne ? "\(last)" : "\(culprit.revisions.lowerBound)–\(last)",
        isOne ? words.short(last) : "\(first) to \(words.short(last))",
        BisectWords.change(culprit.effect.estimate), BisectWords.bounds(culprit.effect),
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
