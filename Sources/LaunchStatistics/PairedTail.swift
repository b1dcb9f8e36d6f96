import Foundation

/// How many values of each side are slow, from launches that come in pairs.
///
/// A pair of which only one side is slow says which side has more slow launches. The order within a
/// pair is random, so that without a difference each of these pairs is as likely to be of one kind as
/// of the other, whatever the noise and its course: the counts are binomial, exactly.
///
/// Exchanging the two sides exchanges everything that is found, and the unit does not matter.
package struct PairedTail: Hashable, Sendable {
  /// Positive numbers in any unit, in the order of collection; infinite for what never came.
  package let baseline: [Double]

  /// As many, in the same unit.
  package let candidate: [Double]

  /// All values of both sides, ascending.
  private let pool: [Double]

  /// - Parameter pairs: Positive numbers in any unit, infinite for what never came.
  /// - Throws: ``StatisticsError`` when there is no pair, or a value that is not above 0.
  package init(_ pairs: [(baseline: Double, candidate: Double)]) throws(StatisticsError) {
    // One over a value is finite where the value may be infinite.
    _ = try Sample(pairs.flatMap { [$0.baseline, $0.candidate] }.map { $0 > 0 ? 1 / $0 : .nan })
    self.init(baseline: pairs.map(\.baseline), candidate: pairs.map(\.candidate))
  }

  private init(baseline: [Double], candidate: [Double]) {
    self.baseline = baseline
    self.candidate = candidate
    pool = (baseline + candidate).sorted()
  }

  /// The number of pairs, at least 1.
  package var count: Int { baseline.count }

  /// The same with the two sides exchanged.
  package var exchanged: Self { Self(baseline: candidate, candidate: baseline) }

  // MARK: - Limits

  /// The probability up to which a count of pairs is evidence: of each look, threshold and side.
  ///
  /// With it 0.5 % of the comparisons of a program with itself find more slow launches on a given side,
  /// over all looks and thresholds; it was calibrated by simulation (docs/methodology.md).
  package static func probabilityLimit(looks: Int) -> Double {
    switch looks {
    case ...5: 0.002
    case ...8: 0.0012
    case ...11: 0.0007
    default: 0.00035
    }
  }

  /// The score of the bound on more slow launches, of each look, for an error of 5 % over all looks.
  package static func boundScore(looks: Int) -> Double {
    min(2.5, 1.645 + 0.41 * log2(Double(looks)))
  }

  // MARK: - Whether there are more slow ones

  /// Pairs of which only one side is slow.
  package struct Evidence: Hashable, Sendable {
    /// The chance of such a majority where neither side has more slow ones, from 0 to 1.
    package let probability: Double

    /// What lies beyond it is slow, in the unit of the values.
    package let threshold: Double

    /// In how many pairs only the candidate is slow, and only the baseline.
    package let onlyCandidate: Int
    package let onlyBaseline: Int
  }

  /// Tests whether the candidate has more slow launches, at each of five thresholds.
  ///
  /// The thresholds come from all values together, which an exchange within a pair leaves as they are.
  ///
  /// - Parameter margin: By which share the candidate may be slower throughout.
  /// - Returns: The evidence of the threshold with the least probability; 1 where no threshold has more
  ///   pairs with only the candidate slow.
  package func moreSlow(beyond margin: Double) -> Evidence {
    let eased = Self(baseline: baseline, candidate: candidate.map { $0 / (1 + margin) })
    let thresholds = eased.findingThresholds
    var best = Evidence(
      probability: 1,
      threshold: thresholds.last ?? .infinity,
      onlyCandidate: 0,
      onlyBaseline: 0
    )
    for threshold in thresholds {
      let counts = eased.counts(beyond: threshold)
      guard counts.onlyCandidate > counts.onlyBaseline else { continue }
      let probability = binomialTail(
        count: counts.onlyCandidate + counts.onlyBaseline,
        probability: 0.5,
        atLeast: counts.onlyCandidate
      )
      if probability < best.probability {
        best = Evidence(
          probability: probability,
          threshold: threshold,
          onlyCandidate: counts.onlyCandidate,
          onlyBaseline: counts.onlyBaseline
        )
      }
    }
    return best
  }

  /// Three quantiles and two multiples of the scatter, each a noticeable share above the median.
  private var findingThresholds: [Double] {
    let middle = median
    // Where half of all never came, that is what tells the two sides apart.
    guard middle.isFinite else { return pool.last(where: \.isFinite).map { [$0] } ?? [] }
    let quantiles = [0.75, 0.875, 0.95].map { share in
      max(pool[Int(share * Double(pool.count))], middle * 1.05)
    }
    return quantiles + thresholds([(3.5, 0.10), (7, 0.35)])
  }

  // MARK: - How many more there may be

  /// The share of slow values of each side, and by how much that of the candidate is larger.
  package struct Shares: Hashable, Sendable {
    package let baseline: Double
    package let candidate: Double

    /// The interval of candidate - baseline.
    package let difference: Interval
  }

  /// Counts the values beyond a threshold.
  ///
  /// - Parameters:
  ///   - threshold: In the unit of the values.
  ///   - score: The standard normal quantile of the interval, such as 1.96 for 95 %.
  /// - Returns: The shares of both sides, with the interval of their difference.
  package func shares(beyond threshold: Double, score: Double) -> Shares {
    let counts = counts(beyond: threshold)
    return counts.shares(of: 1, score: score)
  }

  /// The largest difference of shares that cannot be excluded, over three thresholds.
  ///
  /// It holds for all of them, so that no correction for their number is needed.
  ///
  /// - Parameters:
  ///   - score: The one-sided standard normal quantile.
  ///   - times: How many times as many pairs like these there are, as a forecast.
  /// - Returns: From 0 to 1; 1 where half of all never came.
  package func mostMoreSlow(score: Double, times: Double = 1) -> Double {
    boundThresholds.map { counts(beyond: $0).shares(of: times, score: score).difference.high }.max()
      ?? 1
  }

  /// From how much above the common median on a value counts as slow in ``mostMoreSlow(score:times:)``,
  /// as a share; nil where half of all never came.
  package var slowFrom: Double? { boundThresholds.first.map { $0 / median - 1 } }

  private var boundThresholds: [Double] {
    median.isFinite ? thresholds([(2, 0.10), (3.5, 0.20), (7, 0.40)]) : []
  }

  /// The excess of slow values that such a comparison finds in 80 % of cases, as a share, at most 1.
  ///
  /// With p the share that is slow on both sides, n pairs have about 2 n p (1 - p) of which one side is
  /// slow by chance; 4.23 standard errors are the threshold of the test and the power together.
  package var smallestExcess: Double {
    guard median.isFinite, let threshold = thresholds([(3.5, 0.10)]).first else { return 1 }
    let common = Double(pool.count { $0 > threshold }) / Double(pool.count)
    let square = 4.23 * 4.23
    let n = Double(count)
    let chance = 8 * n * square * common * (1 - common)
    return min(1, (square + (square * square + chance).squareRoot()) / (2 * n))
  }

  // MARK: - What the slow ones are like

  /// How much longer a slow value is than the others, as a ratio of medians.
  ///
  /// - Parameter threshold: In the unit of the values.
  /// - Returns: Infinite where most of the slow ones never came; nil where none or all are slow.
  package func slowness(beyond threshold: Double) -> Double? {
    let slow = pool.filter { $0 > threshold }
    guard let slowMedian = Self.median(slow),
      let otherMedian = Self.median(pool.filter { $0 <= threshold })
    else { return nil }
    return slowMedian / otherMedian
  }

  /// The ratio of the means of what came on both sides of a pair.
  ///
  /// The interval is that of the delta method, on the logarithmic scale, with Student's t.
  ///
  /// - Parameter confidence: From 0 to 1, both excluded.
  /// - Returns: Candidate / baseline with its interval; nil for fewer than two pairs.
  package func meanRatio(confidence: Double) -> (ratio: Double, interval: Interval)? {
    let pairs = zip(baseline, candidate).filter { $0.0.isFinite && $0.1.isFinite }
    guard pairs.count > 1 else { return nil }
    let n = Double(pairs.count)
    let means = (pairs.reduce(0) { $0 + $1.0 } / n, pairs.reduce(0) { $0 + $1.1 } / n)
    let ratio = means.1 / means.0
    guard let errors = try? Sample(pairs.map { $0.1 - ratio * $0.0 }),
      let variance = errors.variance
    else { return nil }
    let error = (variance / n).squareRoot() / means.1
    let reach = error * StudentT.quantile((1 + confidence) / 2, degreesOfFreedom: n - 1)
    return (ratio, Interval(low: ratio * exp(-reach), high: ratio * exp(reach)))
  }

  // MARK: - Counts

  private var median: Double { medianOfSorted(pool[...]) }

  private static func median(_ sorted: [Double]) -> Double? {
    sorted.isEmpty ? nil : medianOfSorted(sorted[...])
  }

  /// The larger of a multiple of the scatter and a share above the median, for each pair of these.
  private func thresholds(_ places: [(deviations: Double, share: Double)]) -> [Double] {
    let middle = median
    let distances = pool.map { abs(log($0 / middle)) }.sorted()
    let deviation = 1.4826 * (Self.median(distances) ?? 0)
    return places.map { middle * max(exp($0.deviations * deviation), 1 + $0.share) }
  }

  private func counts(beyond threshold: Double) -> PairCounts {
    var counts = PairCounts()
    for (baseline, candidate) in zip(baseline, candidate) {
      switch (baseline > threshold, candidate > threshold) {
      case (true, true): counts.both += 1
      case (true, false): counts.onlyBaseline += 1
      case (false, true): counts.onlyCandidate += 1
      case (false, false): counts.neither += 1
      }
    }
    return counts
  }
}

