import LaunchCore
package import Rendering

/// What differs between the stages of the launches of two builds.
package struct StageDifferenceTable {
  private let differences: [StageDifference]
  private let mostRows: Int
  private static let titles = [
    "stage", "before", "after", "difference", "95 % interval", "share of time",
  ]

  /// How wide the columns beside the names are.
  private static let figureColumns = 76

  private static let remark = "Differences within the noise, and small ones, are left out."

  /// - Parameters:
  ///   - differences: The largest first.
  ///   - mostRows: How many of them are shown.
  package init(_ differences: [StageDifference], mostRows: Int = 20) {
    self.differences = differences
    self.mostRows = mostRows
  }

  package var isEmpty: Bool { differences.isEmpty }

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
    return Self.title(of: difference.path, below: isIndented ? differences : []) + fate
  }

  /// A path without the stages that contain it, and indented for each of them.
  fileprivate static func title(of path: String, below stages: [StageDifference]) -> String {
    let parents = stages.map(\.path).filter { path.hasPrefix($0 + StageDifference.separator) }
    let closest = parents.map(\.count).max().map { $0 + StageDifference.separator.count } ?? 0
    return String(repeating: "  ", count: parents.count)
      + StageWords.title(path: String(path.dropFirst(closest)))
  }

  private func values(_ difference: StageDifference) -> [String] {
    let unit: Metric.Unit = difference.kind == .tally ? .count : .nanoseconds
    let values = [difference.before, difference.after].compactMap(\.self) + [difference.difference]
    let scale = Scale(unit, forAll: values)
    let both = [difference.before, difference.after].map { $0.map(scale.text) ?? Quantity.none }
    let change = Quantity.signed(difference.difference, scale.text)
    return both + [change, bounds(difference, in: scale)]
  }

  /// The interval in the unit of the difference.
  private func bounds(_ difference: StageDifference, in scale: Scale) -> String {
    guard let interval = difference.interval else { return "" }
    return [interval.lowerBound, interval.upperBound]
      .map { Quantity.signed($0, scale.text) }.joined(separator: " to ")
  }

  private var rest: String? {
    let more = differences.count - mostRows
    return more > 0 ? "and \(Quantity.count(more, "smaller one"))" : nil
  }

  /// The lines for a terminal, without a heading.
  ///
  /// - Parameters:
  ///   - style: How they are shown.
  ///   - hasRemark: Whether a last line says what is left out.
  /// - Returns: None where nothing differs.
  package func lines(style: TextStyle, hasRemark: Bool = true) -> [String] {
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
    return table.lines(style: style)
      + [rest, hasRemark ? Self.remark : nil].compactMap(\.self).map { style.paint($0, .dim) }
  }

  /// The lines in Markdown, without a heading.
  package var markdown: [String] {
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

/// The stages that the launches of one build are made of.
package struct StagePartTable {
  private let parts: [StageDifference]

  /// - Parameters:
  ///   - parts: A stage before those that it is made of.
  ///   - most: How many of them are shown: the largest.
  package init(_ parts: [StageDifference], atMost most: Int = .max) {
    let sizes = parts.compactMap(\.after).sorted(by: >)
    let least = sizes.count > most ? sizes[most - 1] : 0
    self.parts = parts.filter { ($0.after ?? 0) >= least }
  }

  private func cells(isIndented: Bool) -> [[String]] {
    parts.map { part in
      [
        StageDifferenceTable.title(of: part.path, below: isIndented ? parts : []),
        part.after.map(scale.text) ?? Quantity.none,
        part.share.map(Quantity.percent) ?? "",
      ]
    } + (whole.map { [["the median launch of these", scale.text($0), Quantity.percent(1)]] } ?? [])
  }

  /// What the shares are of.
  private var whole: Double? {
    let largest = parts.max { ($0.after ?? 0) < ($1.after ?? 0) }
    guard let time = largest?.after, let share = largest?.share, share > 0 else { return nil }
    return time / share
  }

  private var scale: Scale {
    Scale(.nanoseconds, forAll: parts.compactMap(\.after) + [whole].compactMap(\.self))
  }

  /// The lines for a terminal, without a heading.
  package func lines(style: TextStyle) -> [String] {
    let rows = cells(isIndented: true).map { $0.map { TextTable.Cell($0.printable) } }
    return TextTable(columns: [.left, .decimal, .right], rows: rows).lines(style: style)
  }

  /// The lines in Markdown, without a heading.
  package var markdown: [String] {
    MarkdownTable(
      titles: ["stage", "median", "share"],
      textColumns: [0],
      rows: cells(isIndented: false).map { [MarkdownTable.escaped($0[0])] + $0.dropFirst() }
    ).lines
  }
}

extension JSONValue {
  /// What differs, with its times in nanoseconds.
  package init(stage change: StageDifference) {
    self = [
      "kind": .string(change.kind.rawValue),
      "path": .string(change.path),
      "unit": .string(change.kind == .tally ? "1" : "ns"),
      "before": JSONValue(change.before),
      "after": JSONValue(change.after),
      "share": JSONValue(change.share),
      "ci95": change.interval.map { [.number($0.lowerBound), .number($0.upperBound)] } ?? .null,
    ]
  }
}
