import LaunchCore
import LaunchHost
import Rendering

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
    let command = targets.first { $0.name == name }.map { ShellQuoting.text($0.words) } ?? ""
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

/// Medians of what else was measured of each arm, for a terminal.
///
/// Where the table would be wider than the terminal, each arm becomes a phrase.
struct FigureTable {
  private let arms: [ArmText]
  private let style: TextStyle

  init(_ summary: RunSummary, style: TextStyle) {
    arms = ArmText.shown(of: summary).filter { $0.failure == nil }
    self.style = style
  }

  func lines() -> [String] {
    guard !arms.isEmpty else { return [] }
    let figures = shownFigures
    let titles = ["medians"] + figures.map(\.title)
    let table = TextTable(
      columns: [.left] + figures.map { _ in .decimal },
      rows: [titles.map { TextTable.Cell($0, .dim) }]
        + arms.map { arm in
          ([arm.name] + figures.map { $0.text(arm) })
            .map { TextTable.Cell($0, arm.isFloor ? .dim : nil) }
        }
    )
    return table.width <= style.width ? table.lines(style: style) : phrases(figures)
  }

  private func phrases(_ figures: [Figure]) -> [String] {
    [style.paint("medians", .dim)]
      + arms.flatMap { arm in
        let texts = figures.filter { $0.text(arm) != Quantity.none }
          .map { Self.unbroken("\($0.title) \($0.text(arm))") }
        let phrase = "  \(Self.unbroken(arm.name)): \(texts.joined(separator: ", "))"
        return style.wrapped(phrase, indent: 4)
          .map { style.paint($0.replacing("\u{A0}", with: " "), arm.isFloor ? .dim : nil) }
      }
  }

  /// The text with spaces at which no line is broken.
  private static func unbroken(_ text: String) -> String { text.replacing(" ", with: "\u{A0}") }

  private struct Figure {
    var title: String
    var text: (ArmText) -> String
  }

  /// The figures that at least one arm has.
  private var shownFigures: [Figure] {
    let metrics: [(title: String, metric: Metric)] = [
      ("peak RSS", .peakRSS), ("minor faults", .minorFaults), ("major", .majorFaults),
      ("CPU", .cpuTime), ("user", .userTime), ("system", .systemTime),
      ("read", .bytesRead),
    ]
    let figures = metrics.map { title, metric in Figure(title: title) { $0.median(of: metric) } }
    let preparation = Figure(title: "prepared in", text: \.preparation)
    return (figures + [preparation])
      .filter { figure in arms.contains { figure.text($0) != Quantity.none } }
  }
}
