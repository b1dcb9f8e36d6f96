package import LabModel
package import LabStatistics

/// What is concluded from launching two targets in the same blocks: the baseline, and the candidate
/// that is judged.
///
/// The whole interval of the median ratio decides, never the ratio
/// alone. Exchanging the two targets turns the ratio and the verdict over.
package struct PairedComparison: Hashable, Sendable {
  /// The pairs, one per block, in the order of the blocks.
  package let pairs: PairedRatio

  package let rule: ComparisonRule

  /// The median of candidate / baseline.
  package let ratio: Double

  /// The interval of the ratio, of the rule's confidence; nil for fewer than 5 pairs.
  package let interval: Interval?

  package let verdict: Verdict

  /// Why the verdict is inconclusive; nil when it is not.
  package let doubt: Doubt?

  /// Compares, in O(n log n).
  package init(_ pairs: PairedRatio, rule: ComparisonRule = ComparisonRule()) {
    self.pairs = pairs
    self.rule = rule
    ratio = pairs.ratio
    interval = pairs.interval(confidence: rule.confidence)
    (verdict, doubt) = Self.judged(ratio, interval, by: rule)
  }

  /// How many pairs were compared.
  package var count: Int { pairs.count }

  /// How far the ratio is from 1, as a share of the smaller side.
  package var effect: Double { Self.effect(of: ratio) }

  /// Whether the two are called different.
  package var isDifference: Bool { verdict == .regression || verdict == .improvement }

  /// The smallest effect that a comparison like this one detects in 80 % of cases.
  ///
  /// It is taken from the scatter of these pairs around their own median, so it can be told beside
  /// any verdict.
  ///
  /// - Parameter seed: That of the resampling; the same seed gives the same effect.
  /// - Returns: A share; nil for fewer than 5 pairs.
  package func smallestDetectable(seed: UInt64 = 1) -> Double? {
    pairs.detectableEffect(
      pairs: count,
      limit: rule.effectLimit,
      confidence: rule.confidence,
      seed: seed
    )
  }

  /// What stands in the way of a verdict; the raw value is the name used in JSON and reports.
  package enum Doubt: String, Codable, CaseIterable, Sendable {
    /// There are fewer than 5 pairs, so there is no interval.
    case fewPairs = "few-pairs"

    /// The interval reaches across a limit.
    case wideInterval = "wide-interval"

    /// The two would be called different, by less than this host can tell from its noise.
    case belowNoiseFloor = "below-noise-floor"
  }

  private static func judged(
    _ ratio: Double,
    _ interval: Interval?,
    by rule: ComparisonRule
  ) -> (Verdict, Doubt?) {
    guard let interval else { return (.inconclusive, .fewPairs) }
    let upper = 1 + rule.effectLimit
    let isLarger = interval.low > upper
    guard isLarger || interval.high < 1 / upper else {
      let isWithin = interval.low >= 1 / upper && interval.high <= upper
      return isWithin ? (.same, nil) : (.inconclusive, .wideInterval)
    }
    if let floor = rule.noiseFloor, effect(of: ratio) < floor {
      return (.inconclusive, .belowNoiseFloor)
    }
    return (isLarger == (rule.direction == .lowerIsBetter) ? .regression : .improvement, nil)
  }

  private static func effect(of ratio: Double) -> Double { max(ratio, 1 / ratio) - 1 }
}
