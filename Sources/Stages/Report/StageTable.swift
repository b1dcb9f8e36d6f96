import LaunchCore
import Rendering

/// A list of stages for a terminal: name, time, interval, share, bar and what to know of them.
///
/// Where it would be too wide, first the bars shrink and go, then the intervals, and then names are
/// cut.
struct StageTable {
  let rows: [StageRow]

  /// How many launches the values come from.
  let launches: Int

  let style: TextStyle

  /// Whether rows say when they began.
  var showsStart = false

  private static let mostBarColumns = 24
  private static let fewestBarColumns = 8
  private static let fewestNameColumns = 24

  func lines() -> [String] {
    guard !rows.isEmpty else { return [] }
    let names = rows.map { name($0).displayWidth }.max() ?? 0
    for hasInterval in [true, false] {
      let bare = table(barWidth: 0, hasInterval: hasInterval, nameWidth: .max).width
      let room = style.width - bare
      if room >= 0 {
        let columns = room > Self.mostBarColumns + 2 ? Self.mostBarColumns : room - 2
        let barWidth = columns < Self.fewestBarColumns ? 0 : columns
        return table(barWidth: barWidth, hasInterval: hasInterval, nameWidth: .max)
          .lines(style: style)
      }
      // A long name may lose a quarter before the interval goes.
      if -room <= names / 4, names + room >= Self.fewestNameColumns {
        return table(barWidth: 0, hasInterval: hasInterval, nameWidth: names + room)
          .lines(style: style)
      }
    }
    let rest = table(barWidth: 0, hasInterval: false, nameWidth: .max).width - names
    let nameWidth = max(Self.fewestNameColumns, style.width - rest)
    return table(barWidth: 0, hasInterval: false, nameWidth: nameWidth).lines(style: style)
  }

  private func table(barWidth: Int, hasInterval: Bool, nameWidth: Int) -> TextTable {
    let hasInterval = hasInterval && rows.contains { $0.stage.interval != nil }
    let hasShare = rows.contains { $0.stage.share != nil }
    let columns: [(isShown: Bool, alignment: TextTable.Alignment, title: String)] = [
      (true, .left, ""), (showsStart, .decimal, "at"),
      (true, .decimal, launches > 1 ? "median" : "time"),
      (hasInterval, .right, "95 % interval"), (hasShare, .decimal, "of launch"),
      (hasShare && barWidth > 0, .left, ""), (rows.contains { !remarks($0).isEmpty }, .left, ""),
    ]
    let titles = columns.map { TextTable.Cell($0.title, .dim) }
    let cells = [titles] + rows.map { self.cells($0, nameWidth, barWidth) }
    return TextTable(
      columns: columns.filter(\.isShown).map(\.alignment),
      rows: cells.map { row in zip(row, columns).filter(\.1.isShown).map(\.0) }
    )
  }

  private func cells(_ row: StageRow, _ nameWidth: Int, _ barWidth: Int) -> [TextTable.Cell] {
    let ink: TextStyle.Ink? = row.isTotal ? .bold : row.stage.median == nil ? .dim : nil
    let isInstant = showsStart && row.stage.isInstant
    let bar = StageBar(width: barWidth, isASCII: style.isASCII)
    return [
      TextTable.Cell(name(row).truncated(to: nameWidth), ink),
      TextTable.Cell(row.stage.start.map { Quantity.text($0, .nanoseconds) } ?? "", .dim),
      TextTable.Cell(isInstant ? "" : StageWords.median(row.stage), ink),
      TextTable.Cell(isInstant ? "" : StageWords.interval(row.stage), .dim),
      TextTable.Cell(isInstant ? "" : StageWords.share(row.stage.share), ink),
      TextTable.Cell(row.stage.share.map(bar.text) ?? "", row.isTotal ? .note : nil),
      TextTable.Cell(remarks(row), .warning),
    ]
  }

  private func remarks(_ row: StageRow) -> String {
    StageWords.remarks(row.stage, of: launches)
  }

  private func name(_ row: StageRow) -> String {
    String(repeating: "  ", count: row.depth) + row.title
  }
}

/// A bar that shows a share.
struct StageBar {
  /// In columns, of the share 1.
  var width: Int

  var isASCII = false

  private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  /// The bar of a share, which is never empty for one above 0.
  func text(_ share: Double) -> String {
    guard share > 0, share.isFinite else { return "" }
    let columns = min(share, 1) * Double(width)
    if isASCII {
      let full = Int(clamping: columns.rounded())
      return full == 0 ? "." : String(repeating: "#", count: full)
    }
    let steps = max(1, Int(clamping: (columns * 8).rounded()))
    return String(repeating: "█", count: steps / 8) + Self.eighths[steps % 8]
  }
}
