import Foundation
import LaunchStatistics

/// A gap between the times of launches of one program, beyond which launches are slow.
///
/// Only a gap divides launches: what takes longest in "the slowest fifth" are the parts that scatter most, in
/// every program.
package struct LaunchGap: Hashable, Sendable {
  /// The middle of the gap, of logarithms, in the unit of the times.
  package let threshold: Double

  /// How wide it is, of logarithms, in robust deviations (1.4826 MAD) of the faster launches.
  package let width: Double

  /// How many launches lie beyond it.
  package let slowCount: Int

  /// How far the medians of both kinds lie apart, of logarithms, in their mean robust deviation.
  ///
  /// Source: the D of Ashman, Bird and Zepf, The Astronomical Journal 108 (1994), 2348-2361.
  private let separation: Double

  /// Fewer launches beyond a gap may be outliers.
  package static let fewestSlow = 5

  /// A narrower gap may be chance.
  static let leastWidth = 3.0

  /// Where fast launches now and then take longer, they fill the gap, and on a busy machine it is narrow.
  ///
  /// With so many launches beyond a narrow gap, so far from the others, chance hardly makes one either. Of
  /// five kinds of skewed noise the most skewed one (Pareto, 2.5) has a gap in 4, 9 and 25 % of draws of 80,
  /// 160 and 400 launches (3, 6 and 7 % without this rule), and the others in at most 2 %.
  static let enoughSlow = 12
  private static let leastDistinctness = 7.5
  private static let leastDistinctWidth = 0.3

  /// The width and the separation together.
  private var distinctness: Double { width + separation }

  /// Finds the gap that divides launches into two kinds.
  ///
  /// - Parameter times: All above 0.
  /// - Returns: Nil where there are no two kinds.
  static func dividing(_ times: [Double]) -> Self? {
    widest(times, fewestSlow: fewestSlow).flatMap { $0.width >= leastWidth ? $0 : nil }
      ?? distinct(times, fewestSlow: enoughSlow)
  }

  /// Finds the widest gap.
  ///
  /// - Parameters:
  ///   - times: All above 0.
  ///   - fewestSlow: How many launches lie beyond it at least.
  /// - Returns: Nil for too few launches.
  static func widest(_ times: [Double], fewestSlow: Int) -> Self? {
    let logs = times.map { log($0) }.sorted()
    let place = places(of: logs, fewestSlow).max {
      logs[$0] - logs[$0 - 1] < logs[$1] - logs[$1 - 1]
    }
    return place.flatMap { Self(logs, before: $0) }
  }

  /// Finds the gap on whose sides launches differ most; nil where they do not differ enough.
  static func distinct(_ times: [Double], fewestSlow: Int) -> Self? {
    let logs = times.map { log($0) }.sorted()
    return places(of: logs, fewestSlow).compactMap { Self(logs, before: $0) }
      .filter { $0.width >= leastDistinctWidth }
      .max { $0.distinctness < $1.distinctness }
      .flatMap { $0.distinctness >= leastDistinctness ? $0 : nil }
  }

  /// The launches before which a gap may be: at least 40 % of them are fast.
  private static func places(of logs: [Double], _ fewestSlow: Int) -> Range<Int> {
    let first = max(1, Int(0.4 * Double(logs.count)))
    return first..<max(first, logs.count - fewestSlow + 1)
  }

  private init?(_ logs: [Double], before place: Int) {
    guard let faster = try? Sample(Array(logs[..<place])),
      let slower = try? Sample(Array(logs[place...]))
    else { return nil }
    threshold = exp((logs[place] + logs[place - 1]) / 2)
    width = (logs[place] - logs[place - 1]) / (faster.robustDeviation + 1e-9)
    slowCount = logs.count - place
    let (fast, slow) = (faster.robustDeviation, slower.robustDeviation)
    let deviation = ((fast * fast + slow * slow) / 2).squareRoot()
    separation = (slower.median - faster.median) / (deviation + 1e-9)
  }
}

/// How many launches of a kind are slow.
package struct SlowShare: Hashable, Sendable {
  package var slow = 0
  package var launches = 0

  package init(_ isSlow: [Bool]) { (slow, launches) = (isSlow.count(where: \.self), isSlow.count) }

  package var share: Double { Double(slow) / Double(max(1, launches)) }

  /// The chance that two kinds of launches have such different shares, or more different ones, if both
  /// have the same: the two-sided exact test of Fisher.
  func probability(besides other: Self) -> Double {
    let all = slow + other.slow
    func logWeight(_ count: Int) -> Double {
      logWays(launches, count) + logWays(other.launches, all - count)
        - logWays(launches + other.launches, all)
    }
    let own = logWeight(slow) + 1e-9
    let weights = (max(0, all - other.launches)...min(all, launches)).map(logWeight)
    return min(1, weights.filter { $0 <= own }.reduce(0) { $0 + exp($1) })
  }
}

/// The chance that slow and other launches alternate as seldom as here, or more seldom, in a random order.
///
/// Source: Wald and Wolfowitz, "On a test whether two samples are from the same population", Annals of
/// Mathematical Statistics 11 (1940), 147-162; the exact distribution of the number of runs.
///
/// - Parameter isSlow: In the order of the launches.
/// - Returns: From above 0 to 1; 1 where all launches are alike.
func probabilityOfRuns(_ isSlow: [Bool]) -> Double {
  let slow = isSlow.count(where: \.self)
  let other = isSlow.count - slow
  guard slow > 0, other > 0 else { return 1 }
  let runs = 1 + zip(isSlow, isSlow.dropFirst()).count { $0 != $1 }
  func ways(_ slowRuns: Int, _ otherRuns: Int) -> Double {
    exp(
      logWays(slow - 1, slowRuns - 1) + logWays(other - 1, otherRuns - 1)
        - logWays(isSlow.count, slow)
    )
  }
  let sum = (2...runs).reduce(0.0) { sum, count in
    let half = count / 2
    return sum
      + (count.isMultiple(of: 2)
        ? 2 * ways(half, half) : ways(half + 1, half) + ways(half, half + 1))
  }
  return min(1, sum)
}

/// The logarithm of a binomial coefficient; −∞ where there is no such choice.
private func logWays(_ whole: Int, _ part: Int) -> Double {
  guard part >= 0, part <= whole else { return -.infinity }
  return logFactorial(whole) - logFactorial(part) - logFactorial(whole - part)
}

private func logFactorial(_ number: Int) -> Double { lgamma(Double(number + 1)) }
