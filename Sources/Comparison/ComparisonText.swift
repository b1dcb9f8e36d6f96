import Foundation
import LaunchCore
import LaunchHost
import LaunchStatistics
package import Measuring
package import Rendering

/// The result of a comparison as a terminal shows it: one sentence, then the table.
package struct ComparisonText {
  private let findings: [ComparisonFinding]
  private let style: TextStyle
  private let counted: (one: String, plural: String)

  /// How the launches of each finding are distributed; none where they are not known.
  private let distributions: [LaunchDistributions]
  private let isVerbose: Bool

  /// The lines that say what was compared, and where.
  private let facts: [String]

  /// Why the run as a whole is not what it should be, if so.
  private let alarms: [String]

  /// Shows targets that were launched in the same blocks.
  ///
  /// - Parameters:
  ///   - summary: The result.
  ///   - style: How the text is shown.
  ///   - isVerbose: Whether the launches of both sides are drawn in the text; they always are in Markdown.
  package init(_ summary: ComparisonSummary, style: TextStyle, isVerbose: Bool = false) {
    let run = RunFacts(summary.run)
    findings = summary.findings
    distributions = Self.distributions(summary.findings, summary.launches)
    self.isVerbose = isVerbose
    self.style = style
    counted = ("pair", "pairs")
    alarms = [run.unfinished, run.inconclusive].compactMap(\.self)
    facts =
      Self.medians(findings) + Self.legend(summary)
      + ["run \(summary.run.run.id) · \(run.startedAt)", run.order, run.host]
  }

  /// Shows two runs that were made before.
  package init(_ comparison: StoredComparison, style: TextStyle, isVerbose: Bool = false) {
    findings = comparison.findings
    distributions = Self.distributions(comparison.findings, comparison.launches)
    self.isVerbose = isVerbose
    self.style = style
    counted = ("launch of each", "launches of each")
    alarms = []
    let runs = [("before", comparison.baseline), ("after", comparison.candidate)]
    let nights = comparison.arms.map(\.nights).min() ?? 0
    facts =
      runs.map { name, run in
        let build = run.build.map { " · commit \($0.commit.prefix(12))" } ?? ""
        return "\(name): run \(run.id) of \(run.plan.scenario.name.printable), "
          + "\(Quantity.instant(run.startedAt))\(build)"
      } + [
        "not interleaved; the scatter between runs is taken from "
          + Quantity.count(nights, "other night"), comparison.candidate.host.phrase,
      ]
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let drawn = isVerbose ? distributions.map { $0.lines(style: style) } : []
    return Self.joined([answer, table.lines()] + drawn + [footer], style)
  }

  private static func distributions(
    _ findings: [ComparisonFinding],
    _ launches: [ComparedLaunches]
  ) -> [LaunchDistributions] {
    zip(findings, launches).compactMap { finding, launches in
      launches.distributions(
        "\(finding.metric.label), \(finding.state.rawValue)",
        sides: finding.pair.sides,
        unit: finding.metric.unit,
        threshold: finding.tail?.threshold
      )
    }
  }

  /// Parts with an empty line between them.
  private static func joined(_ parts: [[String]], _ style: TextStyle = TextStyle()) -> String {
    parts.filter { !$0.isEmpty }.map { $0.joinedLines(style) }.joined(separator: "\n")
  }

  private var table: ComparisonTable {
    ComparisonTable(
      findings,
      counting: counted.one == "pair" ? "pairs" : "launches",
      style: style
    )
  }

  /// The same as Markdown, for a comment on a pull request: the sentence, the table, how the launches of
  /// both sides are distributed, and folded what was launched and where.
  ///
  /// - Returns: Markdown, with a line feed after every line.
  package func markdown() -> String {
    let details =
      ["<details>", "<summary>What was launched</summary>", ""]
      + facts.map { "- \(MarkdownTable.escaped($0))" } + ["", "</details>"]
    return Self.joined(
      [headline, alarms.map(MarkdownTable.escaped), table.markdown()]
        + [LaunchDistributions.markdown(distributions), details]
    )
  }

  private var headline: [String] {
    guard let deciding = findings.deciding else { return ["### ⚪ There is nothing to compare"] }
    let symbol =
      switch deciding.verdict {
      case .regression: "🔴"
      case .inconclusive: "🟠"
      case .improvement: "🔵"
      case .same: "🟢"
      }
    return ["### \(symbol) \(MarkdownTable.escaped(sentence(of: deciding)))"]
      + (counts.isEmpty ? [] : [""] + counts)
  }

  private func sentence(of finding: ComparisonFinding) -> String {
    ComparisonWords(finding).sentence(
      counting: (counted.one, plural: counted.plural),
      isPlaced: Set(findings.map(\.state)).count > 1
    )
  }

  /// The sentence of the deciding comparison, and how many verdicts there are of each kind.
  private var answer: [String] {
    guard let deciding = findings.deciding else {
      return [style.paint("The runs have no series in common.", .boldWarning)]
    }
    let ink: TextStyle.Ink =
      switch deciding.verdict {
      case .regression: .boldFailure
      case .inconclusive: .boldWarning
      case .improvement, .same: .bold
      }
    return alarms.flatMap { style.wrapped($0) }.map { style.paint($0, .boldFailure) }
      + style.wrapped(sentence(of: deciding)).map { style.paint($0, ink) } + counts
  }

  /// Such as `of 4 comparisons: 1 regression, 3 same`; nothing for one comparison.
  private var counts: [String] {
    guard findings.count > 1 else { return [] }
    let order: [Verdict] = [.regression, .inconclusive, .improvement, .same]
    let texts = order.compactMap { verdict -> String? in
      let count = findings.count { $0.verdict == verdict }
      return count == 0 ? nil : "\(count) \(verdict.rawValue)"
    }
    return style.wrapped("of \(findings.count) comparisons: \(texts.joined(separator: ", "))")
  }

  private var footer: [String] {
    facts.flatMap { style.wrapped($0, indent: 2) }.map { style.paint($0, .dim) }
  }

  /// Why a time after is not the median of the launches that it is of.
  private static func medians(_ findings: [ComparisonFinding]) -> [String] {
    let medians = findings.compactMap { finding -> String? in
      guard let medians = ComparisonWords(finding).medians else { return nil }
      let place = findings.count > 1 ? " (\(finding.state.rawValue), \(finding.metric.label))" : ""
      return medians + place
    }
    guard !medians.isEmpty else { return [] }
    return [
      "times: the median before, and after it the same times the ratio of pairs; medians of all launches: "
        + medians.joined(separator: "; ")
    ]
  }

  /// The command of each target.
  private static func legend(_ summary: ComparisonSummary) -> [String] {
    summary.run.run.plan.scenario.targets.map { target in
      "\(target.name.printable): \(ShellQuoting.text(target.words).printable)"
    }
  }
}

