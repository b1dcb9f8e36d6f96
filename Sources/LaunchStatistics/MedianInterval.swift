import Foundation

extension Sample {
  /// The percentile bootstrap interval of the median, without any drawing.
  ///
  /// The distribution of the median over all nⁿ resamples is known in closed form, so its
  /// percentiles are computed exactly: the result is what a bootstrap tends to as the number of
  /// resamples grows. It needs no seed. The bounds are values of the sample or midpoints of two.
  /// O(√n · log n) after sorting for usual samples.
  ///
  /// - Parameter confidence: From 0 to 1, both excluded.
  /// - Returns: The bounds in the unit of the sample.
  ///
  /// Source: Efron, The Annals of Statistics 7 (1979), 1-26, section 3,
  /// for odd n; docs/methodology.md derives even n.
  package func medianInterval(confidence: Double = 0.95) -> Interval {
    precondition(confidence > 0 && confidence < 1, "a confidence lies between 0 and 1")
    let distribution = BootstrapMedian(sorted: sorted)
    let tail = (1 - confidence) / 2
    return Interval(low: distribution.quantile(tail), high: distribution.quantile(1 - tail))
  }
}

/// The distribution of the median of n draws with replacement from n ascending values.
struct BootstrapMedian {
  private let sorted: [Double]

  /// The rank of the upper middle draw among n draws, from 1; of the middle one for odd n.
  private let upperRank: Int

  init(sorted: [Double]) {
    self.sorted = sorted
    upperRank = sorted.count / 2 + 1
  }

  private var isEven: Bool { sorted.count.isMultiple(of: 2) }

  /// The smallest value that the median does not exceed with at least this probability.
  ///
  /// The rank is found first, then the midpoint below it by bisecting down to adjacent numbers, or
  /// by fewer halvings of the distance between two values.
  func quantile(_ probability: Double, halvings: Int = .max) -> Double {
    var low = 0
    var high = sorted.count - 1
    while low < high {
      let middle = (low + high) / 2
      if cumulative(sorted[middle]) >= probability { high = middle } else { low = middle + 1 }
    }
    guard isEven, high > 0 else { return sorted[high] }
    return bisect(from: sorted[high - 1], to: sorted[high], until: probability, halvings)
  }

  private func bisect(
    from start: Double,
    to end: Double,
    until probability: Double,
    _ halvings: Int
  ) -> Double {
    var low = start
    var high = end
    var left = halvings
    while left > 0 {
      left -= 1
      let middle = low + (high - low) / 2
      guard middle > low, middle < high else { return high }
      if cumulative(middle) >= probability { high = middle } else { low = middle }
    }
    return high
  }

  /// The probability that the median is at most `value`.
  ///
  /// For odd n the median is the middle draw, and its rank is at most k if more than half of the
  /// draws are among the k smallest values. For even n the median is at most t when the lower middle
  /// draw has a value of at most t, and the upper one does not make up for it.
  func cumulative(_ value: Double) -> Double {
    let rank = countOfSorted(atMost: value)
    guard rank > 0 else { return 0 }
    guard rank < sorted.count else { return 1 }
    let middle = isEven ? upperRank - 1 : upperRank
    let draws = binomialTail(
      count: sorted.count,
      probability: Double(rank) / Double(sorted.count),
      atLeast: middle
    )
    return isEven ? draws - probabilityOfExcess(beyond: value, rank: rank) : draws
  }

  /// The probability that the lower middle draw is at most `value` and the median is not.
  ///
  /// With i the rank of the lower middle draw and j the largest rank whose midpoint with i is not
  /// above `value`, half of the draws have rank i at most, at least one of them i, and the other half
  /// ranks above j: C(n, n/2) · ((i/n)^(n/2) − ((i−1)/n)^(n/2)) · ((n−j)/n)^(n/2). Terms shrink as i
  /// falls, so the sum stops at the first one that no longer counts.
  private func probabilityOfExcess(beyond value: Double, rank: Int) -> Double {
    let n = Double(sorted.count)
    let half = n / 2
    let ways = logGamma(n + 1) - 2 * logGamma(half + 1)
    var sum = 0.0
    var upper = rank
    for lower in stride(from: rank, through: 1, by: -1) {
      while upper < sorted.count, sorted[lower - 1] / 2 + sorted[upper] / 2 <= value { upper += 1 }
      guard upper < sorted.count else { break }
      let i = Double(lower)
      let both = half * (log(i / n) + log((n - Double(upper)) / n))
      let term = exp(ways + both) * -expm1(half * log1p(-1 / i))
      sum += term
      guard term > 1e-22 else { break }
    }
    return sum
  }

  private func countOfSorted(atMost value: Double) -> Int {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] <= value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The probability of at least `least` successes in `count` independent trials.
///
/// It is the regularised incomplete beta function I_p(least, count − least + 1). The probability of
/// one success lies between 0 and 1, both excluded, and `least` from 1 to `count`.
///
/// Source: DLMF 8.17.5. Takes about √`count` steps.
func binomialTail(count: Int, probability: Double, atLeast least: Int) -> Double {
  incompleteBeta(
    probability,
    complement: 1 - probability,
    Double(least),
    Double(count - least + 1)
  )
}
