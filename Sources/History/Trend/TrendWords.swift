package import Foundation
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

  /// A change in percent, such as `+12.4 %`.
  static func change(_ ratio: Double?) -> String {
    guard let ratio, ratio.isFinite else { return Quantity.none }
    let percent = (ratio - 1) * 100
    if abs(percent) < 0.05 { return "0.0 %" }
    return Quantity.signed(percent) { String(format: $0 < 99.95 ? "%.1f %%" : "%.0f %%", $0) }
  }

  /// A change with the interval of it, such as `+12.4 % [+10.8 %, +14.1 %]`.
  static func change(_ ratio: Double?, low: Double?, high: Double?) -> String {
    guard let low, let high else { return change(ratio) }
    return "\(change(ratio)) [\(change(low)), \(change(high))]"
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

  /// The day in UTC, such as `2026-11-21`.
  package static func day(_ date: Date) -> String {
    date.formatted(.iso8601.year().month().day())
  }

  static func short(_ commit: String) -> String { String(commit.prefix(10)) }
}

extension Alert {
  /// The proof, where it measures the change: that of a machine change compares two builds that are
  /// alike.
  var measure: Proof? { cause == .machine ? nil : proof }

  /// New divided by old: that of the proof, or else that of the levels; nil where old is 0.
  var ratio: Double? { measure?.ratio ?? (before == 0 ? nil : after / before) }

  /// The change in percent with the interval of the proof, if there is one.
  var changeText: String { TrendWords.change(ratio, low: measure?.low, high: measure?.high) }

  /// The levels on both sides.
  var stepText: String { TrendWords.step(before, after, series.metric.unit) }

  /// The change of the levels in percent where it is not what the proof says: the levels hold what the
  /// machine did meanwhile, too.
  var differingLevels: String? {
    guard let measure, before != 0 else { return nil }
    let levels = TrendWords.change(after / before)
    return levels == TrendWords.change(measure.ratio) ? nil : levels
  }

  /// The change and the levels, each with where it is from if they differ, such as
  /// `+12.4 % [+10.8 %, +14.1 %], 412.0 → 463.1 ms`.
  var evidenceText: String {
    guard let differingLevels else { return "\(changeText), \(stepText)" }
    return "\(changeText) by A/B proof; history \(stepText), \(differingLevels)"
  }
}

/// A text for people that Markdown and a terminal show each in its own way.
///
/// The literal parts are written as Markdown; what is put into them is shown as it is, whatever it
/// holds.
package struct Phrase: ExpressibleByStringInterpolation, Hashable, Sendable {
  private var pieces: [Piece]

  fileprivate enum Piece: Hashable, Sendable {
    case literal(String)
    case text(String)
    case code(String)
    case strong(String)
    case link(code: String, url: String)
  }

  package init(stringLiteral value: String) { pieces = [.literal(value)] }

  package init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

  /// The phrases one after the other.
  package init(_ phrases: [Phrase], separator: String) {
    pieces = phrases.enumerated().flatMap { number, phrase in
      (number == 0 ? [] : [.literal(separator)]) + phrase.pieces
    }
  }

  package var markdown: String {
    pieces.map { piece in
      switch piece {
      case .literal(let text): text
      case .text(let text): MarkdownTable.escaped(text)
      case .code(let text): Self.code(text)
      case .strong(let text): "**\(MarkdownTable.escaped(text))**"
      case .link(let text, let url): "[\(Self.code(text))](\(url))"
      }
    }.joined()
  }

  /// The text for a terminal.
  package var plain: String {
    pieces.map { piece in
      switch piece {
      case .literal(let text): text
      case .text(let text), .strong(let text): text.printable
      case .code(let text), .link(let text, _): "`\(text.printable)`"
      }
    }.joined()
  }

  /// A code span that no backquote inside it can end, and that a table cell can hold.
  package static func code(_ text: String) -> String {
    let printable = text.printable.replacing("|", with: "\\|")
    guard printable.contains("`") || printable.isEmpty else { return "`\(printable)`" }
    let longest = printable.split(whereSeparator: { $0 != "`" }).map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: longest + 1)
    return "\(fence) \(printable) \(fence)"
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pieces: [Piece] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ literal: String) { pieces.append(.literal(literal)) }

    package mutating func appendInterpolation(_ text: String) { pieces.append(.text(text)) }

    package mutating func appendInterpolation(_ number: Int) {
      pieces.append(.text(String(number)))
    }

    package mutating func appendInterpolation(_ phrase: Phrase) { pieces += phrase.pieces }

    /// Text that cannot hold anything of a user, and is not escaped, such as a number.
    package mutating func appendInterpolation(raw text: String) { pieces.append(.literal(text)) }

    package mutating func appendInterpolation(code text: String) { pieces.append(.code(text)) }

    /// Text that links to where a URL leads, if there is one.
    mutating func appendInterpolation(code text: String, url: String?) {
      pieces.append(url.map { .link(code: text, url: $0) } ?? .code(text))
    }

    package mutating func appendInterpolation(strong text: String) { pieces.append(.strong(text)) }
  }
}
