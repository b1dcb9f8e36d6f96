import Foundation

/// How much larger one of two things is than the other, from values that come in pairs.
///
/// The two values of a pair are taken close to each other in time, so that what slows both down
/// leaves their ratio as it is. The logarithm makes twice as long and half as long lie equally far
/// from 1, and exchanging the two sides only turns the sign.
///
/// The ratio is the location of the logarithms. With one mode that of Hodges and Lehmann needs the
/// fewest pairs, with two modes the median does. Which of them is taken depends on the scatter
/// around the location only, never on the side it lies on, so choosing makes no effect likelier.
package struct PairedRatio: Hashable, Sendable {
  /// The natural logarithms of candidate / baseline, in the order of collection.
  package let logRatios: Sample

  /// How the ratio was found.
  package let estimator: Estimator

  /// The ratio: above 1 when the candidate is larger.
  package let ratio: Double

  /// How much wider the intervals are than those of independent pairs, at least 1.
  package let widening: Double

  /// How the location of the log-ratios is found; the raw value is the name used in JSON.
  package enum Estimator: String, Codable, Sendable {
    case median
    case hodgesLehmann = "hodges-lehmann"
  }

  /// How much narrower the interval of the median must be for it to be the estimator: launches that
  /// scatter like a normal distribution make it a quarter wider, two modes a third as wide.
  private static let shareOfWidth = 0.85

  /// Of fewer pairs the widths say too little to choose by.
  private static let fewestForMedian = 16

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
  package init(logRatios: Sample) {
    self.logRatios = logRatios
    let averages = HodgesLehmann(logRatios.values, confidence: 0.99)
    let middle = logRatios.signInterval(confidence: 0.99)
    let isMedian =
      logRatios.count >= Self.fewestForMedian
      && middle.high - middle.low < Self.shareOfWidth * (averages.upper - averages.lower)
    estimator = isMedian ? .median : .hodgesLehmann
    let center = isMedian ? logRatios.median : averages.estimate
    ratio = exp(center)
    widening = logRatios.errorByNeighbours(around: center)
  }

  /// The number of pairs, at least 1.
  package var count: Int { logRatios.count }

  /// The fewest pairs that have an interval: with fewer, all of them lie on one side of the true
  /// ratio too often, which is in 2 / 2ⁿ of all cases.
  ///
  /// - Parameter confidence: From 0 to 1, both excluded.
  /// - Returns: 6 for 95 %, 8 for 99 %.
  package static func fewestPairs(confidence: Double = 0.95) -> Int {
    Int((1 - log2(1 - confidence)).rounded(.up))
  }

  /// The interval of the ratio, without any assumption on the shape of the noise.
  ///
  /// It comes from the signed-rank test, or from the sign test where the median is the estimator.
  /// Both take pairs as independent, so it is widened where neighbours are alike.
  ///
  /// - Parameter confidence: From 0 to 1, both excluded.
  /// - Returns: The bounds as ratios; nil for fewer than ``fewestPairs(confidence:)``.
  package func interval(confidence: Double = 0.95) -> Interval? {
    guard count >= Self.fewestPairs(confidence: confidence) else { return nil }
    let bounds: Interval
    switch estimator {
    case .median: bounds = logRatios.signInterval(confidence: confidence)
    case .hodgesLehmann:
      let averages = HodgesLehmann(logRatios.values, confidence: confidence)
      bounds = Interval(low: averages.lower, high: averages.upper)
    }
    let center = log(ratio)
    return Interval(
      low: exp(center - widening * (center - bounds.low)),
      high: exp(center + widening * (bounds.high - center))
    )
  }

  /// The pairs of a range of places, taken as if there were no others.
  ///
  /// - Parameter places: A range within 0..<``count``.
  /// - Returns: Nil for an empty range.
  package func part(_ places: Range<Int>) -> Self? {
    (try? Sample(Array(logRatios.values[places]))).map { Self(logRatios: $0) }
  }
}

extension PairedRatio {
  /// The share of comparisons that must see an effect for it to be called detectable.
  package static let power = 0.8

