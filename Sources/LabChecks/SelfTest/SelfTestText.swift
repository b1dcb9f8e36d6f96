import Comparison
import Foundation
import LaunchCore
import LaunchStatistics
import Measuring
package import Rendering

/// The result of a self-test as a terminal shows it.
///
/// First comes whether the program was the same as itself, then the effects that this host detects,
/// then how often a shorter comparison would have been wrong.
package struct SelfTestText {
  private let summary: SelfTestSummary
  private let style: TextStyle

  package init(_ summary: SelfTestSummary, style: TextStyle) {
    self.summary = summary
    self.style = style
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    [header, table, verdicts, alarms, missing, conclusion].filter { !$0.isEmpty }
      .map { $0.joinedLines(style) }.joined(separator: "\n")
  }

  private var header: [String] {
    let facts = RunFacts(summary.run)
    let command = ShellQuoting.text(summary.command).printable
    let title = style.paint("selftest of \(command)", .bold)
    return ["\(title)  run \(summary.run.run.id) · \(facts.startedAt)"]
      + (facts.unfinished.map { [style.paint($0, .boldFailure)] } ?? [])
      + [facts.order, facts.host].flatMap { style.wrapped($0, indent: 2) }
      .map { style.paint($0, .dim) }
  }

  /// Per state the noise, and the smallest effect that some numbers of pairs detect.
  private var table: [String] {
    guard !summary.states.isEmpty else { return [] }
    let numbers = Set(summary.noise.flatMap { $0.detectable.map(\.pairs) }).sorted()
    let titles =
      ["detected by", "median", "CV"] + numbers.map { Quantity.count($0, "pair") }
    let rows = summary.noise.map { noise in
      [
        noise.state.rawValue, Quantity.text(noise.median, .nanoseconds),
        Quantity.percent(noise.coefficientOfVariation),
      ] + numbers.map { noise.effect(pairs: $0).map(Quantity.percent) ?? Quantity.none }
    }
    return TextTable(
      columns: [.left, .decimal, .decimal] + numbers.map { _ in .decimal },
      rows: [titles.map { TextTable.Cell($0, .dim) }] + rows.map { $0.map { TextTable.Cell($0) } }
    )
    .lines(style: style)
  }

  private var verdicts: [String] {
    summary.states.flatMap { state in
      listed(
        state.noise.state.rawValue,
        SelfTestWords.verdict(state.comparison),
        state.comparison.isDifference ? .boldFailure : nil
      )
    }
  }

  private var alarms: [String] {
    summary.states.flatMap { state in
      listed(state.noise.state.rawValue, SelfTestWords.alarms(state), .dim)
    }
  }

  private var missing: [String] {
    summary.missing.flatMap { missing in
      listed(
        missing.state.rawValue,
        "not measured: \(missing.reason.printable)",
        missing.isRefused ? .note : .warning
      )
    }
  }

  private var conclusion: [String] {
    let states = summary.deceptive.map(\.noise.state.rawValue)
    guard !states.isEmpty else { return [] }
    let text =
      "This host cannot be trusted to compare launches in the \(states.count == 1 ? "state" : "states") "
      + "\(states.joined(separator: ", ")): it called a program different from itself."
    return style.wrapped(text).map { style.paint($0, .boldFailure) }
  }

  private func listed(_ label: String, _ text: String, _ ink: TextStyle.Ink?) -> [String] {
    var lines = style.wrapped("\(label): \(text)", indent: 2)
    lines[0] = style.paint(label, ink) + lines[0].dropFirst(label.count)
    return lines
  }
}

/// What is found of a program that was launched as A and as B, in sentences.
enum SelfTestWords {
  /// Whether A and B are the same, with the ratio and its interval.
  static func verdict(_ comparison: PairedComparison) -> String {
    let bounds = comparison.interval.map { ", \(ratio($0.low))–\(ratio($0.high))" } ?? ""
    let numbers = "ratio \(ratio(comparison.ratio))\(bounds)"
    let limit = Quantity.percent(comparison.rule.effectLimit)
    return switch comparison.verdict {
    case .same: "A and B are the same (\(numbers))"
    case .regression: "B is called slower than A, which is the same program (\(numbers))"
    case .improvement: "B is called faster than A, which is the same program (\(numbers))"
    case .inconclusive:
      "A and B: inconclusive, neither different nor equivalent within \(limit) (\(numbers))"
    }
  }

  /// How many shorter comparisons were wrong.
  static func alarms(_ state: StateNoise) -> String {
    let alarms = state.alarms
    guard alarms.comparisons > 1 else {
      return "\(Quantity.count(state.comparison.count, "pair")) are one comparison, so there is no "
        + "rate of false alarms"
    }
    let rate = Quantity.percent(Double(alarms.alarms) / Double(alarms.comparisons))
    return "\(alarms.alarms) of \(alarms.comparisons) comparisons are false alarms (\(rate)), and "
      + "\(alarms.alarmsWithoutLimit) would be without the effect limit; they are of \(alarms.window) "
      + "consecutive blocks each and of all, so they overlap, and count for at "
      + "most \(Quantity.count(alarms.independent(of: state.comparison.count), "independent one"))"
  }

  /// A ratio near 1 with three decimals.
  static func ratio(_ ratio: Double) -> String { String(format: "%.3f", ratio) }
}

/// The result of a self-test as JSON, of schema `launchlab.selftest/1`.
///
/// ``SelfTestDocument`` reads it back.
package struct SelfTestJSON: JSONDocument {
  private let summary: SelfTestSummary

  package init(_ summary: SelfTestSummary) { self.summary = summary }

  package var value: JSONValue {
    let run = summary.run.run
    return [
      "schema": .string(SelfTestDocument.schema),
      "run": [
        "id": .string(run.id),
        "started_at": .string(run.startedAt.formatted(.iso8601)),
        "status": .string(run.status.rawValue),
        "tool": .string(run.tool),
        "seed": .unsigned(run.plan.seed),
      ],
      "host": JSONValue(host: run.host),
      "command": .array(summary.command.map(JSONValue.string)),
      "effect_limit": .number(summary.rule.effectLimit),
      "confidence": .number(summary.rule.confidence),
      "power": .number(PairedRatio.power),
      "noise": .array(summary.states.map(noise)),
      "missing": .array(summary.missing.map(missing)),
      "warnings": .array(summary.run.warnings.map(JSONValue.init(diagnostic:))),
    ]
  }

  private func noise(_ state: StateNoise) -> JSONValue {
    let noise = state.noise
    let comparison = state.comparison
    return [
      "state": .string(noise.state.rawValue),
      "pairs": JSONValue(noise.pairs),
      "unpaired": JSONValue(state.unpaired),
      "median_ns": .number(noise.median),
      "cv": .number(noise.coefficientOfVariation),
      "verdict": .string(comparison.verdict.rawValue),
      "ratio": .number(comparison.ratio),
      "ci95": comparison.interval.map { [.number($0.low), .number($0.high)] } ?? .null,
      "detectable": .array(
        noise.detectable.map { ["pairs": JSONValue($0.pairs), "effect": .number($0.effect)] }
      ),
      "window": JSONValue(state.alarms.window),
      "comparisons": JSONValue(noise.comparisons),
      "false_alarms": JSONValue(noise.falseAlarms),
      "false_alarms_without_limit": JSONValue(state.alarms.alarmsWithoutLimit),
    ]
  }

  private func missing(_ missing: MissingState) -> JSONValue {
    [
      "state": .string(missing.state.rawValue),
      "reason": .string(missing.reason),
      "refused": .bool(missing.isRefused),
    ]
  }
}
