import Foundation
import LaunchStatistics

/// Whether two builds differ, from the ratios of pairs of their launches, at looks fixed before.
enum PairTest: Hashable, Sendable {
  /// So many more pairs are needed for the next look.
  case more(Int)

  /// They differ, and the interval excludes 0.
  case differ(LogInterval)

  /// They are the same within the limit.
  case same(LogInterval)

  /// No look told.
  case open(LogInterval)

  /// Judges log ratios in the order they were measured in.
  ///
  /// - Parameters:
  ///   - ratios: The second build to the first.
  ///   - looks: The numbers of pairs at which is looked, ascending and not empty.
  ///   - limit: The difference below which builds are the same.
  ///   - alpha: The level of each look.
  ///   - isExact: Whether Student's t test is used, for a few values without outliers, instead of
  ///     the signed ranks.
  init(_ ratios: [Double], looks: [Int], limit: Double, alpha: Double, isExact: Bool) {
    for look in looks {
      guard ratios.count >= look else {
        self = .more(look - ratios.count)
        return
      }
      guard ratios.count == look else { continue }
      let interval = Self.interval(ratios, alpha: alpha, isExact: isExact)
      if Self.excludesZero(ratios, interval, alpha: alpha, isExact: isExact) {
        self = .differ(interval)
        return
      }
      if max(abs(interval.lower), abs(interval.upper)) < limit {
        self = .same(interval)
        return
      }
    }
    self = .open(Self.interval(ratios, alpha: alpha, isExact: isExact))
  }

  private static func excludesZero(
    _ ratios: [Double],
    _ interval: LogInterval,
    alpha: Double,
    isExact: Bool
  ) -> Bool {
    guard interval.lower * interval.upper > 0 else { return false }
    return isExact || SignedRank.probability(ratios) < alpha
  }

  /// The interval of 99 % by signed ranks, or of 1 − `alpha` by Student's t.
  private static func interval(_ ratios: [Double], alpha: Double, isExact: Bool) -> LogInterval {
    interval(ratios, confidence: isExact ? 1 - alpha : 0.99, isExact: isExact)
  }

  /// The location of some log ratios with an interval.
  ///
  /// - Parameters:
  ///   - ratios: At least one.
  ///   - confidence: From 0 to 1, both excluded.
  ///   - isExact: Whether values hardly vary, so that Student's t is taken and not signed ranks.
  /// - Returns: The estimate and the interval.
  static func interval(_ ratios: [Double], confidence: Double, isExact: Bool) -> LogInterval {
    guard isExact else {
      let location = HodgesLehmann(ratios, confidence: confidence)
      return LogInterval(
        estimate: location.estimate,
        lower: location.lower,
        upper: location.upper
      )
    }
    let count = Double(ratios.count)
    let mean = ratios.reduce(0, +) / count
    let squares = ratios.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    // Equal counts have a deviation of 0, which would be taken for certainty.
    let deviation = max(1e-5, (squares / max(1, count - 1)).squareRoot())
    let t = StudentT.quantile(0.5 + confidence / 2, degreesOfFreedom: max(1, count - 1))
    let half = t * deviation / count.squareRoot()
    return LogInterval(estimate: mean, lower: mean - half, upper: mean + half)
  }
}

extension LogInterval {
  /// The same seen from the other side, when the orientation is −1.
  func oriented(_ orientation: Double) -> LogInterval {
    guard orientation < 0 else { return self }
    return LogInterval(estimate: -estimate, lower: -upper, upper: -lower)
  }
}

extension PairedTail {
  /// The same seen from the other side, when the orientation is −1.
  func oriented(_ orientation: Double) -> Self { orientation < 0 ? exchanged : self }
}

/// How the CPU times of good and bad compare, in the pairs of launches whose times were measured.
package struct ProcessorTimeDifference: Hashable, Sendable {
  /// How many pairs there were.
  package var pairs: Int

  /// The log ratio of bad to good, with its 99 % interval.
  package var difference: LogInterval

  package init(pairs: Int, difference: LogInterval) {
    self.pairs = pairs
    self.difference = difference
  }

  /// The fewest pairs that are compared.
  static let fewestPairs = 8

  /// Compares the times of pairs; nil for fewer than 8 pairs of which both times are above 0.
  ///
  /// - Parameters:
  ///   - good: In nanoseconds, one per pair.
  ///   - bad: As many, in the same order.
  package init?(good: [Double], bad: [Double]) {
    let ratios = zip(good, bad).filter { $0 > 0 && $1 > 0 }.map { log($1 / $0) }
    guard ratios.count >= Self.fewestPairs else { return nil }
    self.init(
      pairs: ratios.count,
      difference: PairTest.interval(ratios, confidence: 0.99, isExact: false)
    )
  }

  /// Whether the times tell good from bad by some effect and more.
  package func isClear(_ effect: Double) -> Bool {
    difference.lower * difference.upper > 0 && abs(difference.estimate) >= effect
  }

  /// Whether the times are the same within an effect.
  package func isSame(within effect: Double) -> Bool {
    max(abs(difference.lower), abs(difference.upper)) < effect
  }
}
