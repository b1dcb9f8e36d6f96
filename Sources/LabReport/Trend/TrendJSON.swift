import Foundation
package import LabAnalysis
import LabModel

/// What is concluded of nights as JSON, of schema `launchlab.trend/1`.
///
/// Keys come in a fixed order, and the same summaries give the same bytes. `docs/json.md` tells what
/// each field means.
package struct TrendJSON {
  private let summaries: [TrendSummary]

  /// - Parameter summaries: One per scenario, in the order in which they are written.
  package init(_ summaries: [TrendSummary]) { self.summaries = summaries }

  /// Writes the JSON text in pieces, so that long histories need little memory.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    let value: JSONValue = [
      "schema": "launchlab.trend/1",
      "scenarios": .array(summaries.map(scenario)),
    ]
    try JSONText.write(value, .indented, to: sink)
  }

  private func scenario(_ summary: TrendSummary) -> JSONValue {
    let lead = TrendLead(summary)
    return [
      "scenario": .string(summary.scenario.name),
      "colour": .string(lead.colour.rawValue),
      "verdict": .string(lead.counts),
      "tonight": .string(summary.tonight.run),
      "tool": .string(summary.run.tool),
      "seed": .unsigned(summary.run.plan.seed),
      "launches": JSONValue(summary.launches),
      "disturbed_launches": JSONValue(summary.disturbedLaunches),
      "host": JSONValue(host: summary.run.host),
      "rule": rule(summary.scenario.regression ?? RegressionRule()),
      "nights": .array(summary.nights.map(night)),
      "missed": .array(
        summary.missed.map { ["day": .string($0.day), "reason": .string($0.reason)] }
      ),
      "alerts": .array(summary.alerts.map { FindingJSON($0, in: summary).value }),
      "past_alerts": .array(summary.pastAlerts.map { FindingJSON($0, in: summary).value }),
      "budgets": .array(summary.budgets.map(budget)),
      "host_changes": .array(
        summary.hostChanges.map {
          ["fact": .string($0.fact), "before": .string($0.before), "after": .string($0.after)]
        }
      ),
      "stage_changes": .array(summary.stageChanges.map(stage)),
      "series": .array(summary.series.map { SeriesJSON($0).value }),
      "notes": .array(summary.notes.map(JSONValue.init(diagnostic:))),
    ]
  }

  private func rule(_ rule: RegressionRule) -> JSONValue {
    [
      "effect": .number(rule.effect),
      "confidence": .number(rule.confidence),
      "floor_ns": .integer(rule.floor.count),
      "metrics": .array(rule.metrics.map { .string($0.rawValue) }),
      "nights": JSONValue(rule.nights),
    ]
  }

  private func night(_ night: Night) -> JSONValue {
    [
      "run": .string(night.run),
      "started_at": .string(night.startedAt.formatted(.iso8601)),
      "status": .string(night.status.rawValue),
      "fingerprint": .string(night.fingerprint),
      "commit": JSONValue(night.build?.commit),
      "subject": JSONValue(night.build?.subject),
    ]
  }

  private func budget(_ check: BudgetCheck) -> JSONValue {
    [
      "target": .string(check.budget.target),
      "launch_state": .string(check.budget.state.rawValue),
      "metric": .string(check.budget.metric.rawValue),
      "unit": .string(check.budget.metric.unit.rawValue),
      "maximum": .number(check.budget.maximum),
      "median": JSONValue(check.median),
      "ci95": JSONValue(low: check.low, high: check.high),
      "outcome": .string(check.outcome.rawValue),
    ]
  }

  private func stage(_ change: StageChange) -> JSONValue {
    [
      "target": .string(change.target),
      "launch_state": .string(change.state.rawValue),
      "path": .string(change.path),
      "before_ns": JSONValue(change.before),
      "after_ns": JSONValue(change.after),
    ]
  }
}

extension JSONValue {
  /// Both bounds of an interval; null when one is not known.
  init(low: Double?, high: Double?) {
    guard let low, let high else {
      self = .null
      return
    }
    self = [.number(low), .number(high)]
  }
}
