import Foundation
package import LaunchCore
package import LaunchStatistics

/// What is concluded of the slow launches of two targets that were launched in the same blocks.
package struct TailComparison: Hashable, Sendable {
  /// All pairs, those with launches that failed or were disturbed among them.
  package let pairs: PairedTail

  /// How many more launches may be slow for the two to be the same, as a share.
  package let limit: Double

  /// The evidence that the candidate has more slow launches, and that the baseline has.
  package let worse: PairedTail.Evidence
  package let better: PairedTail.Evidence

  /// How many more launches of the candidate may be slow, and of the baseline, as shares.
  package let atMost: Double
  package let atMostOfBaseline: Double

  private let rule: ComparisonRule

  /// Of fewer pairs nothing is said: 12 of which only one side is slow are the fewest that are evidence.
  package static let fewestPairs = 14

  /// What hints at more slow launches with at most this probability stands in the way of "same".
  private static let hint = 0.02

  /// Compares, in O(n log n); nil where the rule has no limit for slow launches, or there are too few
  /// pairs.
  package init?(_ pairs: PairedTail?, rule: ComparisonRule) {
    guard let pairs, pairs.count >= Self.fewestPairs, let limit = rule.tailLimit else { return nil }
    self.pairs = pairs
    self.limit = limit
    self.rule = rule
    let turned = pairs.exchanged
    worse = pairs.moreSlow(beyond: rule.effectLimit)
    better = turned.moreSlow(beyond: rule.effectLimit)
    let score = rule.tailScore
    atMost = pairs.mostMoreSlow(score: score)
    atMostOfBaseline = turned.mostMoreSlow(score: score)
  }

  /// Whether the candidate has more slow launches, and whether it has fewer.
  package var isWorse: Bool { worse.probability <= rule.tailProbability }
  package var isBetter: Bool { better.probability <= rule.tailProbability }

  /// Whether more slow launches of the candidate than the limit can be excluded, and of the baseline.
  var isNotWorse: Bool { atMost <= limit && worse.probability > Self.hint }
  var isNotBetter: Bool { atMostOfBaseline <= limit && better.probability > Self.hint }

  /// What slow launches alone say.
  package var verdict: Verdict {
    if isWorse { return .regression }
    if isBetter { return .improvement }
    return isNotWorse && isNotBetter ? .same : .inconclusive
  }

  /// The threshold of the stronger evidence: what lies beyond it is a slow launch.
  package var threshold: Double {
    worse.probability <= better.probability ? worse.threshold : better.threshold
  }

  /// The share of slow launches of both sides, with the interval of the look.
  package var shares: PairedTail.Shares {
    pairs.shares(beyond: threshold, score: rule.intervalScore)
  }

  /// How much longer a slow launch takes than the others, as a ratio of medians.
  package var slowness: Double? { pairs.slowness(beyond: threshold) }

  /// The ratio of the mean launches, with an interval where there are enough pairs for one.
  package var mean: (ratio: Double, interval: Interval?)? {
    pairs.meanRatio(confidence: rule.confidence).map { mean in
      (mean.ratio, pairs.count >= Self.fewestForMean ? mean.interval : nil)
    }
  }

  /// With fewer pairs a rare slow launch is often not among them, and the interval too narrow.
  private static let fewestForMean = 57

  /// How many pairs like these would exclude more slow launches than the limit; nil where more than a
  /// thousand times as many would not.
  package var pairsNeeded: Int? {
    guard atMost > limit else { return nil }
    let times = (0...80).lazy.map { pow(2, Double($0) / 8) }
      .first { pairs.mostMoreSlow(score: rule.tailScore, times: $0) <= limit }
    return times.map { Int((Double(pairs.count) * $0).rounded(.up)) }
  }

  /// Whether the evidence is so near its limit that the share found is likely too large.
  package var isNearLimit: Bool {
    min(worse.probability, better.probability) > rule.tailProbability / 10
  }
}

extension ComparisonRule {
  /// The probability up to which a count of pairs is evidence: of each look, threshold and side.
  ///
  /// With it 0.5 % of the comparisons of a program with itself find more slow launches on a given side,
  /// over all looks and thresholds; it was calibrated by simulation (docs/methodology.md).
  package var tailProbability: Double {
    PairedTail.probabilityLimit(looks: looks) * (1 - overallConfidence) / 0.05
  }

  /// The score of the bound on more slow launches, of each look.
  ///
  /// With it at most 5 % of the comparisons whose candidate has more slow launches by just the limit are
  /// called the same, over all looks.
  package var tailScore: Double {
    PairedTail.boundScore(looks: looks) * Self.score(overallConfidence) / Self.score(0.95)
  }

  /// The score of a two-sided interval of one look.
  var intervalScore: Double { Self.score((1 + confidence) / 2) }

  private static func score(_ probability: Double) -> Double {
    StudentT.quantile(probability, degreesOfFreedom: .infinity)
  }

  /// The share of the error that is left to the typical launch where slow launches are judged too.
  package static let typicalShare = 0.8
}