/// All comparisons for a terminal, one line each, or one phrase each where the table is too wide.
struct ComparisonTable {
  private let findings: [ComparisonFinding]
  private let counted: String
  private let style: TextStyle

  /// - Parameters:
  ///   - findings: In the order they are shown.
  ///   - counted: What the values of each side are called, such as `pairs`.
  ///   - style: How the table is shown.
  init(_ findings: [ComparisonFinding], counting counted: String, style: TextStyle) {
    self.findings = findings
    self.counted = counted
    self.style = style
  }

  func lines() -> [String] {
    guard !findings.isEmpty else { return [] }
    let table = TextTable(
      columns: (isNamed ? [.left, .left] : [.left]) + (hasMetrics ? [.left] : [])
        + [.decimal, .decimal, .decimal, .left, .left, .right, .decimal],
      rows: [titles.map { TextTable.Cell($0, .dim) }] + findings.map(row)
    )
    return table.width <= style.width ? table.lines(style: style) : findings.flatMap(phrases)
  }

  /// The table as Markdown lines; empty for no findings.
  func markdown() -> [String] {
    guard !findings.isEmpty else { return [] }
    let texts = (isNamed ? 2 : 1) + (hasMetrics ? 1 : 0)
    return MarkdownTable(
      titles: titles.map(MarkdownTable.escaped),
      textColumns: Set(0..<texts).union([texts + 4]),
      rows: findings.map { row($0).map { MarkdownTable.escaped($0.text) } }
    ).lines
  }

