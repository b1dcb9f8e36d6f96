import Foundation
package import LaunchCore
package import Rendering

/// One alert as JSON, of schema `launchlab.finding/1`: what `why --json` writes, and what notifiers
/// read on their standard input.
package struct FindingJSON: JSONDocument {
  private let alert: Alert
  private let nights: [Night]
  private let explanation: String?
  private let scenarioFile: String

  /// - Parameters:
  ///   - alert: What is written.
  ///   - summary: What the night is concluded with, for the commits and the scenario file.
  package init(_ alert: Alert, in summary: TrendSummary) {
    self.init(alert, nights: summary.nights, scenarioFile: summary.scenarioFile)
  }

  /// - Parameters:
  ///   - alert: What is written.
  ///   - nights: Those of the scenario, for the commits.
  ///   - explanation: JSON of schema `launchlab.explain/1` that is written with it; nil for none.
  ///   - scenarioFile: What the scenario is called on the command line.
  package init(
    _ alert: Alert,
    nights: [Night],
    explanation: String? = nil,
    scenarioFile: String = "scenario.yml"
  ) {
    self.alert = alert
    self.scenarioFile = scenarioFile
    self.nights = nights
    self.explanation = explanation
  }

  /// The JSON text on one line, with a line feed.
  package var line: String { JSONText.line(value) }

  /// The object itself, for other JSON that holds findings.
  package var value: JSONValue {
    let key = alert.series
    let known: JSONValue = [
      "schema": "launchlab.finding/1",
      "id": .string(alert.id),
      "kind": .string(alert.kind.rawValue),
      "state": .string(alert.state.rawValue),
      "cause": .string(alert.cause.rawValue),
      "direction": .string(alert.direction.rawValue),
      "red": .bool(alert.isRed),
      "sentence": .string(AlertSentence(alert, nights: nights).text),
      "scenario": .string(key.scenario),
      "target": .string(key.target),
      "launch_state": .string(key.state.rawValue),
      "metric": .string(key.metric.rawValue),
      "unit": .string(key.metric.unit.rawValue),
      "fingerprint": .string(key.fingerprint),
      "before": .number(alert.before),
      "after": .number(alert.after),
      "ratio": .number(alert.after / alert.before),
      "ci95": interval,
      "proof": JSONValue(alert.proof),
      "why": JSONValue(alert.explanation?.why),
      "onset": run(alert.onset),
      "last_good": alert.lastGood.map(run) ?? nil,
      "range": range,
      "criteria": .array(
        (alert.events.last { !$0.criteria.isEmpty }?.criteria ?? []).map(criterion)
      ),
      "events": .array(alert.events.map(event)),
      "commands": commands,
    ]
    guard let explanation, case .object(let members) = known else { return known }
    return .object(members + [("explanation", .document(explanation))])
  }

  /// That of the ratio, as the proof has it; null when no proof gives one of 95 %.
  private var interval: JSONValue {
    guard let proof = alert.proof, let low = proof.low, let high = proof.high,
      proof.confidence == 0.95
    else { return nil }
    return [.number(low), .number(high)]
  }

  private func run(_ id: String) -> JSONValue {
    let night = nights.first { $0.run == id }
    return [
      "run": .string(id),
      "started_at": JSONValue(night?.startedAt.formatted(.iso8601)),
      "commit": JSONValue(night?.build?.commit),
      "subject": JSONValue(night?.build?.subject),
    ]
  }

  /// The builds that are proved to differ; null without a proof.
  private var range: JSONValue {
    let range = AlertRange(alert, nights: nights)
    guard range.isProved else { return nil }
    func end(_ end: AlertRange.End) -> JSONValue {
      [
        "build": JSONValue(end.name),
        "run": JSONValue(end.night?.run),
        "started_at": JSONValue(end.night?.startedAt.formatted(.iso8601)),
        "commit": JSONValue(end.night?.build?.commit),
        "subject": JSONValue(end.night?.build?.subject),
      ]
    }
    return [
      "good": end(range.good),
      "bad": end(range.bad),
      "nights": JSONValue(range.nights),
    ]
  }

  private func event(_ event: AlertEvent) -> JSONValue {
    [
      "at": .string(event.at.formatted(.iso8601)),
      "run": JSONValue(event.run),
      "person": JSONValue(event.person),
      "state": .string(event.state.rawValue),
      "cause": .string(event.cause.rawValue),
      "reason": .string(event.reason),
      "criteria": .array(event.criteria.map(criterion)),
    ]
  }

  private func criterion(_ criterion: Criterion) -> JSONValue {
    [
      "id": .string(criterion.id),
      "text": .string(criterion.text),
      "value": JSONValue(criterion.value),
      "limit": JSONValue(criterion.limit),
      "met": .bool(criterion.isMet),
      "n": JSONValue(criterion.n),
      "unit": .string(criterion.unit.rawValue),
      "runs": .array(criterion.runs.map(JSONValue.string)),
    ]
  }

  private var commands: JSONValue {
    let commands = AlertCommands(alert, nights: nights, scenarioFile: scenarioFile)
    return [
      "why": .string(commands.why),
      "ack": .string(commands.acknowledge),
      "compare": JSONValue(commands.compare),
    ]
  }
}

extension JSONValue {
  /// A proof, as findings and exports show it; null for none.
  init(_ proof: Proof?) {
    guard let proof else {
      self = .null
      return
    }
    self = [
      "run": .string(proof.run),
      "baseline": .string(proof.baseline),
      "candidate": .string(proof.candidate),
      "good": .string(proof.good),
      "bad": .string(proof.bad),
      "scope": .string(proof.scope.rawValue),
      "pairs": JSONValue(proof.pairs),
      "ratio": .number(proof.ratio),
      "low": JSONValue(proof.low),
      "high": JSONValue(proof.high),
      "confidence": .number(proof.confidence),
      "effect_limit": .number(proof.effectLimit),
      "verdict": .string(proof.verdict.rawValue),
      "smallest_detectable": JSONValue(proof.smallestDetectable),
    ]
  }
}
