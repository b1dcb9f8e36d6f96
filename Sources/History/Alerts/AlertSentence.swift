import Foundation
package import LaunchCore
import Rendering

/// One sentence that says what an alert is of: what, how much, since when, code or machine.
///
/// The dashboard, the terminal, the JSON and the notifiers say it in the same words.
package struct AlertSentence: Hashable, Sendable {
  private let alert: Alert
  private let nights: [Night]

  /// - Parameters:
  ///   - alert: What is told.
  ///   - nights: Those of the scenario, for the commit of the onset; the day is known without them.
  package init(_ alert: Alert, nights: [Night] = []) {
    self.alert = alert
    self.nights = nights
  }

  /// The sentence, without a full stop.
  package var text: String { "\(subject) \(change), since \(onset): \(conclusion)" }

  /// The series, such as `server warm: launch`.
  package var subject: String {
    let arm = "\(alert.series.target) \(alert.series.state.rawValue)"
    return isOfShares ? arm : "\(arm): \(alert.series.metric.label)"
  }

  /// Whether it is a change of how many launches are slow, rather than of a level.
  private var isOfShares: Bool { alert.series.metric == .slowShare && alert.kind != .budget }

  /// How much it changed, such as `is 12.4 % slower (41.20 → 46.30 ms)`, or
  /// `has more slow launches: 26 % instead of 1 %`.
  package var change: String {
    if isOfShares {
      let verb = alert.state == .suspected ? "seems to have" : isOver ? "had" : "has"
      let more = alert.series.metric.comparative.more
      return String(
        format: "\(verb) \(more) slow launches: %.0f %% instead of %.0f %%",
        alert.after,
        alert.before
      )
    }
    let scale = Scale(alert.series.metric.unit, for: max(abs(alert.before), abs(alert.after)))
    let verb = alert.state == .suspected ? "seems to be" : isOver ? "was" : "is"
    if alert.kind == .budget {
      return "\(verb) \(scale.text(alert.after)), over its budget of \(scale.text(alert.before))"
    }
    let values = "\(scale.number(alert.before)) → \(scale.text(alert.after))"
    return alert.hasOtherLevels
      ? "\(verb) \(comparison) by A/B proof (history \(values))"
      : "\(verb) \(comparison) (\(values))"
  }

  /// When it began: the day of the first night, and the commit or the commits that may have done it.
  package var onset: String {
    let day = Self.day(of: alert.onset, in: nights)
    return AlertRange(alert, nights: nights).onset(alert, day: day)
  }

  /// What changed, and how far that is settled.
  package var conclusion: String {
    let cause =
      switch alert.cause {
      case .code: "the code changed"
      case .machine: "the machine changed, not the code"
      case .unknown: "code or machine: unknown"
      }
    return switch alert.state {
    case .suspected: "suspected, \(cause)"
    case .confirmed: alert.kind == .budget ? "confirmed" : "confirmed, \(cause)"
    case .acknowledged: "acknowledged, \(cause)"
    case .fixed: "fixed"
    case .recovered: "recovered"
    case .refuted:
      alert.isDecided ? "dismissed as a false alarm" : "refuted: the code did not change"
    }
  }

  private var isOver: Bool {
    alert.state == .fixed || alert.state == .recovered || alert.state == .refuted
  }

  private var comparison: String {
    let words = alert.series.metric.comparative
    guard alert.before != 0, let ratio = alert.ratio else {
      return alert.after >= alert.before ? words.more : words.less
    }
    let slowly = alert.kind == .drift ? " than its long-term level" : ""
    return String(format: "%.1f %% ", abs(ratio - 1) * 100)
      + (ratio >= 1 ? words.more : words.less) + slowly
  }

  /// The day of a run in UTC, from the nights or else from its id, such as `2026-11-14`; the id
  /// itself when it has no date.
  package static func day(of run: String, in nights: [Night]) -> String {
    if let night = nights.first(where: { $0.run == run }) {
      return night.startedAt.utcDay
    }
    let digits = run.prefix(8)
    guard digits.count == 8, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return "run \(run)"
    }
    return "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.suffix(2))"
  }
}