  /// Whether several pairs are shown, so that each line names its own.
  private var isNamed: Bool { Set(findings.map(\.pair)).count > 1 }

  private var hasMetrics: Bool { findings.contains { $0.metric != .launch } }

  private var titles: [String] {
    let sides =
      isNamed
      ? ["before", "after"]
      : findings.first.map {
        [$0.pair.sides.baseline, $0.pair.sides.candidate]
      } ?? []
    return (isNamed ? ["compared", "state"] : ["state"]) + (hasMetrics ? ["metric"] : []) + sides
      + ["change", "interval", "verdict", counted, "detects"]
  }

  private func row(_ finding: ComparisonFinding) -> [TextTable.Cell] {
    (isNamed ? [TextTable.Cell(finding.pair.phrase)] : [])
      + [TextTable.Cell(finding.state.rawValue)]
      + (hasMetrics ? [TextTable.Cell(finding.metric.rawValue)] : [])
      + figures(of: finding).map { TextTable.Cell($0.text, $0.ink) }
  }

  private typealias Figure = (title: String, text: String, ink: TextStyle.Ink?)

  private func figures(of finding: ComparisonFinding) -> [Figure] {
    let words = ComparisonWords(finding)
    let sides = words.sides
    return [
      ("before", sides[0], nil),
      ("after", sides[1], nil),
      ("change", words.change, nil),
      ("interval", words.interval ?? Quantity.none, nil),
      ("verdict", words.verdict, ink(finding.verdict)),
      (counted, count(of: finding), nil),
      ("detects", finding.smallestDetectable.map(Quantity.percent) ?? Quantity.none, nil),
    ]
  }

  /// A line with what is compared and the verdict, and one with the numbers.
  private func phrases(_ finding: ComparisonFinding) -> [String] {
    let figures = figures(of: finding)
    let metric = hasMetrics ? " \(finding.metric.rawValue)" : ""
    let head = "\(finding.pair.phrase) \(finding.state.rawValue)\(metric): "
    let numbers = figures.filter { $0.title != "verdict" }
      .map { Self.unbroken("\($0.title) \($0.text)") }.joined(separator: ", ")
    return [head + style.paint(finding.verdict.rawValue, ink(finding.verdict))]
      + style.wrapped("    " + numbers, indent: 4).map { $0.replacing("\u{A0}", with: " ") }
  }

  private func count(of finding: ComparisonFinding) -> String {
    finding.unpaired == 0
      ? "\(finding.count)" : "\(finding.count)/\(finding.count + finding.unpaired)"
  }

  private func ink(_ verdict: Verdict) -> TextStyle.Ink? {
    switch verdict {
    case .regression: .boldFailure
    case .improvement: .success
    case .inconclusive: .warning
    case .same: nil
    }
  }

  /// The text with spaces at which no line is broken.
  private static func unbroken(_ text: String) -> String { text.replacing(" ", with: "\u{A0}") }
}

/// What a comparison found, in sentences.
struct ComparisonWords {
  private let finding: ComparisonFinding

  init(_ finding: ComparisonFinding) { self.finding = finding }

  /// The verdict in one sentence with its numbers, such as
  /// `B is 8.1 % slower than A (95 % interval +6.9 % to +9.4 %, 50 pairs)`.
  ///
  /// - Parameters:
  ///   - unit: What `count` counts: `pair`, or `launch` of each side.
  ///   - isPlaced: Whether the state is named, as where there are several.
  /// - Returns: A sentence without a full stop.
  func sentence(counting unit: (String, plural: String), isPlaced: Bool) -> String {
    let place = isPlaced ? " in the state \(finding.state.rawValue)" : ""
    let metric = finding.metric == .launch ? "" : " in \(finding.metric.rawValue)"
    let bounds = interval.map { "\(confidence) interval \($0)" }
    let count = Quantity.count(finding.count, unit.0, plural: unit.plural)
    if let decisiveTail { return decisiveTail.sentence(at: metric + place, counting: unit) }
    let facts = [bounds, count].compactMap(\.self).joined(separator: ", ")
    return "\(statement)\(metric)\(place) (\(facts))\(reason)"
  }

