import LabAnalysis
import LabModel

/// The launch times of a run for a terminal, one group of lines per target.
///
/// An arm takes one line, or two where one would be wider than the terminal.
struct LaunchTable {
  private let arms: [ArmText]
  private let targets: [Target]
  private let style: TextStyle

  /// Creates the table of the arms whose times are the result, the floor last.
  init(_ summary: RunSummary, style: TextStyle) {
    arms = ArmText.shown(of: summary)
    targets = summary.run.plan.scenario.targets
    self.style = style
  }

  func lines() -> [String] {
    let blocks = armLines()
    var lines = blocks.header
    var group: String?
    for (arm, block) in zip(arms, blocks.arms) {
      if arm.summary.arm.target != group { lines.append(title(of: arm)) }
      group = arm.summary.arm.target
      lines += block
    }
    let isDoubtful = arms.contains { $0.summary.isDoubtful }
    return lines + (isDoubtful ? style.wrapped(ArmText.parentheses) : [])
  }

  /// The lines of the header and of each arm.
  private func armLines() -> (header: [String], arms: [[String]]) {
    let timed = arms.filter { $0.failure == nil }
    var blocks =
      timed.isEmpty
      ? [[]] : wideLines(timed) ?? wideLines(timed, withSize: false) ?? narrowLines(timed)
    let header = blocks.removeFirst()
    var next = blocks.makeIterator()
    return (header, arms.map { arm in arm.failure.map { failed(arm, $0) } ?? next.next() ?? [] })
  }

  private func wideLines(_ timed: [ArmText], withSize showsSize: Bool = true) -> [[String]]? {
    let table = TextTable(
      columns: headColumns + moreColumns + tailColumns,
      rows: [headTitles + moreTitles + tailTitles]
        + timed.map { headCells($0) + moreCells($0, ink($0)) + tailCells($0, showsSize) }
    )
    return table.width <= style.width ? table.lines(style: style).map { [$0] } : nil
  }

  private func narrowLines(_ timed: [ArmText]) -> [[String]] {
    let first = TextTable(
      columns: headColumns + tailColumns,
      rows: [headTitles + tailTitles] + timed.map { headCells($0) + tailCells($0, true) }
    )
    let second = TextTable(
      columns: moreColumns,
      rows: [moreTitles] + timed.map { moreCells($0, .dim) }
    )
    return zip(first.lines(style: style), second.lines(style: style)).map { [$0, "    \($1)"] }
  }

  private func failed(_ arm: ArmText, _ failure: String) -> [String] {
    style.wrapped("\(stateName(arm).padded(to: stateWidth))  \(failure)", indent: 4)
      .map { style.paint($0, .failure) }
  }

  private func title(of arm: ArmText) -> String {
    if arm.isFloor { return style.paint("the floor: an empty program", .dim) }
    let name = arm.summary.arm.target
    let command = targets.first { $0.name == name }.map { ShellQuoting.text($0.command) } ?? ""
    let shown = name.printable.truncated(to: style.width)
    let room = style.width - shown.displayWidth - 2
    guard command != name, room >= 12 else { return style.paint(shown, .bold) }
    let rest = command.printable.truncated(to: room)
    return "\(style.paint(shown, .bold))  \(style.paint(rest, .dim))"
  }
}

// MARK: - Columns

extension LaunchTable {
  private typealias Cell = TextTable.Cell

  private var hasFloor: Bool { arms.contains { $0.summary.floorMultiple != nil } }

  private var headColumns: [TextTable.Alignment] { [.left, .decimal, .right] }

  private var headTitles: [Cell] { titles("", "median", "95 % interval") }

  private func headCells(_ arm: ArmText) -> [Cell] {
    [
      Cell(stateName(arm), ink(arm)), Cell(arm.median, medianInk(arm)),
      Cell(arm.interval, ink(arm)),
    ]
  }

  private func stateName(_ arm: ArmText) -> String { "  \(arm.summary.arm.state.rawValue)" }

  private var stateWidth: Int { arms.map { stateName($0).count }.max() ?? 0 }

  private func medianInk(_ arm: ArmText) -> TextStyle.Ink {
    arm.isFloor ? .dim : arm.summary.isDoubtful ? .warning : .bold
  }

  private var moreColumns: [TextTable.Alignment] { [.right, .right, .decimal, .right, .right] }

  private var moreTitles: [Cell] { titles("mean ± sd", "variance", "CV", "min…max", "n") }

  private func moreCells(_ arm: ArmText, _ ink: TextStyle.Ink?) -> [Cell] {
    let texts = [arm.meanAndDeviation, arm.variance, arm.variation, arm.range]
    let isShort = arm.count.contains("/")
    return texts.map { Cell($0, ink) } + [Cell(arm.count, isShort ? .warning : ink)]
  }

  private var tailColumns: [TextTable.Alignment] { (hasFloor ? [.decimal] : []) + [.left] }

  private var tailTitles: [Cell] { titles("× floor", "state").suffix(tailColumns.count) }

  private func tailCells(_ arm: ArmText, _ showsSize: Bool) -> [Cell] {
    let state = arm.isStateReached ? ink(arm) : .warning
    let cells = [Cell(arm.floorMultiple, ink(arm)), Cell(arm.coldness(withSize: showsSize), state)]
    return cells.suffix(tailColumns.count)
  }

  private func ink(_ arm: ArmText) -> TextStyle.Ink? { arm.isFloor ? .dim : nil }

  private func titles(_ texts: String...) -> [Cell] { texts.map { Cell($0, .dim) } }
}
