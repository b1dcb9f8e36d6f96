import Foundation

/// How much larger the median of one sample is than that of another that was taken apart from it.
///
/// For values that come in pairs, ``PairedRatio`` is the sharper one. Values must be positive, and
/// independent of each other for the interval to hold what it says.
package struct IndependentRatio: Hashable, Sendable {
  /// The natural logarithms of both samples.
  private let before: Sample
  private let after: Sample

  /// Takes two samples; O(n log n).
  ///
  /// - Parameters:
  ///   - before: Positive numbers in any unit.
  ///   - after: Positive numbers in the same unit; their number may differ.
  /// - Throws: ``StatisticsError`` when a sample is empty, or one of its values has no logarithm.
  package init(before: [Double], after: [Double]) throws(StatisticsError) {
    self.before = try Sample(before.map { $0 > 0 ? log($0) : .nan })
    self.after = try Sample(after.map { $0 > 0 ? log($0) : .nan })
  }

  /// The median after / the median before.
  ///
  /// Of an even number of values the median is the geometric mean of the two middle ones.
  package var ratio: Double { exp(after.median - before.median) }

  /// The interval of the ratio, without any assumption on the shape of the noise.
  ///
  /// The standard error of the logarithm of each median comes from the distance of two values at
  /// equal ranks from both ends, whose chance of holding the median between them is known; the two
  /// add up as variances do, and the difference is taken as normal.
  ///
  /// - Parameter confidence: From 0 to 1, both excluded.
  /// - Returns: The bounds as ratios; nil for fewer than 5 values in either sample. Of equal values,
  ///   both bounds are the ratio.
  ///
  /// Source: Price and Bonett, Journal of Statistical Computation and Simulation 72 (2002), 119-124.
  package func interval(confidence: Double = 0.95) -> Interval? {
    precondition(confidence > 0 && confidence < 1, "a confidence lies between 0 and 1")
    guard min(before.count, after.count) >= Sample.fewestForInterval else { return nil }
    let error = (before.squaredErrorOfMedian + after.squaredErrorOfMedian).squareRoot()
    let score = StudentT.quantile((1 + confidence) / 2, degreesOfFreedom: .infinity)
    let center = after.median - before.median
    return Interval(low: exp(center - score * error), high: exp(center + score * error))
  }
}

extension Sample {
  /// The square of the standard error of the median, from two order statistics.
  ///
  /// The rank is (n + 1) / 2 − √n, rounded, from each end.
  fileprivate var squaredErrorOfMedian: Double {
    let rank = max(1, Int((Double(count + 1) / 2 - Double(count).squareRoot()).rounded()))
    let outside = binomialTail(count: count, probability: 0.5, atLeast: count - rank + 1)
    let score = -StudentT.quantile(outside, degreesOfFreedom: .infinity)
    let error = (sorted[count - rank] - sorted[rank - 1]) / (2 * score)
    return error * error
  }
}
