import Foundation

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
