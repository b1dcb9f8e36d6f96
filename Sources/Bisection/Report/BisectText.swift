import History
package import LaunchCore
package import Rendering
import Stages

/// The result of a bisection as a terminal shows it: one sentence first, then what it changes, and
/// what can be done next; what it rests on only where that is asked for.
package struct BisectText {
  private let summary: BisectSummary
  private let style: TextStyle
  private let isVerbose: Bool

  /// How wide commands and what they do may be on one line, however wide the terminal is.
  private static let widestTable = 120

  /// How many rows of stages are shown where no more is asked for.
  private static let fewestStages = 5

  /// - Parameters:
  ///   - summary: What is shown.
  ///   - style: Colours and width.
  ///   - isVerbose: Whether every build, all stages and how it was measured are shown, too.
  package init(_ summary: BisectSummary, style: TextStyle, isVerbose: Bool) {
    self.summary = summary
    self.style = style
    self.isVerbose = isVerbose
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let evidence = isVerbose ? [steps] : []
    let sections =
      [answer] + culprits + [changes] + evidence + stages + [remarks, commands]
      + (isVerbose ? [conditions, facts] : [])
    return sections.filter { !$0.isEmpty }
      .map { $0.joinedLines(style) }.joined(separator: "\n")
  }

  /// Every culprit of which something is known; the first one only where no more is asked for.
  private var known: [(name: String, details: CulpritDetails)] {
    let words = BisectWords(summary.start)
    let all = zip(summary.answer.culprits, summary.details).map { culprit, details in
      (name: words.short(culprit.newest), details: details)
    }
    return isVerbose ? all : Array(all.prefix(1))
  }

  /// What the culprits change.
  private var culprits: [[String]] {
    known.map { name, details in
      let lines = CulpritContents(details, BisectWords(summary.start)).lines(style: style)
      let isOnly = summary.answer.culprits.count == 1
      return isOnly || lines.isEmpty ? lines : [style.paint("in \(name)", .bold)] + lines
    }
  }

  private var changes: [String] {
    let table = ChangeTable(summary)
    return table.lines(style: style)
  }

  private var stages: [[String]] {
    known.map { name, details in
      let count = details.stageChanges.count
      let table = StageDifferenceTable(
        details.stageChanges,
        mostRows: isVerbose ? count : Self.fewestStages
      )
      guard !table.isEmpty else { return [] }
      let isOnly = summary.answer.culprits.count == 1
      let title = BisectWords.stagesTitle(of: isOnly ? nil : name)
      return [style.paint(title, .bold)] + table.lines(style: style)
    }
  }

  private var conditions: [String] {
    let phrases = MeasuringConditions(summary).phrases
    guard !phrases.isEmpty else { return [] }
    return [style.paint(MeasuringConditions.title, .bold)]
      + phrases.flatMap { style.wrapped($0.plain, indent: 2) }
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
      ? style.wrapped("Interrupted.").map { style.paint($0, .boldWarning) }
      : []
    return style.wrapped(sentence).map { style.paint($0, ink) } + why + stop + buildLog
  }

  /// Why the culprit is slower or faster; why that is not known only where more is asked for.
  private var why: [String] {
    if let told = summary.explanation?.told { return style.wrapped("why: \(told.why.printable)") }
    guard isVerbose, let reason = summary.explanationFailure else { return [] }
    return style.wrapped("why: \(reason.printable)")
      .map { style.paint($0, .dim) }
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
    return table.width <= min(style.width, Self.widestTable)
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

/// How far a bisection is, on one line.
package struct BisectProgressText {
  private let progress: BisectProgress
  private let words: BisectWords?

  /// Creates the line.
  ///
  /// - Parameters:
  ///   - progress: How far it is.
  ///   - start: What is bisected; without it revisions are called by their number.
  package init(_ progress: BisectProgress, start: BisectStart? = nil) {
    self.progress = progress
    words = start.map(BisectWords.init)
  }

  /// Such as `search: 12 commits left, 1a2b3c4d5e6f has 62.0 %; about 3 builds, up to 6 minutes left`.
  ///
  /// - Returns: A phrase without line feeds and colours.
  package func rendered() -> String {
    let parts = ["\(phase): \(range)", left].filter { !$0.isEmpty }
    return parts.joined(separator: "; ").printable
  }

  private var phase: String {
    switch progress.phase {
    case .ends: "good against bad"
    case .search: "search"
    case .confirmation: "confirmation"
    case .others: "other changes"
    case .done: "done"
    }
  }

  private var range: String {
    guard let remaining = progress.remaining else { return "is there a difference" }
    let size = words?.count(remaining.count) ?? Quantity.count(remaining.count, "revision")
    guard let best = progress.best else { return "\(size) left" }
    let commits = words?.start.commits(changing: best) ?? best
    let ends = Set([commits.lowerBound, commits.upperBound]).sorted()
    let name = ends.map { words?.short($0) ?? "#\($0)" }.joined(separator: "..")
    return "\(size) left, \(name) has \(BisectWords.probability(progress.probability))"
  }

  private var left: String {
    guard progress.phase != .done else { return "" }
    let builds = Int(clamping: min(max(0, progress.buildsLeft), 1e6).rounded(.up))
    let parts = [
      builds > 0 ? "about \(Quantity.count(builds, "build"))" : nil,
      progress.secondsLeft.map(BisectWords.estimate),
    ].compactMap(\.self)
    return parts.isEmpty ? "" : "\(parts.joined(separator: ", ")) left"
  }
}

extension BisectSummary {
  /// The answer in one sentence without a full stop.
  package var headline: String { BisectSentence(self).answer.plain }

  /// The command that goes on with more than was allowed, or after an interruption; nil where the
  /// search has come to its end.
  package var resumption: String? {
    let commands = BisectCommands(self)
    let words = isInterrupted ? commands.resumption() : commands.prolongation
    return words.map { ShellQuoting.text($0).printable }
  }

  /// The limit that has ended the search, for a culprit or for others beside it.
  var limitReached: BisectObstacle? {
    let obstacle: BisectObstacle?
    switch answer.outcome {
    case .inconclusive(let reason): obstacle = reason
    case .found: obstacle = answer.unsearched.lazy.compactMap(\.limit).first
    case .refused(.notEstablished): return answer.launchesToGoOn == nil ? nil : .launchesSpent
    case .refused, .failed: obstacle = nil
    }
    return [.launchesSpent, .buildsSpent, .timeSpent].contains(obstacle) ? obstacle : nil
  }
}
