import Foundation

/// How much larger one of two things is than the other, from values that come in pairs.
///
/// The two values of a pair are taken close to each other in time, so that what slows both down
/// leaves their ratio as it is. The logarithm makes twice as long and half as long lie equally far
/// from 1, and exchanging the two sides only turns the sign.
package struct PairedRatio: Hashable, Sendable {
  /// The natural logarithms of candidate / baseline, in the order of collection.
  package let logRatios: Sample

  /// Takes the pairs in the order of collection; O(n log n).
  ///
  /// - Parameter pairs: Positive numbers in any unit, the same for both sides.
  /// - Throws: ``StatisticsError`` when there is no pair, or one has no logarithm.
  package init(_ pairs: [(baseline: Double, candidate: Double)]) throws(StatisticsError) {
    let logs = pairs.map { pair in
      pair.baseline > 0 && pair.candidate > 0 ? log(pair.candidate) - log(pair.baseline) : .nan
    }
    try self.init(logRatios: Sample(logs))
  }

  /// Takes logarithms that were taken before.
  package init(logRatios: Sample) { self.logRatios = logRatios }

  /// The number of pairs, at least 1.
  package var count: Int { logRatios.count }

  /// The median ratio: above 1 when the candidate is larger.
  ///
  /// It is the exponential of the median of the logarithms, so that for an even number of pairs it
  /// is the geometric mean of the two middle ratios.
  package var ratio: Double { exp(logRatios.median) }

  /// The bootstrap interval of the median ratio.
  ///
  /// - Parameter confidence: From 0 to 1, both excluded.
  /// - Returns: The bounds as ratios; nil for fewer than 5 pairs.
  package func interval(confidence: Double = 0.95) -> Interval? {
    guard count >= Sample.fewestForInterval else { return nil }
    let logs = logRatios.medianInterval(confidence: confidence)
    return Interval(low: exp(logs.low), high: exp(logs.high))
  }

  /// The pairs of a range of places, taken as if there were no others.
  ///
  /// - Parameter places: A range within 0..<``count``.
  /// - Returns: Nil for an empty range.
  package func part(_ places: Range<Int>) -> Self? {
    (try? Sample(Array(logRatios.values[places]))).map { Self(logRatios: $0) }
  }
}
