import Foundation

/// Cuts a series into stretches of one level each, in spite of outliers and of correlated neighbours.
///
/// A step function is fitted so that Σ min((y − level)² / v, K²) + β · (number of jumps) is least: a
/// value far from every level costs no more than K², so that single outliers neither move a level nor
/// make one. K is 3, and β = 2 ln(n) · (1 + r) / (1 − r) for n values whose neighbours are correlated by
/// r: the penalty of Yao for a change of the mean, times what correlation makes of the variance of means.
///
/// The scale v and r come from differences, which know no levels: s₁ of neighbours, and s₄ of values
/// four apart, each from the larger of the median and the 70 % quantile of their sizes, so that two modes
/// count as scatter. v is the larger of both squares, and r = 1 − s₁² / s₄², from 0 to 0.9.
///
/// In a short series most differences may lie across a jump. Therefore great jumps, of several times the
/// scatter within the levels on both sides, are cuts by themselves, and what lies between them is a
/// series of its own.
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
    let cuts = cuts(values)
    var partition = Partition(values, starts: [0] + cuts, penalties: cuts.map { _ in 0 })
    partition.joinSmall(effect: effect)
    return partition.segments
  }

  /// The first indices of the levels, without that of the first; none for fewer than 6 values.
  private static func cuts(_ values: [Double]) -> [Int] {
    guard values.count >= 2 * minimumLength, let noise = NoiseScale(values) else { return [] }
    let great = greatCuts(values)
    guard !great.isEmpty else {
      let penalty = 2 * log(Double(values.count)) * noise.inflation
      return cheapestCuts(values, scale: noise.scale, penalty: penalty)
    }
    return zip([0] + great, great + [values.count]).flatMap { start, end in
      (start > 0 ? [start] : []) + cuts(Array(values[start..<end])).map { start + $0 }
    }
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

// MARK: - Great jumps

extension RobustSegmentation {
  /// How many times the scatter within the levels a great jump is.
  private static let greatJump = 4.5

  /// The fewest values among which there is a great jump: the two estimates of the scatter need them.
  private static let fewestOfGreat = 8

  /// The jumps that are many times the scatter within the levels on both sides, as first indices.
  ///
  /// The scatter may be the same at all levels, or a share of the level: what makes the jumps greater is
  /// taken, the values or their logarithms.
  private static func greatCuts(_ values: [Double]) -> [Int] {
    guard values.count >= fewestOfGreat else { return [] }
    let jumps = greatJumps(values)
    guard values.allSatisfy({ $0 > 0 }) else { return jumps.cuts }
    let shares = greatJumps(values.map { log($0) })
    return shares.size > jumps.size ? shares.cuts : jumps.cuts
  }

  /// Cuts readily, and takes out the smallest jumps until the smallest one left is great.
  ///
  /// - Returns: The size of that one in units of the scatter; 0 where there is none.
  private static func greatJumps(_ values: [Double]) -> (cuts: [Int], size: Double) {
    guard let noise = NoiseScale(values) else { return ([], 0) }
    let penalty = 2 * log(Double(values.count))
    var cuts = cheapestCuts(values, scale: noise.near, penalty: penalty)
    while true {
      let segments = Partition(values, starts: [0] + cuts).segments
      let jumps = zip(segments, segments.dropFirst()).map { jump(from: $0, to: $1, values) }
      guard let smallest = jumps.indices.min(by: { jumps[$0] < jumps[$1] }) else { return ([], 0) }
      let size = jumps[smallest] / NoiseScale.within(segments.map { Array(values[$0.range]) })
      if size >= greatJump { return (settled(cuts, segments, values), size) }
      cuts.remove(at: smallest)
    }
  }

  /// How far apart two levels are; 0 where either has fewer than 3 values that are nearer to it.
  private static func jump(from old: Segment, to new: Segment, _ values: [Double]) -> Double {
    func own(_ segment: Segment, _ other: Segment) -> Int {
      values[segment.range].count { abs($0 - segment.level) < abs($0 - other.level) }
    }
    guard min(own(old, new), own(new, old)) >= minimumLength else { return 0 }
    return abs(new.level - old.level)
  }

  /// The same cuts, moved until the values beside each are nearer to the level of their own side.
  private static func settled(
    _ cuts: [Int],
    _ segments: [Segment],
    _ values: [Double]
  ) -> [Int] {
    var cuts = cuts
    for place in cuts.indices {
      let (old, new) = (segments[place].level, segments[place + 1].level)
      func isNew(_ index: Int) -> Bool { abs(values[index] - new) < abs(values[index] - old) }
      let first = (place > 0 ? cuts[place - 1] : 0) + minimumLength
      let last = (place + 1 < cuts.count ? cuts[place + 1] : values.count) - minimumLength
      while cuts[place] > first, isNew(cuts[place] - 1) { cuts[place] -= 1 }
      while cuts[place] < last, !isNew(cuts[place]) { cuts[place] += 1 }
    }
    return cuts
  }
}

/// How the values of a series scatter around their levels, by differences.
private struct NoiseScale {
  /// In the unit of the values, above 0.
  let scale: Double

  /// The same by neighbours alone, which lie across the fewest jumps.
  let near: Double

  /// How much larger the variance of a mean is than that of independent values, at least 1.
  let inflation: Double

  /// Nil for fewer than five values, or values that are not finite.
  init?(_ values: [Double]) {
    guard values.count > Self.far, values.allSatisfy(\.isFinite) else { return nil }
    let near = Self.scale(Self.differences(values, apart: 1))
    let far = Self.scale(Self.differences(values, apart: Self.far))
    let correlation = far > 0 ? min(0.9, max(0, 1 - near * near / (far * far))) : 0
    inflation = (1 + correlation) / (1 - correlation)
    self.near = max(near, Self.least(values))
    scale = max(far, self.near)
  }

  private static let far = 4

  /// The scatter of values within their levels.
  ///
  /// The smaller one of the standard deviation, which is exact for few values, and of the scale of
  /// differences, which outliers do not move.
  ///
  /// - Parameter levels: The values of each level, more of them than levels.
  /// - Returns: In the unit of the values, above 0.
  static func within(_ levels: [[Double]]) -> Double {
    let squares = levels.flatMap { values in
      let mean = values.reduce(0, +) / Double(values.count)
      return values.map { ($0 - mean) * ($0 - mean) }
    }
    let deviation = (squares.reduce(0, +) / Double(squares.count - levels.count)).squareRoot()
    let sizes = levels.flatMap { values in
      (1...far).flatMap { differences(values, apart: $0) }
    }
    return max(min(deviation, scale(sizes)), least(levels.flatMap { $0 }))
  }

  /// What counts as scatter where the values have none.
  private static func least(_ values: [Double]) -> Double {
    max(1e-9 * (values.map(abs).max() ?? 0), Double.leastNormalMagnitude.squareRoot())
  }

  private static func differences(_ values: [Double], apart lag: Int) -> [Double] {
    zip(values, values.dropFirst(lag)).map { abs($1 - $0) }
  }

  /// What a standard deviation would be on independent normal values.
  ///
  /// Half of a normal value's sizes are below 0.6745 standard deviations, and 70 % below 1.0364; a
  /// difference has √2 times the deviation of a value.
  private static func scale(_ sizes: [Double]) -> Double {
    guard let sample = try? Sample(sizes) else { return 0 }
    return max(sample.median / 0.6745, sample.quantile(0.7) / 1.0364) / 2.0.squareRoot()
  }
}
