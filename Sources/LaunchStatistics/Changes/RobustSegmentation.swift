import Foundation

/// Cuts a series into stretches of one level each, in spite of outliers and of correlated neighbours.
///
/// A step function is fitted so that Σ min((y − level)² / v, K²) + β · (number of jumps) is least: a
/// value far from every level costs no more than K², so that single outliers neither move a level nor
/// make one. K is 3, and β = 2 ln(n) · (1 + r) / (1 − r) for n values whose neighbours are correlated by
/// r: the penalty of Yao for a change of the mean, times what correlation makes of the variance of means.
///
/// The scale v and r come from differences, which know no levels: s₁ of neighbours, and s₄ of values
/// four apart, each from the larger of the median and the 80 % quantile of their sizes, so that two modes
/// count as scatter. v is the larger of both squares, and r = 1 − s₁² / s₄², from 0 to 0.9.
///
/// Against Otava's E-divisive (p = 0.001) it finds as many changes with a fifth of the false alarms, see
/// docs/methodology.md.
///
/// Sources: the loss of Fearnhead and Rigaill, *Changepoint detection in the presence of outliers*,
/// Journal of the American Statistical Association 114 (2019), 169-183; the penalty of Yao, Statistics &
/// Probability Letters 6 (1988), 181-189.
package enum RobustSegmentation {
  /// How many scales a value may be off before it counts as an outlier.
  private static let outlierLimit = 3.0

  /// The fewest values of a level.
  package static let minimumLength = 3

  /// How far apart two levels must be to be tried both, in scales.
  private static let spacing = 0.125

  /// The levels of a series.
  ///
  /// - Parameters:
  ///   - values: Finite numbers in the order of time.
  ///   - effect: The smallest jump, as a share of the level before it; smaller ones are taken out, the
  ///     smallest first.
  /// - Returns: Segments of at least 3 values that cover the indices without gaps; empty for no values,
  ///   one for fewer than 6. O(n · levels), where levels are at most 8 per scale of the range.
  package static func levels(of values: [Double], effect: Double = 0) -> [Segment] {
    guard values.count >= 2 * minimumLength, let noise = NoiseScale(values) else {
      return Partition(values, starts: [0]).segments
    }
    let penalty = 2 * log(Double(values.count)) * noise.inflation
    let cuts = cheapestCuts(values, scale: noise.scale, penalty: penalty)
    var partition = Partition(values, starts: [0] + cuts, penalties: cuts.map { _ in 0 })
    partition.joinSmall(effect: effect)
    return partition.segments
  }

  /// The first indices of the levels of the cheapest step function, without that of the first.
  private static func cheapestCuts(
    _ values: [Double],
    scale: Double,
    penalty: Double
  ) -> [Int] {
    let levels = candidates(values, scale: scale)
    // Two outliers side by side must cost less than a jump there and back.
    let most = min(outlierLimit * outlierLimit, 0.99 * penalty)
    var costs = [Double](repeating: 0, count: levels.count)
    var previous = [Int32](repeating: 0, count: values.count * levels.count)
    for (index, value) in values.enumerated() {
      let isFree = index >= minimumLength && index <= values.count - minimumLength
      let best = costs.indices.min { costs[$0] < costs[$1] } ?? 0
      let jump = isFree ? costs[best] + penalty : .infinity
      for level in levels.indices {
        let comesFrom = jump < costs[level] ? best : level
        previous[index * levels.count + level] = Int32(comesFrom)
        let distance = (value - levels[level]) / scale
        costs[level] = min(jump, costs[level]) + min(distance * distance, most)
      }
    }
    var level = costs.indices.min { costs[$0] < costs[$1] } ?? 0
    var cuts: [Int] = []
    for index in values.indices.reversed() {
      let before = Int(previous[index * levels.count + level])
      if before != level { cuts.append(index) }
      level = before
    }
    return withoutShort(cuts.reversed(), values)
  }

  /// The levels that are tried: the values, but no two that are closer than an eighth of the scale.
  private static func candidates(_ values: [Double], scale: Double) -> [Double] {
    values.sorted().reduce(into: []) { levels, value in
      if let last = levels.last, value - last < spacing * scale { return }
      levels.append(value)
    }
  }

  /// The same cuts, without the one of a short segment that jumps less.
  private static func withoutShort(_ cuts: [Int], _ values: [Double]) -> [Int] {
    let segments = Partition(values, starts: [0] + cuts).segments
    guard let short = segments.firstIndex(where: { $0.range.count < minimumLength }) else {
      return cuts
    }
    let jumps = zip(segments, segments.dropFirst()).map { abs($1.level - $0.level) }
    let sides = [short - 1, short].filter(jumps.indices.contains)
    guard let smaller = sides.min(by: { jumps[$0] < jumps[$1] }) else { return cuts }
    var fewer = cuts
    fewer.remove(at: smaller)
    return withoutShort(fewer, values)
  }
}

/// How the values of a series scatter around their levels, by differences.
private struct NoiseScale {
  /// In the unit of the values, above 0.
  let scale: Double

  /// How much larger the variance of a mean is than that of independent values, at least 1.
  let inflation: Double

  /// Nil for fewer than five values, or values that are not finite.
  init?(_ values: [Double]) {
    guard values.count > Self.far, values.allSatisfy(\.isFinite) else { return nil }
    let near = Self.scale(values, apart: 1)
    let far = Self.scale(values, apart: Self.far)
    let correlation = far > 0 ? min(0.9, max(0, 1 - near * near / (far * far))) : 0
    inflation = (1 + correlation) / (1 - correlation)
    let size = values.map(abs).max() ?? 0
    scale = max(near, far, 1e-9 * size, .leastNormalMagnitude.squareRoot())
  }

  private static let far = 4

  /// What a standard deviation would be on independent normal values.
  ///
  /// Half of a normal value's sizes are below 0.6745 standard deviations, and 80 % below 1.2816; a
  /// difference has √2 times the deviation of a value.
  private static func scale(_ values: [Double], apart lag: Int) -> Double {
    let sizes = zip(values, values.dropFirst(lag)).map { abs($1 - $0) }
    guard let sample = try? Sample(sizes) else { return 0 }
    return max(sample.median / 0.6745, sample.quantile(0.8) / 1.2816) / 2.0.squareRoot()
  }
}
