import Foundation
package import LaunchCore
import Rendering

/// Verdicts, alerts and changes in the words that people read.
package enum TrendWords {
  /// A symbol for a verdict; its word always stands beside it.
  static func symbol(_ outcome: SeriesAssessment.Outcome) -> String {
    switch outcome {
    case .quiet: "🟢"
    case .suspected: "🟠"
    case .regression: "🔴"
    case .improvement: "🔵"
    case .machine: "🟣"
    case .acknowledged: "🟡"
    case .new: "⚪"
    case .missing: "⚫"
    }
  }

  static func word(_ outcome: SeriesAssessment.Outcome) -> String {
    switch outcome {
    case .quiet: "unchanged"
    case .machine: "machine changed"
    case .missing: "not measured"
    default: outcome.rawValue
    }
  }

  static func symbol(_ alert: Alert) -> String {
    switch alert.state {
    case .suspected: "🟠"
    case .confirmed where alert.isRed: "🔴"
    case .confirmed: alert.cause == .machine ? "🟣" : alert.direction == .better ? "🔵" : "🔴"
    case .acknowledged: "🟡"
    case .fixed, .recovered: "🟢"
    case .refuted: "⚪"
    }
  }

  /// Such as `confirmed regression`.
  static func title(_ alert: Alert) -> String { "\(alert.state.rawValue) \(noun(alert))" }

  /// Such as `regression`, `slow regression` or `broken budget`.
  static func noun(_ alert: Alert) -> String {
    if alert.kind == .budget { return "broken budget" }
    let slow = alert.kind == .drift ? "slow " : ""
    let noun = alert.direction == .worse ? "regression" : "improvement"
    return alert.cause == .machine && alert.state == .confirmed
      ? "\(slow)machine change" : slow + noun
  }

  /// Such as `confirmed machine changes`.
  static func plural(_ title: String) -> String {
    title.contains("change of") ? title.replacing("change of", with: "changes of") : title + "s"
  }

  /// Such as `app warm launch`.
  static func name(_ key: SeriesKey) -> String {
    "\(key.target) \(key.state.rawValue) \(name(key.metric))"
  }

  package static func name(_ metric: Metric) -> String {
    metric.rawValue.replacing("_", with: " ")
  }

  /// A change in percent, such as `+12.4 %`; of shares of slow launches in points.
  static func change(_ ratio: Double?, of metric: Metric = .launch) -> String {
    guard let ratio, ratio.isFinite else { return Quantity.none }
    let percent = (ratio - 1) * 100
    let unit = metric.hasLevel ? "%" : "points"
    if abs(percent) < 0.05 { return "0.0 \(unit)" }
    return Quantity.signed(percent) { String(format: $0 < 99.95 ? "%.1f " : "%.0f ", $0) + unit }
  }

  /// A change with the interval of it, such as `+12.4 % [+10.8 %, +14.1 %]`.
  static func change(
    _ ratio: Double?,
    low: Double?,
    high: Double?,
    of metric: Metric = .launch
  ) -> String {
    let text = change(ratio, of: metric)
    guard let low, let high else { return text }
    return "\(text) [\(change(low, of: metric)), \(change(high, of: metric))]"
  }

  /// Two values in one unit, such as `412.0 → 463.1 ms`.
  static func step(_ before: Double, _ after: Double, _ unit: Metric.Unit) -> String {
    let scale = Scale(unit, for: max(abs(before), abs(after)))
    return "\(scale.number(before)) → \(scale.text(after))"
  }

  /// A difference with its sign, such as `+46.00 ms`.
  static func difference(_ value: Double, _ unit: Metric.Unit) -> String {
    (value > 0 ? "+" : value < 0 ? "−" : "") + Quantity.text(abs(value), unit)
  }

  static func short(_ commit: String) -> String { String(commit.prefix(10)) }
}

/// A change as an interleaved comparison of both builds measured it.
struct ProvedChange: Hashable {
  /// New divided by old, with its interval.
  var ratio: Double
  var low: Double?
  var high: Double?

  var pairs: Int

  init(_ proof: Proof) {
    (ratio, low, high) = (proof.ratio, proof.low, proof.high)
    pairs = proof.pairs
  }

  /// What the criteria of an event say; nil where no comparison had found the change.
  init?(_ event: AlertEvent) {
    func criterion(_ id: String) -> Criterion? { event.criteria.first { $0.id == id } }
    guard let found = criterion(CriterionID.proofRatio), found.isMet, let value = found.value else {
      return nil
    }
    ratio = value
    low = criterion(CriterionID.proofLow)?.value
    high = criterion(CriterionID.proofHigh)?.value
    pairs = found.n ?? 0
  }
}

extension Alert {
  /// The change as it was proved; nil where there is no proof of it, and for a machine change, whose
  /// proof compares two builds that are alike.
  ///
  /// The proof of an alert that ended is about its end: then the one that found the change counts.
  var measure: ProvedChange? {
    guard cause != .machine else { return nil }
    if let proof, proof.verdict == direction.verdict { return ProvedChange(proof) }
    if let found = events.reversed().lazy.compactMap({ ProvedChange($0) }).first { return found }
    return isOpen ? proof.map { ProvedChange($0) } : nil
  }

  /// New divided by old, the one number that is given for the change: that of the proof, or else that of
  /// the levels.
  var ratio: Double? { measure?.ratio ?? series.metric.ratio(from: before, to: after) }

  /// The change in percent, or in points, with the interval of the proof, if there is one.
  var changeText: String {
    TrendWords.change(ratio, low: measure?.low, high: measure?.high, of: series.metric)
  }

  /// The levels on both sides.
  var stepText: String { TrendWords.step(before, after, series.metric.unit) }

  /// Whether the levels are further apart or closer than the proof says: they hold what the machine did
  /// meanwhile, too.
  var hasOtherLevels: Bool {
    guard let measure, before != 0, series.metric.hasLevel else { return false }
    return TrendWords.change(after / before) != TrendWords.change(measure.ratio)
  }

  /// The change and the levels, each with where it is from if they differ, such as
  /// `+12.4 % [+10.8 %, +14.1 %], 412.0 → 463.1 ms`.
  var evidenceText: String {
    hasOtherLevels
      ? "\(changeText) by A/B proof; history \(stepText)" : "\(changeText), \(stepText)"
  }
}
