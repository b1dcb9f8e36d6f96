/// What is always shown of a sample; the unit is the caller's.
package struct Estimates: Hashable, Codable, Sendable {
  /// The number of values, at least 1.
  package var n: Int

  package var mean: Double

  /// The unbiased sample variance (divisor n − 1); nil for a single value.
  package var variance: Double?

  /// The square root of `variance`.
  package var standardDeviation: Double?

  /// The coefficient of variation, `standardDeviation / mean`; nil also when the mean is 0.
  package var coefficientOfVariation: Double?

  package var median: Double

  /// The raw median absolute deviation from the median, not scaled to a normal distribution.
  package var medianAbsoluteDeviation: Double

  package var minimum: Double
  package var maximum: Double

  /// Quantiles by linear interpolation (type 7 of Hyndman and Fan, 1996).
  package var p90: Double
  package var p95: Double

  /// The 95 % bootstrap interval of the median; nil for fewer than 5 values.
  package var medianInterval: Interval?

  package init(
    n: Int,
    mean: Double,
    variance: Double?,
    standardDeviation: Double?,
    coefficientOfVariation: Double?,
    median: Double,
    medianAbsoluteDeviation: Double,
    minimum: Double,
    maximum: Double,
    p90: Double,
    p95: Double,
    medianInterval: Interval?
  ) {
    self.n = n
    self.mean = mean
    self.variance = variance
    self.standardDeviation = standardDeviation
    self.coefficientOfVariation = coefficientOfVariation
    self.median = median
    self.medianAbsoluteDeviation = medianAbsoluteDeviation
    self.minimum = minimum
    self.maximum = maximum
    self.p90 = p90
    self.p95 = p95
    self.medianInterval = medianInterval
  }
}

/// A closed interval; `low` is not above `high`.
package struct Interval: Hashable, Codable, Sendable {
  package var low: Double
  package var high: Double

  package init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }
}