  /// The smallest effect that a comparison of some pairs detects with 80 % power.
  ///
  /// A comparison detects an effect when the whole interval lies beyond 1 + limit. Chance moves the
  /// estimate by less than z(power) standard errors against the effect, and half of the interval is
  /// z((1 + confidence) / 2) of them; so log(1 + e) is log(1 + limit) and half of the interval,
  /// times 1 + z(power) / z((1 + confidence) / 2). Of another number of pairs the interval is
  /// narrower by the root of their share. Of fewer pairs than there are, all rows of so many
  /// neighbours are compared too, and must detect the effect with that power.
  ///
  /// - Parameters:
  ///   - pairs: How many pairs the comparison has; any number, of which more than there are is a
  ///     forecast.
  ///   - limit: What an effect must exceed to be called one, such as 0.02 for 2 %.
  ///   - confidence: That of the interval.
  /// - Returns: A share: 0.05 stands for a ratio of 1.05, or of 1 / 1.05. Nil where there is no
  ///   interval.
  package func detectableEffect(
    pairs: Int,
    limit: Double,
    confidence: Double = 0.95
  ) -> Double? {
    guard pairs >= Self.fewestPairs(confidence: confidence),
      let interval = interval(confidence: confidence)
    else { return nil }
    let half = log(interval.high / interval.low) / 2 * (Double(count) / Double(pairs)).squareRoot()
    let scores = [Self.power, (1 + confidence) / 2]
      .map { StudentT.quantile($0, degreesOfFreedom: .infinity) }
    let chance = half * (1 + scores[0] / scores[1])
    guard pairs < count else { return expm1(log1p(limit) + chance) }
    let rows = (0...(count - pairs)).compactMap { first in
      part(first..<(first + pairs))?.interval(confidence: confidence)
    }
    let reaches = [rows.map { log(ratio / $0.low) }, rows.map { log($0.high / ratio) }]
      .compactMap { (try? Sample($0))?.quantile(Self.power) }
    return expm1(log1p(limit) + reaches.reduce(chance, max))
  }
}

extension Sample {
  /// The interval of the median by the sign test, interpolated between two ranks.
  ///
  /// - Parameter confidence: From 0 to 1, both excluded.
  /// - Returns: The bounds in the unit of the sample; its ends where there are too few values.
  ///
  /// Source: Hettmansperger and Sheather, Statistics and Probability Letters 4 (1986), 75-79.
  func signInterval(confidence: Double) -> Interval {
    /// The confidence of the interval from the value of a rank to that of the same rank from above.
    func confidenceOf(_ rank: Int) -> Double {
      1 - 2 * binomialTail(count: count, probability: 0.5, atLeast: count - rank + 1)
    }
    var rank = 0
    while 2 * (rank + 1) <= count, confidenceOf(rank + 1) >= confidence { rank += 1 }
    guard rank > 0, 2 * (rank + 1) <= count else {
      return Interval(low: sorted[max(0, rank - 1)], high: sorted[count - max(1, rank)])
    }
    let outer = confidenceOf(rank)
    let share = (outer - confidence) / (outer - confidenceOf(rank + 1))
    let n = Double(count)
    let k = Double(rank)
    let inwards = (n - k) * share / (k + (n - 2 * k) * share)
    return Interval(
      low: sorted[rank - 1] + inwards * (sorted[rank] - sorted[rank - 1]),
      high: sorted[count - rank] - inwards * (sorted[count - rank] - sorted[count - rank - 1])
    )
  }

  /// How much larger the standard error of the location is than that of independent values.
  ///
  /// Values of a first-order autoregression with the correlation r of neighbours have an error that
  /// is √((1 + r) / (1 − r)) times as large. The correlation is that of the values around their
  /// location, drawn in to three deviations for spikes to count little, and corrected for its bias
  /// −(1 + 3r) / n. What chance alone reaches in 10 % of cases counts as none.
  ///
  /// - Parameter center: The location.
  /// - Returns: At least 1.
  ///
  /// Source: Kendall, Biometrika 41 (1954), 403-404.
  fileprivate func errorByNeighbours(around center: Double) -> Double {
    let distances = values.map { abs($0 - center) }
    guard let deviation = (try? Sample(distances))?.median, deviation > 0 else { return 1 }
    let reach = 3 * 1.4826 * deviation
    let centred = values.map { min(reach, max(-reach, $0 - center)) }
    let square = centred.reduce(0) { $0 + $1 * $1 }
    let product = zip(centred, centred.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
    let n = Double(count)
    let found = product / square
    let chance = StudentT.quantile(0.9, degreesOfFreedom: .infinity)
    guard found > chance / n.squareRoot() else { return 1 }
    let correlation = min(0.9, found + (1 + 3 * found) / n)
    return ((1 + correlation) / (1 - correlation)).squareRoot()
  }
}

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

/// A generator of random bits that gives the same bits for the same seed on every platform.
///
/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014
/// (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return bits ^ (bits >> 31)
  }

  /// The next number of the uniform distribution on [0, 1), with 53 random bits.
  package mutating func nextUniform() -> Double { Double(next() >> 11) * 0x1p-53 }
}
