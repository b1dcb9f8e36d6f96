package import LabModel
package import LabStatistics

/// When two arms are called different.
package struct ComparisonRule: Hashable, Sendable {
  /// What an effect must exceed, as a share: 0.02 stands for a ratio of 1.02, or of 1 / 1.02.
  package var effectLimit: Double

  /// The confidence of the interval, from 0 to 1, both excluded.
  package var confidence: Double

  /// The smallest effect that this host tells apart from its own noise; nil when it is not known.
  package var noiseFloor: Double?

  /// Which way the compared metric is better.
  package var direction: Metric.Direction

  package init(
    effectLimit: Double = 0.02,
    confidence: Double = 0.95,
    noiseFloor: Double? = nil,
    direction: Metric.Direction = .lowerIsBetter
  ) {
    self.effectLimit = effectLimit
    self.confidence = confidence
    self.noiseFloor = noiseFloor
    self.direction = direction
  }

  /// The same rule with another limit.
  package func limited(to effectLimit: Double) -> Self {
    var rule = self
    rule.effectLimit = effectLimit
    return rule
  }

  /// The same rule with an interval of another confidence.
  package func confident(by confidence: Double) -> Self {
    var rule = self
    rule.confidence = confidence
    return rule
  }

  /// Judges a ratio by its interval: the whole interval decides, never the ratio alone.
  ///
  /// - Parameters:
  ///   - ratio: Candidate / baseline.
  ///   - interval: That of the ratio; nil when there are too few values for one.
  /// - Returns: The verdict, and what stands in its way if it is inconclusive.
  package func judged(
    _ ratio: Double,
    _ interval: Interval?
  ) -> (verdict: Verdict, doubt: PairedComparison.Doubt?) {
    guard let interval else { return (.inconclusive, .fewPairs) }
    let upper = 1 + effectLimit
    let isLarger = interval.low > upper
    guard isLarger || interval.high < 1 / upper else {
      let isWithin = interval.low >= 1 / upper && interval.high <= upper
      return isWithin ? (.same, nil) : (.inconclusive, .wideInterval)
    }
    if let noiseFloor, PairedComparison.effect(of: ratio) < noiseFloor {
      return (.inconclusive, .belowNoiseFloor)
    }
    return (isLarger == (direction == .lowerIsBetter) ? .regression : .improvement, nil)
  }
}
