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

extension PairedRatio {
  /// The share of comparisons that must see an effect for it to be called detectable.
  package static let power = 0.8

  /// How many series are drawn to find a detectable effect; its power is then known to 1.8 of 100.
  package static let resamples = 500

  /// The smallest effect that a comparison of some pairs detects with 80 % power.
  ///
  /// A comparison detects an effect when the whole interval of the median log-ratio lies beyond
  /// log(1 + limit), on the side of the effect. A true effect e moves every log-ratio, and so the
  /// bounds of the interval, by log(1 + e). So series of `pairs` log-ratios are drawn from those of
  /// this sample, which is first moved to a median of 0, and e is chosen so that 80 % of the lower
  /// bounds, moved by log(1 + e), lie above log(1 + limit); likewise of the upper bounds for an
  /// effect of the other sign, and the larger e of both is given. O(resamples · pairs · log pairs).
  ///
  /// What is known of the scatter is what this sample holds, so nothing is said of more pairs than
  /// it has.
  ///
  /// - Parameters:
  ///   - pairs: How many pairs the comparison has.
  ///   - limit: What an effect must exceed to be called one, such as 0.02 for 2 %.
  ///   - confidence: That of the interval.
  ///   - seed: The same seed gives the same effect.
  ///   - resamples: How many series are drawn.
  /// - Returns: A share: 0.05 stands for a ratio of 1.05, or of 1 / 1.05. Nil for fewer than 5
  ///   pairs, and for more than this sample has.
  package func detectableEffect(
    pairs: Int,
    limit: Double,
    confidence: Double = 0.95,
    seed: UInt64,
    resamples: Int = Self.resamples
  ) -> Double? {
    guard pairs >= Sample.fewestForInterval, pairs <= count else { return nil }
    let center = logRatios.median
    var resampling = PairedResampling(logRatios.values.map { $0 - center }, seed: seed)
    let tail = (1 - confidence) / 2
    var lows: [Double] = []
    var highs: [Double] = []
    for _ in 0..<resamples {
      let distribution = BootstrapMedian(sorted: resampling.draw(pairs).sorted())
      lows.append(distribution.quantile(tail, halvings: 10))
      highs.append(distribution.quantile(1 - tail, halvings: 10))
    }
    guard let low = try? Sample(lows), let high = try? Sample(highs) else { return nil }
    let reach = max(-low.quantile(1 - Self.power), high.quantile(Self.power))
    return expm1(log1p(limit) + max(0, reach))
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

/// Draws new series from a series, so that values that were neighbours mostly stay so.
///
/// Single values drawn at random would lose that a slow minute slows many launches down. So runs
/// of consecutive values are drawn, each beginning anywhere; after the last value comes the first.
/// A run has the cube root of the number of values, which is the rate at which its bias and its
/// scatter shrink together.
///
/// Source: Politis and Romano, "A circular block-resampling procedure for stationary data",
/// *Exploring the Limits of Bootstrap* (1992), 263-270.
struct PairedResampling {
  private let values: [Double]
  private let length: Int
  private var generator: SeededGenerator

  /// - Parameters:
  ///   - values: At least one, in the order of collection.
  ///   - seed: The same seed gives the same draws.
  init(_ values: [Double], seed: UInt64) {
    self.values = values
    length = Self.length(for: values.count)
    generator = SeededGenerator(seed: seed)
  }

  /// How many consecutive values are drawn together: 3 of 20, 4 of 60, 5 of 100.
  static func length(for count: Int) -> Int { Int(cbrt(Double(count)).rounded(.up)) }

  /// Draws a series of `count` values; the last run is cut off where it is too long.
  mutating func draw(_ count: Int) -> [Double] {
    var drawn: [Double] = []
    drawn.reserveCapacity(count)
    while drawn.count < count {
      let start = Int(generator.nextUniform() * Double(values.count))
      for offset in 0..<min(length, count - drawn.count) {
        drawn.append(values[(start + offset) % values.count])
      }
    }
    return drawn
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
