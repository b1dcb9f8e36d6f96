package import Comparison
import Foundation
package import LaunchCore
package import LaunchStatistics

/// On which hosts a suspicion is proved, at the same time.
package struct ProofPlan: Hashable, Sendable {
  /// The steadiest host first.
  package let shares: [Share]

  /// What one host launches.
  package struct Share: Hashable, Sendable {
    package let host: String
    package let pairs: Int
  }

  /// Divides pairs equally among the steadiest hosts.
  ///
  /// There are two, and up to four if the others scatter at most twice as much as the steadiest one. Each
  /// must have enough pairs for an interval, so few pairs are not divided. Nil without a host, or with too
  /// few pairs for one.
  ///
  /// - Parameters:
  ///   - pairs: How many are launched in all; what is left over goes to the steadiest hosts.
  ///   - ranking: The hosts that can be asked, the steadiest first.
  ///   - most: On how many hosts at most.
  ///   - rule: That of the proof.
  package init?(
    pairs: Int,
    on ranking: [HostStability],
    atMost most: Int = FleetLimits.proofHosts,
    rule: ComparisonRule = ComparisonRule()
  ) {
    let fewest = PairedRatio.fewestPairs(confidence: rule.confidence)
    let limit = FleetLimits.unsteadiness * (ranking.first?.deviation ?? 0)
    let steady = ranking.enumerated().filter { $0 < 2 || $1.deviation <= limit }.map(\.element)
    let count = min(most, FleetLimits.proofHosts, steady.count, pairs / fewest)
    guard count > 0 else { return nil }
    shares = (0..<count).map { place in
      Share(host: steady[place].host, pairs: pairs / count + (place < pairs % count ? 1 : 0))
    }
  }
}

/// What one host has found of two builds.
package struct HostRatio: Hashable, Sendable {
  package var host: String
  package var pairs: Int

  /// Candidate / baseline.
  package var ratio: Double

  /// That of the ratio; nil for too few pairs, and where too many launches were disturbed.
  package var interval: Interval?

  /// The commits, or the first digits of the digests, of the two builds; empty where they are not known.
  package var good = ""
  package var bad = ""

  package init(host: String, pairs: Int, ratio: Double, interval: Interval?) {
    self.host = host
    self.pairs = pairs
    self.ratio = ratio
    self.interval = interval
  }

  /// Takes the comparison that a host has made of two builds of one target.
  package init(host: String, arm: ArmComparison) {
    self.init(
      host: host,
      pairs: arm.comparison?.count ?? 0,
      ratio: arm.comparison?.ratio ?? 1,
      interval: arm.obstacle == nil ? arm.comparison?.interval : nil
    )
    let start = arm.pair.name.count + 1
    good = String(arm.pair.baseline.dropFirst(start))
    bad = String(arm.pair.candidate.dropFirst(start))
  }

  /// The logarithm of the ratio, and half the width of its interval; nil for what has none.
  fileprivate var effect: (center: Double, half: Double)? {
    guard let interval, ratio > 0, interval.low > 0, ratio.isFinite, interval.high.isFinite else {
      return nil
    }
    return (log(ratio), log(interval.high / interval.low) / 2)
  }
}

/// What several hosts have found together of two builds.
package struct FleetProof: Hashable, Sendable {
  /// The label of the night on which it was made; nil for the one that is judged.
  package var night: String?

  /// Those with an interval, ascending by name.
  package let hosts: [HostRatio]

  /// Candidate / baseline.
  package let ratio: Double

  package let interval: Interval

  /// Of the interval, from 0 to 1.
  package let confidence: Double

  /// How much the ratio scatters between hosts beyond their pairs, as a standard deviation of its logarithm;
  /// nil for one host.
  package let tau: Double?

  package let verdict: Verdict

  /// How many pairs were launched in all, on these hosts.
  package var pairs: Int { hosts.reduce(0) { $0 + $1.pairs } }

  /// Combines the comparisons of the same two builds on several hosts.
  ///
  /// The ratio is the mean of the logarithms, weighted by the inverse squares of the intervals' widths. A
  /// host whose interval is narrower than the middle one's counts like that: the width is an estimate
  /// itself, and the hosts that seem sharpest are partly the lucky ones. The interval is that of the
  /// pairs alone: one between few hosts is too wide to find anything, and so `tau` stands beside it. Nil if
  /// no host has an interval.
  ///
  /// - Parameters:
  ///   - ratios: One of each host, in any order, with intervals of the rule's confidence.
  ///   - rule: The effect limit, confidence and direction.
  ///
  /// Source of tau: DerSimonian and Laird, Controlled Clinical Trials 7 (1986), 177-188.
  package init?(_ ratios: [HostRatio], rule: ComparisonRule = ComparisonRule()) {
    let hosts = ratios.filter { $0.effect != nil }.sorted { $0.host < $1.host }
    guard let effects = WeightedEffects(hosts.compactMap(\.effect), confidence: rule.confidence)
    else { return nil }
    self.hosts = hosts
    confidence = rule.confidence
    ratio = exp(effects.mean)
    tau = effects.tau
    let half = effects.half
    interval = Interval(low: exp(effects.mean - half), high: exp(effects.mean + half))
    verdict = rule.judged(ratio, interval).verdict
  }
}

/// Effects of several hosts, in logarithms.
private struct WeightedEffects {
  /// The weighted mean.
  let mean: Double

  private let centers: [Double]

  /// Half the widths of the intervals.
  private let halves: [Double]

  private let weights: [Double]
  private let confidence: Double

  init?(_ effects: [(center: Double, half: Double)], confidence: Double) {
    guard let middle = (try? Sample(effects.map(\.half)))?.median else { return nil }
    // Without any scatter all hosts count the same.
    let weights = effects.map { middle > 0 ? pow(max($0.half, middle), -2) : 1 }
    centers = effects.map(\.center)
    halves = effects.map(\.half)
    self.weights = weights
    self.confidence = confidence
    mean = zip(centers, weights).reduce(0) { $0 + $1.0 * $1.1 } / weights.reduce(0, +)
  }

  private var sum: Double { weights.reduce(0, +) }

  /// Half the width of the interval of the mean by those of the hosts.
  var half: Double {
    zip(halves, weights).reduce(0) { $0 + $1.0 * $1.0 * $1.1 * $1.1 }.squareRoot() / sum
  }

  /// The standard deviation between hosts beyond the intervals.
  var tau: Double? {
    guard centers.count > 1 else { return nil }
    let quantile = StudentT.quantile((1 + confidence) / 2, degreesOfFreedom: .infinity)
    let variances = halves.map { pow($0 / quantile, 2) }
    // The expectation of the weighted squares is that of the intervals, and tau² times a factor.
    let squares = zip(centers, weights).reduce(0) { $0 + $1.1 * pow($1.0 - mean, 2) }
    let within = zip(variances, weights).reduce(0) { $0 + $1.0 * $1.1 * (1 - $1.1 / sum) }
    let factor = sum - weights.reduce(0) { $0 + $1 * $1 } / sum
    return max(0, (squares - within) / factor).squareRoot()
  }
}
