import LaunchCore
import LaunchStatistics
import Rendering
import Stages

/// An explanation in Markdown, for a report or a comment on a pull request.
package struct ExplanationMarkdown {
  private let result: ExplanationResult

  package init(_ result: ExplanationResult) { self.result = result }

  /// The sentence, the reasons as a table, and how they were measured, with a line feed after every
  /// line.
  package func rendered() -> String {
    text([heading + (why().map { ["", $0] } ?? [])] + body + [warnings])
  }

  /// The same without the sentence, for a report that has it further above.
  ///
  /// - Parameter includesWarnings: Whether warnings follow, below a heading of the second level.
  /// - Returns: Markdown that begins with a heading of the third level, and has no other one.
  package func section(includesWarnings: Bool = true) -> String {
    text([heading] + body + (includesWarnings ? [warnings] : []))
  }

  /// What is between the heading and the warnings, then the same of slow launches.
  private var body: [[String]] {
    [table, modules, stages, comparison, method]
      + result.slowOnes.map(Self.init).flatMap { slow in
        [["**Slow launches**: \(slow.statement)"]] + slow.body
      }
  }

  private func text(_ sections: [[String]]) -> String {
    sections.filter { !$0.isEmpty }.map { $0.joinedLines() }
      .joined(separator: "\n")
  }

  private var explanation: LaunchExplanation { result.explanation }

  // MARK: - The sentence

  /// The first reason in one sentence, such as
  /// ``**Why**: `scan_plugins` (new), openat plugins/ 0 → 40: +0.34 of +0.46 ms (73 %)``.
  ///
  /// - Returns: Markdown on one line; nil where there is no difference to explain.
  package func why() -> String? { WhySentence(result).markdown.map { "**Why**: \($0)" } }

  private var heading: [String] { ["### \(statement)"] }

  private var statement: String { MarkdownTable.escaped(ExplanationSentence(result).statement) }

  // MARK: - The tables

  private var table: [String] { result.outcome == .single ? parts : reasons }

  private var reasons: [String] {
    guard !explanation.reasons.isEmpty else { return [] }
    let whole = explanation.difference.traced
    let numbers = ExplanationNumbers(forTableUpTo: max(whole.before, whole.after))
    var rows = explanation.reasons.filter(\.isSpecific).map { row($0, numbers) }
    if let rest = explanation.unattributed, let coverage = explanation.coverage {
      let difference = numbers.signedNumber(Double(rest.difference.count))
      rows.append(
        ["not attributed", "", "", difference, ExplanationNumbers.percent(1 - coverage.share), ""]
      )
    }
    rows += explanation.reasons.filter { !$0.isSpecific }.map { reason in
      var cells = row(reason, numbers)
      cells[0] = "of it \(cells[0])"
      return cells
    }
    rows.append(sum(numbers))
    let unit = numbers.symbol
    let sides = result.slow == nil ? ["before", "after"] : result.arms.map(\.name)
    return MarkdownTable(
      titles: ["reason"] + sides.map { "\($0), \(unit)" } + ["difference, \(unit)", "share"]
        + ["evidence"],
      textColumns: [0, 5],
      rows: rows
    ).lines
  }

  /// The whole difference of the launches that the reasons were found in.
  private func sum(_ numbers: ExplanationNumbers) -> [String] {
    let change = explanation.difference.traced
    let half = change.interval.map { " ± \(numbers.number(($0.high - $0.low) / 2))" }
    return [
      "in all, traced", numbers.number(change.before), numbers.number(change.after),
      numbers.signedNumber(Double(change.difference.count)) + (half ?? ""),
      explanation.coverage == nil ? "" : "100 %", "",
    ]
  }

  private func row(_ reason: LaunchReason, _ numbers: ExplanationNumbers) -> [String] {
    let half = reason.change.interval.map { " ± \(numbers.number(($0.high - $0.low) / 2))" }
    let path = ExplanationWords.path(of: reason)
    let facts = ExplanationWords.evidence(
      of: reason,
      atMost: 3,
      libraries: explanation.libraries
    )
    let evidence = ([ExplanationWords.blame(of: reason)].compactMap(\.self) + facts)
      .joined(separator: "; ")
    let chain = path.count > 1 ? Phrase.code(CallPathText(path).text(width: 160)) : ""
    return [
      ExplanationWords.markdown(of: reason),
      numbers.number(reason.change.before), numbers.number(reason.change.after),
      numbers.signedNumber(Double(reason.change.difference.count)) + (half ?? ""),
      reason.share.map(ExplanationNumbers.percent) ?? Quantity.none,
      [chain, MarkdownTable.escaped(evidence)].filter { !$0.isEmpty }.joined(separator: "; "),
    ]
  }

  private var parts: [String] {
    let shown = LaunchParts(result).shown(atMost: 12)
    return MarkdownTable(
      titles: ["part", "time, \(shown.numbers.symbol)", "share"],
      textColumns: [0],
      rows: shown.rows.map { row in
        let name = [row.group, row.name].filter { !$0.isEmpty }.joined(separator: ": ")
        return [
          MarkdownTable.escaped(name), shown.numbers.number(shown.numbers.time(ticks: row.ticks)),
          ExplanationNumbers.percent(shown.share(of: row)),
        ]
      }
    ).lines
  }

  private var modules: [String] { ModuleText(result)?.markdown ?? [] }

  private var stages: [String] {
    guard !result.stages.isEmpty else { return [] }
    return ["By stage:", ""]
      + (result.outcome == .single
        ? StagePartTable(result.stages).markdown : StageDifferenceTable(result.stages).markdown)
  }

  // MARK: - What else is known

  private var comparison: [String] {
    guard result.outcome != .single else { return [] }
    let likeness = LaunchLikeness(explanation)
    let same = likeness.same.joined(separator: ", ")
    let differs = likeness.unexplained.prefix(8).joined(separator: ", ")
    return (same.isEmpty ? [] : ["The same: \(MarkdownTable.escaped(same))."])
      + (differs.isEmpty
        ? [] : ["", "Also different: \(MarkdownTable.escaped(differs))."])
      + (ExplanationWords.codeLine(of: explanation, atMost: 5).map {
        ["", "\(MarkdownTable.escaped($0.prefix(1).uppercased() + $0.dropFirst()))."]
      } ?? [])
  }

  private var method: [String] {
    let commands = result.arms.map { arm in
      "- \(MarkdownTable.escaped(arm.name)): \(Phrase.code(ShellQuoting.text(arm.command)))"
    }
    let missing = result.collectors.compactMap { collector in
      collector.missing.map { "- no \(collector.kind.rawValue): \(MarkdownTable.escaped($0))" }
    }
    let text = MarkdownTable.escaped(ExplanationSentence(result).method)
    return ["<details>", "<summary>How it was measured</summary>", ""] + commands + ["- \(text)"]
      + missing + ["", "</details>"]
  }

  private var warnings: [String] { WarningsMarkdown(warnings: result.diagnostics).lines }
}
