package import LabAnalysis
import LabModel

/// The result of a bisection as a terminal shows it: one sentence first, then what it rests on.
package struct BisectText {
  private let summary: BisectSummary
  private let style: TextStyle

  package init(_ summary: BisectSummary, style: TextStyle) {
    self.summary = summary
    self.style = style
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let stages = StageDifferenceTable(summary.stageChanges).lines(style: style)
    return [answer, steps, stages, remarks, commands, facts].filter { !$0.isEmpty }
      .map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  private var answer: [String] {
    let ink: TextStyle.Ink =
      switch summary.answer.outcome {
      case .found, .refused(.same): .bold
      case .refused, .inconclusive: .boldWarning
      case .failed: .boldFailure
      }
    let sentence = BisectSentence(summary).answer.plain
    let stop =
      summary.isInterrupted && summary.answer.outcome != .inconclusive(.interrupted)
      ? style.wrapped("Interrupted before the work was done.").map { style.paint($0, .boldWarning) }
      : []
    return style.wrapped(sentence).map { style.paint($0, ink) } + stop + buildLog
  }

  /// What the build of an end wrote last.
  private var buildLog: [String] {
    summary.buildLogTail.map { style.paint("    " + $0.printable, .dim) }
  }

  private var steps: [String] {
    let steps = BisectSteps(summary)
    return steps.lines(style: style)
      + steps.faults.flatMap { style.wrapped($0.plain, indent: 2) }.map { style.paint($0, .dim) }
  }

  private var remarks: [String] {
    BisectRemarks(summary).phrases.flatMap { style.wrapped($0.plain, indent: 2) }
  }

  private var commands: [String] {
    let commands = BisectCommands(summary).all
    let rows = commands.map { item in
      [TextTable.Cell(item.command, .note), TextTable.Cell(item.purpose, .dim)]
    }
    let table = TextTable(columns: [.left, .left], rows: rows)
    return table.width <= style.width
      ? table.lines(style: style) : commands.map { style.paint($0.command, .note) }
  }

  private var facts: [String] {
    let start = summary.start
    let words = BisectWords(start)
    let medians = words.medians(of: summary).map { ": \($0)" } ?? ""
    return [
      "bisection \(start.id.printable) of \(start.range.printable) · "
        + "\(words.count(start.revisions.count - 1)) · \(Quantity.instant(start.startedAt))",
      "\(words.measure.printable) of \(words.arm.printable)\(medians) · "
        + BisectSentence(summary).work,
    ].flatMap { style.wrapped($0, indent: 2) }.map { style.paint($0, .dim) }
  }
}
