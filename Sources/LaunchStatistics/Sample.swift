// LaunchStatistics: mathematics on numbers. It takes `[Double]`, knows no launch, and imports none of ours.
//
// Begin with `Sample`, the values of one metric with what describes them: mean, quantiles, scatter. Upon it
// stand `MedianInterval` and `HodgesLehmann` (where a sample lies, and how surely), `PairedRatio` (how much
// slower one is than the other, with its interval), `Outliers`, `Bimodality` with `Dip`, `Drift`, and
// `StudentT`. `BenjaminiHochberg` keeps many comparisons from raising false alarms. `Changes` finds the
// levels of a series: `PottsSegmentation` is exact, `RobustSegmentation` bears outliers, and `PenaltySearch`
// chooses how much evidence a new level takes.
//
// Every formula names its source, and every statistic is tested with values of another implementation; see
// docs/methodology.md.

/// Numbers that statistics are taken of: at least one, and all of them finite.
///
/// The unit is the caller's. Sums and squares are taken in `Double`, so magnitudes should stay
/// below 1e150.
package struct Sample: Hashable, Sendable {
  /// In the order of collection.
  package let values: [Double]

  /// The same values, ascending.
  package let sorted: [Double]

  /// Takes the values in the order of collection; O(n log n).
  ///
  /// - Throws: ``StatisticsError`` when there are no values, or one is not finite.
  package init(_ values: [Double]) throws(StatisticsError) {
    guard !values.isEmpty else { throw .noValues }
    if let index = values.firstIndex(where: { !$0.isFinite }) { throw .notFinite(index: index) }
    self.values = values
    sorted = values.sorted()
  }

  /// The number of values, at least 1.
  package var count: Int { values.count }

  package var minimum: Double { sorted[0] }

  package var maximum: Double { sorted[count - 1] }

  package var range: Double { maximum - minimum }
}

extension Sample {
  /// The fewest values that get an interval of the median.
  package static let fewestForInterval = 5

  /// Everything that is always shown of a sample; O(n log n).
  package var estimates: Estimates {
    let mean = mean
    let standardDeviation = standardDeviation
    return Estimates(
      n: count,
      mean: mean,
      variance: variance,
      standardDeviation: standardDeviation,
      coefficientOfVariation: mean == 0 ? nil : standardDeviation.map { $0 / mean },
      median: median,
      medianAbsoluteDeviation: medianAbsoluteDeviation,
      minimum: minimum,
      maximum: maximum,
      p90: quantile(0.9),
      p95: quantile(0.95),
      medianInterval: count < Self.fewestForInterval ? nil : medianInterval()
    )
  }
}

extension Sample {
  /// The arithmetic mean.
  ///
  /// It is the smallest value plus the mean of the distances to it, summed with compensation, so
  /// that a large common offset costs no digits.
  ///
  /// Source: Neumaier, Zeitschrift für Angewandte Mathematik und Mechanik 54 (1974), 39-51.
  package var mean: Double {
    minimum + compensatedSum(of: values) { $0 - minimum } / Double(count)
  }

  /// The unbiased sample variance with the divisor n − 1; nil for a single value.
  ///
  /// The corrected two-pass formula: the squared sum of deviations takes away what the rounding of
  /// the mean put in.
  ///
  /// Source: Chan, Golub and LeVeque, The American Statistician 37 (1983), 242-247.
  package var variance: Double? {
    guard count > 1 else { return nil }
    let center = mean
    let squares = compensatedSum(of: values) { ($0 - center) * ($0 - center) }
    let remainder = compensatedSum(of: values) { $0 - center }
    return max(0, squares - remainder * remainder / Double(count)) / Double(count - 1)
  }

  /// The square root of the variance; nil for a single value.
  package var standardDeviation: Double? { variance?.squareRoot() }

  /// The skewness, adjusted for the number of values: above 0 for a long tail of large values.
  ///
  /// √(n (n − 1)) / (n − 2) · m₃ / m₂^1.5 with the central moments m. On normal data its standard
  /// error is about √(6 / n). Nil for fewer than 3 values, and when all are equal.
  ///
  /// Source: Joanes and Gill, The Statistician 47 (1998), 183-189, G₁.
  package var skewness: Double? {
    guard count > 2, range > 0 else { return nil }
    // In units of the range, so that no power of a small or large number is lost.
    let center = compensatedSum(of: values) { ($0 - minimum) / range } / Double(count)
    let distances = values.map { ($0 - minimum) / range - center }
    let n = Double(count)
    let second = compensatedSum(of: distances) { $0 * $0 } / n
    let third = compensatedSum(of: distances) { $0 * $0 * $0 } / n
    return (n * (n - 1)).squareRoot() / (n - 2) * third / (second * second.squareRoot())
  }
}

/// The sum of the transformed values, with the rounding error of each addition carried along.
private func compensatedSum(of values: [Double], _ transform: (Double) -> Double) -> Double {
  var sum = 0.0
  var correction = 0.0
  for value in values {
    let term = transform(value)
    let next = sum + term
    correction += abs(sum) >= abs(term) ? (sum - next) + term : (term - next) + sum
    sum = next
  }
  return sum + correction
}

extension Sample {
  /// The middle value, or the mean of the two middle ones.
  package var median: Double { medianOfSorted(sorted[...]) }

  /// The raw median absolute deviation from the median, not scaled to a normal distribution.
  package var medianAbsoluteDeviation: Double {
    let center = median
    return medianOfSorted(sorted.map { abs($0 - center) }.sorted()[...])
  }

  /// The median absolute deviation, scaled to the standard deviation of normal data.
  ///
  /// It is 1.4826 · MAD; 0 when more than half of the values are equal.
  package var robustDeviation: Double { 1.4826 * medianAbsoluteDeviation }

  /// The mean absolute deviation from the median.
  package var meanAbsoluteDeviation: Double {
    let center = median
    return sorted.reduce(0) { $0 + abs($1 - center) } / Double(count)
  }

  /// The quantile by linear interpolation between order statistics, type 7.
  ///
  /// - Parameter probability: From 0, the minimum, to 1, the maximum; values outside are clamped.
  /// - Returns: A value in the unit of the sample.
  ///
  /// Source: Hyndman and Fan, The American Statistician 50 (1996), 361-365; the default of R and
  /// NumPy.
  package func quantile(_ probability: Double) -> Double {
    let position = min(max(probability, 0), 1) * Double(count - 1)
    let index = Int(position)
    guard index + 1 < count else { return maximum }
    return sorted[index] + (position - Double(index)) * (sorted[index + 1] - sorted[index])
  }
}

/// The median of at least one ascending value.
func medianOfSorted(_ values: ArraySlice<Double>) -> Double {
  let middle = values.startIndex + values.count / 2
  guard values.count.isMultiple(of: 2) else { return values[middle] }
  return values[middle - 1] / 2 + values[middle] / 2
}

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
}

/// A closed interval; `low` is not above `high`.
package struct Interval: Hashable, Codable, Sendable {
  package var low: Double
  package var high: Double

  package init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }

  /// Whether it lies on one side of 0.
  package var excludesZero: Bool { low > 0 || high < 0 }
}

/// Why numbers are no sample.
///
/// This module imports nothing of launchlab, so the caller puts the error into its own words.
package enum StatisticsError: Error, Hashable, Sendable {
  case noValues

  /// A value is infinite or not a number; `index` is its place in the given order.
  case notFinite(index: Int)
}
