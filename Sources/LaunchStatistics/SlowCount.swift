import Foundation

/// How many launches of a night are slow, held against the nights before.
///
/// A launch is slow when it takes more than ``limit`` times the median of its own night, so that a night
/// as a whole may be slower without more slow launches. On the nights of the baseline the count follows a
/// beta-binomial distribution: some nights have more of them than chance, and those raise
/// ``correlation``.
package struct SlowCount: Hashable, Sendable {
  /// The fewest times the median that is slow, however little the launches scatter.
  package static let leastLimit = 1.10

  /// How many robust standard deviations of the logarithms are slow.
  private static let deviations = 3.5

  /// A launch beyond this many times the median of its night is slow, at least 1.1.
  package let limit: Double

  /// The chance of a slow launch on the nights of the baseline, above 0.
  package let share: Double

  /// The overdispersion ρ of the beta-binomial distribution, from 0 to 0.5.
  package let correlation: Double

  /// The slow launches of the baseline, and all of them.
  package let slow: Int
  package let launches: Int

  /// The mean launches of a night of the baseline.
  private let launchesOfNight: Double

  /// Takes in the baseline.
  ///
  /// It is nil for fewer than two nights with a launch.
  ///
  /// - Parameter nights: Per night the launches divided by the median of the night; one that never came
  ///   is very large.
  ///
  /// The variance of the counts is shrunk by the 90 % quantile of its error under a binomial distribution, since
  /// otherwise a few nights pass for overdispersed half of the time.
  package init?(baseline nights: [[Double]]) {
    let nights = nights.filter { !$0.isEmpty }
    guard nights.count >= 2 else { return nil }
    let limit = Self.limit(of: nights)
    let counts = nights.map { night in night.count { $0 > limit } }
    self.limit = limit
    slow = counts.reduce(0, +)
    launches = nights.reduce(0) { $0 + $1.count }
    let n = Double(launches) / Double(nights.count)
    let p = (Double(slow) + 0.5) / Double(launches + 1)
    share = p
    launchesOfNight = n
    // Counts of nights with more or fewer launches are compared as shares.
    let scaled = zip(counts, nights).map { n * Double($0) / Double($1.count) }
    let mean = scaled.reduce(0, +) / Double(nights.count)
    let variance = scaled.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(nights.count - 1)
    let chance = 1.28 * (2 / Double(nights.count - 1)).squareRoot()
    let excess = variance / (n * p * (1 - p)) - 1 - chance
    correlation = n > 1 ? min(0.5, max(0, excess / (n - 1))) : 0
  }

  /// The limit that launches of some nights give: 3.5 robust standard deviations, at least 10 %.
  ///
  /// - Parameter nights: As of ``init(baseline:)``.
  /// - Returns: How many times the median; without any night, the least limit.
  package static func limit(of nights: [[Double]]) -> Double {
    let scatter = nights.joined().map { abs(log($0)) }.sorted()
    guard !scatter.isEmpty else { return leastLimit }
    let (low, high) = (scatter[(scatter.count - 1) / 2], scatter[scatter.count / 2])
    return max(leastLimit, exp(deviations * 1.4826 * (low + high) / 2))
  }

  /// How many launches of a night are slow.
  package func count(of night: [Double]) -> Int { night.count { $0 > limit } }

  /// The standard deviation of the share of slow launches of a night, as a share.
  package var deviation: Double {
    (share * (1 - share) * (1 + (launchesOfNight - 1) * correlation) / launchesOfNight).squareRoot()
  }

  /// The probability of at least so many slow launches if nothing changed.
  ///
  /// - Parameters:
  ///   - slow: How many were slow.
  ///   - launches: Of how many, at least 1.
  ///   - nights: Over how many nights together, at least 1; over several the nights even out.
  /// - Returns: From 0 to 1; takes O(launches).
  package func upperTail(_ slow: Int, of launches: Int, nights: Int = 1) -> Double {
    let rho = max(correlation / Double(nights), 1e-4)
    let size = max(1 / rho - 1, 1e-6)
    return betaBinomialTail(
      count: launches,
      atLeast: slow,
      share * size,
      (1 - share) * size
    )
  }
}

/// The probability of at least `least` successes in `count` trials whose chance has a beta distribution.
///
/// Source: Johnson, Kemp and Kotz, *Univariate Discrete Distributions*, 3rd edition (2005), section 6.2.2.
private func betaBinomialTail(count: Int, atLeast least: Int, _ a: Double, _ b: Double) -> Double {
  guard least > 0 else { return 1 }
  guard least <= count else { return 0 }
  let n = Double(count)
  let constant =
    logGamma(n + 1) + logGamma(a + b) - logGamma(a) - logGamma(b) - logGamma(n + a + b)
  let terms = (least...count).map { (number: Int) -> Double in
    let k = Double(number)
    let ways = logGamma(k + 1) + logGamma(n - k + 1)
    return exp(constant - ways + logGamma(k + a) + logGamma(n - k + b))
  }
  // The smallest terms first.
  return min(1, terms.reversed().reduce(0, +))
}

/// The exact interval of a share by Clopper and Pearson.
package enum ShareInterval {
  /// The interval that holds the true share in at least the given part of all samples.
  ///
  /// - Parameters:
  ///   - count: How many have the property, from 0 to `total`.
  ///   - total: At least 1.
  ///   - confidence: Of both sides together, between 0 and 1.
  /// - Returns: Bounds from 0 to 1.
  ///
  /// Source: Clopper and Pearson, Biometrika 26 (1934), 404–413.
  package static func exact(
    _ count: Int,
    of total: Int,
    confidence: Double = 0.95
  ) -> (low: Double, high: Double) {
    let tail = (1 - confidence) / 2
    func bound(atLeast least: Int, _ probability: Double) -> Double {
      var (low, high) = (0.0, 1.0)
      for _ in 0..<60 {
        let middle = (low + high) / 2
        let found = binomialTail(count: total, probability: middle, atLeast: least)
        if found < probability { low = middle } else { high = middle }
      }
      return (low + high) / 2
    }
    return (
      count == 0 ? 0 : bound(atLeast: count, tail),
      count == total ? 1 : bound(atLeast: count + 1, 1 - tail)
    )
  }
}
