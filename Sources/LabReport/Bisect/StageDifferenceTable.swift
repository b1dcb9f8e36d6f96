import LabAnalysis
import LabModel

/// What differs between the stages of the culprit and its parent.
struct StageDifferenceTable {
  private let differences: [StageDifference]

  private static let mostRows = 20
  private static let separator = " > "
  private static let titles = ["stage", "before", "after", "difference", "of the change"]

  /// How wide the columns beside the names are.
  private static let figureColumns = 50

  static let title = "What changed between the parent and the culprit"
  static let remark = "What differs by less than its noise, or by little, is left out."

  init(_ differences: [StageDifference]) { self.differences = differences }

  var isEmpty: Bool { differences.isEmpty }

  private func rows(isIndented: Bool) -> [[String]] {
    differences.prefix(Self.mostRows).map { difference in
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
    let sign = difference.difference < 0 ? "−" : "+"
    return both + [sign + Quantity.text(abs(difference.difference), unit)]
  }

  private var rest: String? {
    let more = differences.count - Self.mostRows
    return more > 0 ? "and \(Quantity.count(more, "smaller one"))" : nil
  }

  /// The lines for a terminal.
  func lines(style: TextStyle) -> [String] {
    guard !isEmpty else { return [] }
    let table = TextTable(
      columns: [.left, .decimal, .decimal, .decimal, .right],
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
    return [style.paint(Self.title, .bold)] + table.lines(style: style)
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
