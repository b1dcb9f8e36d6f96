package import Foundation

/// What tells one series from another.
package struct SeriesKey: Hashable, Codable, Sendable {
  package var scenario: String

  /// The name of the target; `empty` and `control` are those of launchlab itself.
  package var target: String

  package var state: LaunchState
  package var metric: Metric

  /// The fingerprint of the host.
  package var fingerprint: String

  package init(
    scenario: String,
    target: String,
    state: LaunchState,
    metric: Metric,
    fingerprint: String
  ) {
    self.scenario = scenario
    self.target = target
    self.state = state
    self.metric = metric
    self.fingerprint = fingerprint
  }
}

/// One value of a series: the stored summary of the plain launches of one night.
///
/// Values are in the unit of the metric.
package struct SeriesPoint: Hashable, Codable, Sendable {
  /// The id of the run.
  package var run: String

  package var startedAt: Date

  /// The number of launches that have a value, at least 1.
  package var n: Int

  package var median: Double

  /// The raw median absolute deviation from the median.
  package var medianAbsoluteDeviation: Double

  /// The lower bound of the 95 % interval of the median; nil together with the upper one.
  package var intervalLow: Double?

  /// The upper bound of the 95 % interval of the median.
  package var intervalHigh: Double?

  /// The launches of the night in nanoseconds; nil but for the share of slow ones, which is the median.
  ///
  /// One that failed or timed out is ``never``; at least one is not.
  package var launches: [Double]?

  /// The time of a launch that never became ready.
  package static let never = Double.greatestFiniteMagnitude

  package init(
    run: String,
    startedAt: Date,
    n: Int,
    median: Double,
    medianAbsoluteDeviation: Double = 0,
    intervalLow: Double? = nil,
    intervalHigh: Double? = nil,
    launches: [Double]? = nil
  ) {
    self.run = run
    self.startedAt = startedAt
    self.n = n
    self.median = median
    self.medianAbsoluteDeviation = medianAbsoluteDeviation
    self.intervalLow = intervalLow
    self.intervalHigh = intervalHigh
    self.launches = launches
  }
}

/// The history of one metric of one arm on one host.
package struct Series: Hashable, Codable, Sendable {
  package var key: SeriesKey

  /// Ascending by start; nights without a value have no point.
  package var points: [SeriesPoint]

  package init(key: SeriesKey, points: [SeriesPoint]) {
    self.key = key
    self.points = points
  }
}
