import LaunchCore
import LaunchStatistics
import Rendering

/// An explanation in Markdown, for a report or a comment on a pull request.
package struct ExplanationMarkdown {
  private let result: ExplanationResult

  package init(_ result: ExplanationResult) { self.result = result }

  /// The sentence, the reasons as a table, and how they were measured, with a line feed after every
  /// line.
  package func rendered() -> String {
    let sections = [lead, table, comparison, method, warnings]
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }
      .joined(separator: "\n")
  }

  private var explanation: LaunchExplanation { result.explanation }

  // MARK: - The sentence

  /// The first reason in one sentence, such as
  /// ``**Why**: `scan_plugins` (new), openat plugins/ 0 → 40: +0.34 of +0.46 ms (73 %)``.
  ///
  /// - Returns: Markdown on one line; nil where there is no difference to explain.
  package func why() -> String? {
    guard result.outcome == .different else { return nil }
    let difference = explanation.difference.traced.difference
    let numbers = ExplanationNumbers(for: difference)
    guard let reason = explanation.reasons.first else {
      let whole = numbers.signed(difference)
      return "**Why**: not known; no part of \(whole) stands out"
    }
    let novelty = ExplanationWords.novelty(of: reason).map { " (\($0))" } ?? ""
    let evidence = ExplanationWords.evidence(
      of: reason,
      atMost: 1,
      libraries: explanation.libraries
    ).map { ", \(MarkdownTable.escaped($0))" }.joined()
    let share = reason.share.map { " (\(ExplanationNumbers.percent($0)))" } ?? ""
    let time =
      "\(numbers.signedNumber(Double(reason.change.difference.count))) of \(numbers.signed(difference))"
    let more = explanation.reasons.count - 1
    let others = more > 0 ? "; \(Quantity.count(more, "more reason"))" : ""
    return "**Why**: \(Phrase.code(ExplanationWords.subject(of: reason)))\(novelty)\(evidence): "
      + "\(time)\(share)\(others)"
  }

  private var lead: [String] {
    let headline = ExplanationSentence(result).headline
    let ends = [", because", ", in"]
    let sentence = ends.first(where: headline.hasSuffix).map { headline.dropLast($0.count) }
    return ["### \(MarkdownTable.escaped(String(sentence ?? headline[...])))"]
      + (why().map { ["", $0] } ?? [])
  }

  // MARK: - The tables

  private var table: [String] { result.outcome == .single ? parts : reasons }

  private var reasons: [String] {
    guard !explanation.reasons.isEmpty else { return [] }
    let sizes = explanation.reasons.flatMap {
      [$0.change.before.magnitude, $0.change.after.magnitude, $0.change.difference.magnitude]
    }
    let numbers = ExplanationNumbers(for: sizes.max() ?? .zero)
    var rows = explanation.reasons.map { row($0, numbers) }
    if let rest = explanation.unattributed, let coverage = explanation.coverage {
      let difference = numbers.signedNumber(Double(rest.difference.count))
      rows.append(
        ["not attributed", "", "", difference, ExplanationNumbers.percent(1 - coverage.share), ""]
      )
    }
    let unit = numbers.symbol
    return MarkdownTable(
      titles: ["reason", "before, \(unit)", "after, \(unit)", "difference, \(unit)", "share"]
        + ["evidence"],
      textColumns: [0, 5],
      rows: rows
    ).lines
  }

  private func row(_ reason: LaunchReason, _ numbers: ExplanationNumbers) -> [String] {
    let half = reason.change.interval.map { " ± \(numbers.number(($0.high - $0.low) / 2))" }
    let novelty = ExplanationWords.novelty(of: reason).map { " (\($0))" } ?? ""
    let path = ExplanationWords.path(of: reason)
    let evidence = ExplanationWords.evidence(
      of: reason,
      atMost: 3,
      libraries: explanation.libraries
    ).joined(separator: "; ")
    let chain = path.count > 1 ? Phrase.code(CallPathText(path).text(width: 160)) : ""
    return [
      Phrase.code(ExplanationWords.subject(of: reason)) + novelty,
      numbers.number(reason.change.before), numbers.number(reason.change.after),
      numbers.signedNumber(Double(reason.change.difference.count)) + (half ?? ""),
      reason.share.map(ExplanationNumbers.percent) ?? Quantity.none,
      [chain, MarkdownTable.escaped(evidence)].filter { !$0.isEmpty }.joined(separator: "; "),
    ]
  }

  private var parts: [String] {
    let parts = LaunchParts(explanation)
    let numbers = ExplanationNumbers(for: parts.whole)
    let whole = Double(max(1, parts.whole.count))
    let named = parts.parts.filter { numbers.ticks($0.time) > 0 }.prefix(12).map { part in
      (part.name.isEmpty ? part.group : "\(part.group): \(part.name)", part.time)
    }
    let difference = explanation.difference
    let rest = named.reduce(difference.traced.after) { $0 - $1.1 }
    let rows =
      named + [
        ("smaller parts", rest), ("waiting for a processor", difference.queue.after),
        ("launchlab noticing that it is ready", difference.harness.after),
        ("in all, traced", parts.whole),
      ]
    return MarkdownTable(
      titles: ["part", "time, \(numbers.symbol)", "share"],
      textColumns: [0],
      rows: rows.map { name, time in
        let share = ExplanationNumbers.percent(Double(time.count) / whole)
        return [MarkdownTable.escaped(name), numbers.number(time), share]
      }
    ).lines
  }

  // MARK: - What else is known

  private var comparison: [String] {
    guard result.outcome != .single else { return [] }
    let likeness = LaunchLikeness(explanation)
    let same = likeness.same.joined(separator: ", ")
    let differs = likeness.unexplained.prefix(8).joined(separator: ", ")
    return (same.isEmpty ? [] : ["The same: \(MarkdownTable.escaped(same))."])
      + (differs.isEmpty ? [] : ["", "Differs without time: \(MarkdownTable.escaped(differs))."])
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
