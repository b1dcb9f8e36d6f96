import Foundation
package import LabAnalysis
import LabModel
import LabStatistics

/// The result of a self-test as JSON, of schema `launchlab.selftest/1`.
///
/// ``SelfTestDocument`` reads it back.
package struct SelfTestJSON {
  private let summary: SelfTestSummary

  package init(_ summary: SelfTestSummary) { self.summary = summary }

  /// Writes the JSON text in pieces.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    let run = summary.run.run
    let value: JSONValue = [
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
    try JSONText.write(value, .indented, to: sink)
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
