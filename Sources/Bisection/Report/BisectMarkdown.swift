import Foundation
import History
import LaunchCore
import Measuring
import Rendering
import Stages

/// The report of a bisection in Markdown, to be put into an issue.
///
/// The same result gives the same bytes.
package struct BisectMarkdown {
  private let summary: BisectSummary
  private let words: BisectWords
  private let isBesideLog: Bool

  /// - Parameters:
  ///   - summary: What is reported.
  ///   - isBesideLog: Whether the report is in the directory of the log, where pictures are.
  package init(_ summary: BisectSummary, isBesideLog: Bool = false) {
    self.summary = summary
    self.isBesideLog = isBesideLog
    words = BisectWords(summary.start)
  }

  /// The report, with a line feed after every line.
  package func rendered() -> String {
    let warnings = WarningsMarkdown(warnings: summary.told + summary.warnings).lines
    let sections =
      [answer, facts, changes] + culprits + [
        reasons, steps, remarks, warnings, method, conditions, commands,
      ]
    return sections.filter { !$0.isEmpty }.map { $0.joinedLines() }
      .joined(separator: "\n")
  }

  // MARK: - The answer

  private var answer: [String] {
    ["# \(headline.markdown)", "", BisectSentence(summary).answer.markdown + "."]
      + (summary.explanation.map { ["", $0.told.markdown] } ?? []) + buildLog
  }

  private var headline: Phrase {
    guard let culprit = summary.answer.culprits.first else {
      return "Bisection of \(summary.start.range.truncated(to: 80)): \(summary.answer.outcome.name)"
    }
    let what = culprit.effect.estimate > 0 ? "Regression" : "Improvement"
    let change = BisectWords.change(culprit.effect.estimate)
    let last = culprit.newest
    let subject = summary.start.revisions[last].subject.truncated(to: 80)
    guard culprit.revisions.count == 1 else {
      return
        "\(raw: what) of \(raw: change) in one of \(raw: words.count(culprit.revisions.count))"
    }
    return "\(raw: what) of \(raw: change) in \(words.short(last)): \(subject)"
  }

  private var buildLog: [String] {
    guard !summary.buildLogTail.isEmpty else { return [] }
    return [""] + summary.buildLogTail.map { "    \($0.printable)" }
  }

  private var facts: [String] {
    var rows: [(String, String)] = []
    if let culprit = summary.answer.culprits.first {
      rows += culpritRows(culprit)
    }
    rows.append(("measured", "\(words.measure) of \(words.arm)"))
    if let difference = summary.answer.difference {
      rows.append(
        (
          "bad against good",
          "\(BisectWords.change(difference.estimate)), 99 % interval \(BisectWords.bounds(difference))"
        )
      )
    }
    if let medians = words.medians(of: summary) { rows.append(("good and bad", medians)) }
    if let interval = summary.interval, summary.answer.culprits.isEmpty {
      let ends = [interval.lowerBound, interval.upperBound].map(words.short)
      rows.append(("95 % range", "\(ends[0]) to \(ends[1]), \(words.count(interval.count))"))
    }
    let ends = [0, summary.start.revisions.count - 1].map(words.short)
    rows += [
      ("range", "\(ends[0]) to \(ends[1]), \(words.count(summary.start.revisions.count - 1))"),
      ("work", BisectSentence(summary).work),
    ]
    return MarkdownTable(
      titles: ["fact", "value"],
      textColumns: [0, 1],
      rows: rows.map { [$0.0, MarkdownTable.escaped($0.1)] }
    ).lines
  }

  private func culpritRows(_ culprit: BisectCulprit) -> [(String, String)] {
    let last = summary.start.revisions[culprit.newest]
    let isOne = culprit.revisions.count == 1
    let ids = culprit.revisions.prefix(10).map { summary.start.revisions[$0].id }
    let author = [last.author?.truncated(to: 60), last.authoredAt.map(\.utcDay)]
      .compactMap(\.self).joined(separator: ", ")
    let change = BisectWords.change(culprit.effect.estimate)
    let rows: [(String, String?)] = [
      (isOne ? words.noun : "one of", ids.joined(separator: ", ")),
      ("author", isOne && !author.isEmpty ? author : nil),
      ("parent", summary.start.revisions[culprit.parent].id),
      ("change", "\(change), 95 % interval \(BisectWords.bounds(culprit.effect))"),
      ("probability", BisectWords.probability(culprit.probability)),
      ("part of the difference", culprit.share.flatMap { $0 > 0 ? BisectWords.percent($0) : nil }),
    ]
    return rows.compactMap { name, value in value.map { (name, $0) } }
  }

  // MARK: - Evidence

  private var steps: [String] {
    let steps = BisectSteps(summary)
    let table = steps.markdown
    guard !table.isEmpty else { return [] }
    let faults = steps.faults.map { "- \($0.markdown)" }
    return ["## Steps", ""] + curve + table + (faults.isEmpty ? [] : [""] + faults)
  }

  /// The levels of the builds in the order of the range, as a line of blocks.
  private var curve: [String] {
    let levels = summary.answer.levels
    guard levels.count > 2 else { return [] }
    let line = Sparkline(values: levels.map { Self.height(of: $0.level.estimate) }).text
    return ["Levels from good to bad: `\(line)`", ""]
  }

  /// Bounded, so that no number is too large to be drawn.
  private static func height(of level: Double) -> Double { exp(min(max(level, -20), 20)) }

  private var changes: [String] {
    let table = ChangeTable(summary).markdown
    return table.isEmpty ? [] : ["## Changes", ""] + table
  }

  /// What each culprit changes, where its builds are, and what differs in their stages.
  private var culprits: [[String]] {
    zip(summary.answer.culprits, summary.details).enumerated().flatMap { index, known in
      let (culprit, details) = known
      let isOnly = summary.answer.culprits.count == 1
      let name = isOnly ? nil : words.short(culprit.newest)
      let table = StageDifferenceTable(details.stageChanges)
      let title = BisectWords.stagesTitle(of: name)
      return [
        CulpritContents(details, words).markdown(of: name),
        table.isEmpty ? [] : ["## \(MarkdownTable.escaped(title))", ""] + table.markdown,
        builds(of: index, name),
      ]
    }
  }

  /// Where both builds are, and how they are compared.
  private func builds(of index: Int, _ name: String?) -> [String] {
    guard let builds = summary.details[index].builds else { return [] }
    let comparison = BisectCommands(summary).comparison(index).map {
      "- compare both: \(Phrase.code(ShellQuoting.text($0).printable))"
    }
    return ["## Builds\(name.map { " of \(MarkdownTable.escaped($0))" } ?? "")", ""]
      + [
        "- parent: \(Phrase.code(builds.parent.place))",
        "- \(words.noun): \(Phrase.code(builds.culprit.place))",
      ]
      + [comparison].compactMap(\.self)
      + BisectCommands(summary).inside(index).map {
        "- find the commit inside the merge: \(Phrase.code(ShellQuoting.text($0).printable))"
      }
  }

  /// All that explains the culprit.
  private var reasons: [String] {
    guard let explanation = summary.explanation else { return [] }
    let section = explanation.told.section.split(separator: "\n", omittingEmptySubsequences: false)
    let picture = explanation.flameGraph.map { path in
      isBesideLog
        ? "[Flame graph of the difference](\(URL(filePath: path).lastPathComponent))"
        : "Flame graph of the difference: \(Phrase.code(path))"
    }
    return ["## Why", ""] + section.dropLast().map(String.init)
      + (picture.map { ["", $0] } ?? [])
  }

  private var conditions: [String] {
    let phrases = MeasuringConditions(summary).phrases
    guard !phrases.isEmpty else { return [] }
    return ["## \(MeasuringConditions.title)", ""] + phrases.map { "- \($0.markdown)." }
  }

  private var remarks: [String] {
    let phrases = BisectRemarks(summary).phrases
    return phrases.isEmpty ? [] : ["## Also", ""] + phrases.map { "- \($0.markdown)." }
  }

  // MARK: - Method

  private var method: [String] {
    let start = summary.start
    let parameters = start.parameters
    let confidence = BisectWords.percent(parameters.confidence)
    let host = start.fingerprint.isEmpty ? "not known" : start.fingerprint
    return [
      "## How it was measured", "",
      "- Every candidate is launched in turn with its nearest built neighbours, every second "
        + "round in reverse order; only differences within a round count.",
      "- \(words.start.artifacts == nil ? "A" : "An") \(words.noun) is named when it holds the change with at least \(confidence), and new "
        + "launches of it and its parent confirm it.\(smallest)",
      "- Nothing is drawn at random: the same log gives the same decisions.",
      "- Host: \(MarkdownTable.escaped(host)), launchlab \(MarkdownTable.escaped(start.launchlabVersion)).",
    ]
      + (start.controls.map { ControlWishes($0).lines(style: TextStyle(width: 1000)) }
      ?? [])
      .map { line in
        let indentation = line.prefix { $0 == " " }
        return "\(indentation)- \(MarkdownTable.escaped(String(line.dropFirst(indentation.count))))"
      }
  }

  /// What was not looked for; nothing where smaller changes than that were named.
  private var smallest: String {
    let least = summary.start.parameters.minimumEffect
    let isKept = summary.answer.culprits.allSatisfy { abs($0.effect.estimate) >= least }
    return isKept ? " Changes below \(BisectWords.size(least)) are ignored." : ""
  }

  private var commands: [String] {
    ["## Commands", ""]
      + BisectCommands(summary).all.map { "- \($0.purpose): \(Phrase.code($0.command))" }
  }
}
