/// The stored summary of one metric of one arm of one run, which is what trends read.
///
/// It is derived from the launches and can be rebuilt from them at any time. Every value is in the
/// unit of `metric`, but for `variance`, which is in its square.
package struct MetricRow: Hashable, Codable, Sendable {
  /// The id of the run.
  package var run: String

  /// One of the arms of the run's plan.
  package var arm: Arm

  package var metric: Metric

  /// The version of the method that made the row, at least 1; rows of an older one are rebuilt.
  package var version: Int

  /// The number of values, at least 1.
  package var n: Int

  package var mean: Double

  /// The unbiased sample variance (divisor n − 1); nil for a single value.
  package var variance: Double?

  package var median: Double

  /// The raw median absolute deviation from the median.
  package var medianAbsoluteDeviation: Double

  package var minimum: Double
  package var maximum: Double
  package var p90: Double
  package var p95: Double

  /// The lower bound of the 95 % interval of the median; nil together with the upper one.
  package var intervalLow: Double?

  /// The upper bound of the 95 % interval of the median.
  package var intervalHigh: Double?

  package init(
    run: String,
    arm: Arm,
    metric: Metric,
    version: Int,
    n: Int,
    mean: Double,
    variance: Double? = nil,
    median: Double,
    medianAbsoluteDeviation: Double,
    minimum: Double,
    maximum: Double,
    p90: Double,
    p95: Double,
    intervalLow: Double? = nil,
    intervalHigh: Double? = nil
  ) {
    self.run = run
    self.arm = arm
    self.metric = metric
    self.version = version
    self.n = n
    self.mean = mean
    self.variance = variance
    self.median = median
    self.medianAbsoluteDeviation = medianAbsoluteDeviation
    self.minimum = minimum
    self.maximum = maximum
    self.p90 = p90
    self.p95 = p95
    self.intervalLow = intervalLow
    self.intervalHigh = intervalHigh
  }
}
