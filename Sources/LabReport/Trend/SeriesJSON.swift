import LabAnalysis
import LabModel
import LabStatistics

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
      "ratio": .number(change.ratio),
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
