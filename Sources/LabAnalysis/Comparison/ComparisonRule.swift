package import LabModel

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
}