  /// Who is what compared with whom.
  private var statement: String {
    let (baseline, candidate) = finding.pair.sides
    return switch finding.verdict {
    case .regression, .improvement: "\(candidate) \(difference) \(baseline)"
    case .same:
      "\(candidate) and \(baseline) are the same within \(Quantity.percent(finding.rule.effectLimit))"
        + (finding.tail.map { ", with at most \(Quantity.percent($0.atMost)) more launches slow" }
          ?? "")
    case .inconclusive where finding.doubt == .slowLaunches:
      "\(candidate) and \(baseline) are inconclusive: the typical launch \(typical)"
    case .inconclusive:
      "\(candidate) and \(baseline) are inconclusive: neither different nor equivalent"
    }
  }

  /// What is known of the typical launch where slow launches are open.
  private var typical: String {
    let isFaster = finding.interval.map { $0.high < 1 / (1 + finding.rule.effectLimit) } ?? false
    return isFaster ? "is faster (\(change))" : "is the same within \(limit)"
  }

  /// Such as `is 8.1 % slower than`, or `takes 28 times as long as`.
  private var difference: String {
    let ratio = finding.ratio ?? 1
    let isMore = ratio > 1
    let isTime = finding.metric.unit == .nanoseconds
    if isMore, ratio >= Self.largest {
      return
        "\(isTime ? "takes" : "is") \(Self.times(ratio)) times as \(isTime ? "long" : "high") as"
    }
    if isTime, 1 / ratio >= Self.largest { return "is \(Self.times(1 / ratio)) times as fast as" }
    let word = isTime ? (isMore ? "slower" : "faster") : (isMore ? "higher" : "lower")
    return "is \(Quantity.percent(abs(ratio - 1))) \(word) than"
  }

  /// From which ratio on nobody thinks in percent.
  private static let largest = 3.0

  static func times(_ ratio: Double) -> String {
    String(format: ratio < 9.95 ? "%.1f" : "%.0f", ratio)
  }

  /// Why there is no verdict, and what would have been seen.
  private var reason: String {
    guard finding.verdict == .inconclusive else { return "" }
    let detectable = finding.doubt == .slowLaunches ? nil : finding.smallestDetectable
    let seen = detectable.map { "an effect of \(Quantity.percent($0)) would have been detected" }
    return ": " + [doubt, seen, needed].compactMap(\.self).joined(separator: "; ")
  }

  /// What is to be said of slow launches beside a table.
  var slowLaunches: String? {
    decisiveTail?.sentence(at: "", counting: ("pair", plural: "pairs"))
      ?? (finding.doubt == .slowLaunches ? doubt : nil)
  }

  /// What is said of slow launches where they decide.
  private var decisiveTail: TailWords? {
    finding.tail.map { TailWords($0, of: finding) }.flatMap { $0.isDecisive ? $0 : nil }
  }

  /// How many pairs it would take, where more of them would help.
  private var needed: String? {
    guard let needed = finding.pairsNeeded, needed > finding.count else { return nil }
    let pairs = "about \(OutlookText.rounded(needed)) pairs would"
    return switch finding.doubt {
    case .slowLaunches: "\(pairs) exclude them"
    case .wideInterval: "\(pairs) detect \(limit)"
    default: nil
    }
  }

  private var limit: String { Quantity.percent(finding.rule.effectLimit) }

  private var doubt: String {
    switch finding.doubt {
    case .fewPairs?:
      let fewest = PairedRatio.fewestPairs(confidence: finding.rule.confidence)
      return "fewer than \(fewest) blocks have an accepted value of both"
    case .belowNoiseFloor?:
      let floor = finding.rule.noiseFloor.map(Quantity.percent) ?? "that"
      return "the difference is below the noise floor of this host, \(floor)"
    case .slowLaunches?:
      guard let tail = finding.tail else {
        return "fewer than \(TailComparison.fewestPairs) pairs say nothing of slow launches"
      }
      let most = max(tail.atMost, tail.atMostOfBaseline)
      return most > tail.limit
        ? "up to \(Quantity.percent(most)) more slow launches are not excluded"
        : "there may be more slow launches"
    case .disturbed?: return "too many launches were disturbed"
    case .notInterleaved?:
      return
        "the runs were not interleaved, and there are too few nights to know how much runs differ"
    case .differentHosts?: return "the runs are of different hosts"
    case .differentControls?: return "the runs had different controls"
    case .wideInterval?, nil:
      guard let interval = finding.interval else { return "there is no interval" }
      let isDifference = interval.low > 1 || interval.high < 1
      return isDifference
        ? "there is a difference, but it may be within \(limit)"
        : "the interval crosses the limit of \(limit)"
    }
  }