/// Pairs by which of their sides is slow.
private struct PairCounts {
  var both = 0
  var onlyBaseline = 0
  var onlyCandidate = 0
  var neither = 0

  /// The shares of some times as many such pairs, with the interval of paired shares.
  ///
  /// Source: Newcombe, Statistics in Medicine 17 (1998), 2635-2650, method 10.
  func shares(of times: Double, score: Double) -> PairedTail.Shares {
    let both = Double(both) * times
    let n = both + Double(onlyBaseline + onlyCandidate + neither) * times
    let a = both + Double(onlyBaseline) * times
    let b = both + Double(onlyCandidate) * times
    let (first, second) = (a / n, b / n)
    let (low, high) = (Self.wilson(a, n, score), Self.wilson(b, n, score))
    var correlation = 0.0
    let product = b * (n - b) * a * (n - a)
    if product > 0 {
      let single = Double(onlyBaseline) * Double(onlyCandidate) * times * times
      var covariance = both * Double(neither) * times - single
      if covariance > 0 { covariance = max(covariance - n / 2, 0) }
      correlation = covariance / product.squareRoot()
    }
    func reach(_ one: Double, _ other: Double) -> Double {
      max(0, one * one - 2 * correlation * one * other + other * other).squareRoot()
    }
    let difference = second - first
    return PairedTail.Shares(
      baseline: first,
      candidate: second,
      difference: Interval(
        low: difference - reach(second - high.low, low.high - first),
        high: difference + reach(high.high - second, first - low.low)
      )
    )
  }

  /// The score interval of a share.
  ///
  /// Source: Wilson, Journal of the American Statistical Association 22 (1927), 209-212.
  private static func wilson(_ count: Double, _ n: Double, _ score: Double) -> Interval {
    let share = count / n
    let square = score * score
    let scale = 1 + square / n
    let center = (share + square / (2 * n)) / scale
    let reach =
      score / scale * (share * (1 - share) / n + square / (4 * n * n)).squareRoot()
    return Interval(low: max(0, center - reach), high: min(1, center + reach))
  }
}
