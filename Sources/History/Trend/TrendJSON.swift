import Foundation
import Gate
import LaunchCore
import LaunchStatistics
package import Measuring
package import Rendering

/// What is concluded of nights as JSON, of schema `launchlab.trend/1`.
///
/// Keys come in a fixed order, and the same summaries give the same bytes. `docs/json.md` tells what
/// each field means.
package struct TrendJSON: JSONDocument {
  private let summaries: [TrendSummary]

  /// - Parameter summaries: One per scenario, in the order in which they are written.
  package init(_ summaries: [TrendSummary]) { self.summaries = summaries }

  package var value: JSONValue {
    [
      "schema": "launchlab.trend/1",
      "scenarios": .array(summaries.map(scenario)),
    ]
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
      "rule": rule(summary.scenario.regressionRule),
      "nights": .array(summary.nights.map(night)),
      "missed": .array(
        summary.missed.map { ["day": .string($0.day), "reason": .string($0.reason)] }
      ),
      "alerts": .array(summary.alerts.map { FindingJSON($0, in: summary).value }),
      "past_alerts": .array(summary.pastAlerts.map { FindingJSON($0, in: summary).value }),
      "budgets": .array(summary.budgets.map(budget)),
      "counted_changes": .array(
        summary.countedChanges.map { change in
          [
            "run": .string(change.run), "is_open": .bool(change.isOpen),
            "finding": GateReport.document(change.finding),
          ]
        }
      ),
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
      "host": JSONValue(night.hostName),
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

/// One series with its points, levels, changes and tonight's assessment as JSON.
struct SeriesJSON {
  private let trend: SeriesTrend

  init(_ trend: SeriesTrend) { self.trend = trend }

  var value: JSONValue {
    let key = trend.key
    return [
      "target": .string(key.target),
      "launch_state": .string(key.state.rawValue),
      "metric": .string(key.metric.rawValue),
      "unit": .string(key.metric.unit.rawValue),
      "fingerprint": .string(key.fingerprint),
      "noise": .string(trend.noise.rawValue),
      "tonight": assessment(trend.assessment),
      "segments": .array(trend.segments.map(segment)),
      "changes": .array(trend.changes.map(change)),
      "breaks": .array(
        trend.breaks.map { item in
          [
            "run": run(item.index), "reason": .string(item.reason.rawValue),
            "text": .string(item.text),
          ]
        }
      ),
      "drifts": .array(trend.drifts.map(drift)),
      "points": .array(trend.points.map(point)),
    ]
  }

  private func run(_ index: Int) -> JSONValue {
    trend.points.indices.contains(index) ? .string(trend.points[index].run) : nil
  }

  private func assessment(_ assessment: SeriesAssessment) -> JSONValue {
    [
      "outcome": .string(assessment.outcome.rawValue),
      "direction": JSONValue(assessment.direction?.rawValue),
      "alert": JSONValue(assessment.alert.map { "R-\($0)" }),
      "median": JSONValue(assessment.tonight?.median),
      "ci95": JSONValue(
        low: assessment.tonight?.intervalLow,
        high: assessment.tonight?.intervalHigh
      ),
      "n": JSONValue(assessment.tonight?.n),
      "ratio": JSONValue(assessment.ratio),
      "probability": JSONValue(assessment.probability),
      "over_1_night": JSONValue(assessment.overOneNight),
      "over_7_nights": JSONValue(assessment.overSevenNights),
      "over_30_nights": JSONValue(assessment.overThirtyNights),
      "baseline": assessment.baseline.map(baseline) ?? nil,
    ]
  }

  private func baseline(_ baseline: Baseline) -> JSONValue {
    [
      "median": .number(baseline.median),
      "mean": .number(baseline.mean),
      "standard_deviation": .number(baseline.standardDeviation),
      "mad": .number(baseline.medianAbsoluteDeviation),
      "runs": .array(baseline.runs.map(JSONValue.string)),
      "outliers": .array(baseline.outliers.map(JSONValue.string)),
    ]
  }

  private func segment(_ segment: Segment) -> JSONValue {
    [
      "first": run(segment.range.lowerBound),
      "last": run(segment.range.upperBound - 1),
      "n": JSONValue(segment.range.count),
      "level": .number(segment.level),
      "error": .number(segment.error),
    ]
  }

  private func change(_ change: LevelChange) -> JSONValue {
    [
      "run": run(change.index),
      "before": .number(change.before),
      "after": .number(change.after),
      "ratio": change.before == 0 ? .null : .number(change.ratio),
      "alert": JSONValue(change.alert.map { "R-\($0)" }),
    ]
  }

  private func drift(_ check: DriftCheck) -> JSONValue {
    [
      "against": .string(check.against),
      "reference": .string(check.reference),
      "before": .number(check.before),
      "now": .number(check.now),
      "ratio": .number(check.ratio),
      "interval": JSONValue(low: check.low, high: check.high),
      "confidence": .number(DriftCheck.confidence),
      "unexplained": .number(check.unexplained),
      "is_beyond": .bool(check.isBeyond),
    ]
  }

  private func point(_ point: SeriesPoint) -> JSONValue {
    [
      "run": .string(point.run),
      "n": JSONValue(point.n),
      "median": .number(point.median),
      "mad": .number(point.medianAbsoluteDeviation),
      "ci95": JSONValue(low: point.intervalLow, high: point.intervalHigh),
    ]
  }
}

/// What is said of one series tonight, as JSON.
struct VerdictJSON {
  private let trend: SeriesTrend

  init(_ trend: SeriesTrend) { self.trend = trend }

  /// Values are in the unit of the metric; what is not known is null.
  var value: JSONValue {
    let assessment = trend.assessment
    return [
      "target": .string(trend.key.target),
      "state": .string(trend.key.state.rawValue),
      "metric": .string(trend.key.metric.rawValue),
      "unit": .string(trend.key.metric.unit.rawValue),
      "outcome": .string(assessment.outcome.rawValue),
      "direction": JSONValue(assessment.direction?.rawValue),
      "median": JSONValue(assessment.tonight?.median),
      "baseline_median": JSONValue(assessment.baseline?.median),
      "baseline_nights": JSONValue(assessment.baseline?.runs.count),
      "ratio": JSONValue(assessment.ratio),
      "probability": JSONValue(assessment.probability),
      "alert": JSONValue(assessment.alert.map { "R-\($0)" }),
    ]
  }
}

extension RunJSON {
  /// The result of a night, with its verdicts and alerts.
  ///
  /// - Parameters:
  ///   - summary: What is concluded from the launches.
  ///   - trend: What is concluded from the history; nil for a run that is no night.
  package init(_ summary: RunSummary, trend: TrendSummary?) {
    guard let trend else {
      self.init(summary)
      return
    }
    let verdicts = trend.series.map { VerdictJSON($0).value }
    let alerts = trend.alerts.map { FindingJSON($0, in: trend).value }
    self.init(summary, with: [("verdicts", .array(verdicts)), ("alerts", .array(alerts))])
  }
}