  /// What stands for both sides.
  var sides: [String] {
    let sides = finding.sides
    return Quantity.texts([sides.baseline, sides.candidate], finding.metric.unit)
  }

  /// The medians of all launches where they look otherwise than what stands for both sides.
  var medians: String? {
    let medians = Quantity.texts(
      [finding.baselineMedian, finding.candidateMedian],
      finding.metric.unit
    )
    guard medians != sides else { return nil }
    let names = finding.pair.sides
    return "\(names.baseline) \(medians[0]), \(names.candidate) \(medians[1])"
  }

  /// The ends of the interval as changes, such as `+6.9 % to +9.4 %`.
  var interval: String? {
    finding.interval.map { "\(Self.change($0.low)) to \(Self.change($0.high))" }
  }

  /// Such as `95 %`.
  var confidence: String {
    let percent = 100 * finding.rule.overallConfidence
    let isWhole = abs(percent - percent.rounded()) < 0.005
    return String(format: isWhole ? "%.0f %%" : "%.1f %%", percent)
  }

  /// The ratio as a change, such as `+8.1 %`; a dash where there is none.
  var change: String { finding.ratio.map(Self.change) ?? Quantity.none }

  var verdict: String { finding.verdict.rawValue }

  /// A ratio as the change that it stands for, with a sign, such as `−3.2 %` or `×28`.
  static func change(_ ratio: Double) -> String {
    if ratio >= largest { return "×\(times(ratio))" }
    let share = ratio - 1
    let text = Quantity.percent(abs(share))
    guard text != Quantity.percent(0) else { return "±\(text)" }
    return Quantity.signed(share) { _ in text }
  }
}

/// Why no verdict is likely, and what would help.
package struct OutlookText {
  private let outlook: ComparisonOutlook

  package init(_ outlook: ComparisonOutlook) { self.outlook = outlook }

  /// One line without a full stop.
  package var line: String {
    let (limit, time) = (Quantity.percent(outlook.effectLimit), outlook.time)
    let seen = Quantity.percent(outlook.detectable)
    return "no verdict is likely within \(Self.duration(time)): at this noise "
      + "\(Self.rounded(outlook.pairs)) pairs show differences from \(seen); to tell \(limit) apart "
      + "takes about \(Self.rounded(outlook.pairsNeeded)) (--max-time "
      + "\(Self.option(outlook.timeNeeded))), or a quieter machine (see `launchlab doctor`)"
  }

  /// A number of pairs with two significant digits.
  static func rounded(_ pairs: Int) -> String {
    var unit = 1
    while pairs / unit >= 100 { unit *= 10 }
    return "\((pairs + unit / 2) / unit * unit)"
  }

  private static func duration(_ time: Nanoseconds) -> String {
    Quantity.duration(seconds: Double(time.count) / 1e9)
  }

  /// The next full minute, as the option is written; hours where there are many.
  private static func option(_ time: Nanoseconds) -> String {
    let minutes = (Double(time.count) / 60e9).rounded(.up)
    return minutes < 120
      ? "\(Int(clamping: minutes))m" : "\(Int(clamping: (minutes / 60).rounded(.up)))h"
  }
}

extension ComparedPair {
  /// What the two sides are called; a target of two runs has one name, and so a time beside it.
  var sides: (baseline: String, candidate: String) {
    guard baseline == candidate else { return (baseline.printable, candidate.printable) }
    return ("\(baseline.printable) before", "\(candidate.printable) after")
  }

  /// Both sides as a phrase.
  var phrase: String {
    baseline == candidate
      ? candidate.printable : "\(candidate.printable) against \(baseline.printable)"
  }
}
