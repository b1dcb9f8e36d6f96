import LabAnalysis
import LabModel

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
