import LaunchCore
import Rendering

/// The first reason of a difference in one sentence, for reports on something else.
package struct WhySentence {
  private let result: ExplanationResult

  package init(_ result: ExplanationResult) { self.result = result }

  /// Such as `scan_plugins (new), openat plugins/ 0 → 40: +0.34 of +0.46 ms (73 %)`; nil where there
  /// is no difference to explain.
  package var plain: String? {
    slow
      ?? told.map { told in
        let reason = told.reason.map { reason in
          let blame = ExplanationWords.leadingBlame(of: reason)?.replacing("`", with: "")
          return (blame ?? ExplanationWords.title(of: reason)) + told.evidence
        }
        return (reason ?? Self.nothing) + told.rest
      }
  }

  /// The same on one line of Markdown, such as `` `scan_plugins` (new): +0.34 of +0.46 ms``.
  package var markdown: String? {
    slow.map(MarkdownTable.escaped)
      ?? told.map { told in
        let reason = told.reason.map {
          (ExplanationWords.leadingBlame(of: $0) ?? ExplanationWords.markdown(of: $0))
            + MarkdownTable.escaped(told.evidence)
        }
        return (reason ?? Self.nothing) + told.rest
      }
  }

  /// How many launches are slow and why; nil where that was not asked, or there are no two kinds.
  private var slow: String? {
    result.slow.flatMap { $0.gap == nil ? nil : SlowSentence($0, result).statement }
  }

  private static let nothing = "no reason was found"

  /// The largest reason, what shows that it is one, and how much of the difference it is.
  private var told: (reason: LaunchReason?, evidence: String, rest: String)? {
    guard result.outcome == .different else { return nil }
    let difference = result.explanation.difference.traced.difference
    let numbers = ExplanationNumbers(for: difference)
    let named = result.explanation.reasons.filter(\.isSpecific)
    guard let reason = named.first else { return (nil, "", " for \(numbers.signed(difference))") }
    let evidence = ExplanationWords.evidence(
      of: reason,
      atMost: 1,
      libraries: result.explanation.libraries
    ).map { ", \($0)" }.joined()
    let share = reason.share.map { " (\(ExplanationNumbers.percent($0)))" } ?? ""
    let time = numbers.signedNumber(Double(reason.change.difference.count))
    let more = named.count - 1
    let others = more > 0 ? "; \(Quantity.count(more, "more reason"))" : ""
    return (reason, evidence, ": \(time) of \(numbers.signed(difference))\(share)\(others)")
  }
}
