package import LaunchCore

/// Why no verdict is likely in the time that a comparison has.
package struct ComparisonOutlook: Hashable, Sendable {
  /// How long the launches may take, and how many pairs that is.
  package var time: Nanoseconds
  package var pairs: Int

  /// The smallest effect that so many pairs detect in 80 % of cases, as a share.
  package var detectable: Double

  /// What an effect must exceed, as a share.
  package var effectLimit: Double

  /// How many pairs tell so small an effect apart, and how long they take.
  package var pairsNeeded: Int
  package var timeNeeded: Nanoseconds

  package init(
    time: Nanoseconds,
    pairs: Int,
    detectable: Double,
    effectLimit: Double,
    pairsNeeded: Int,
    timeNeeded: Nanoseconds
  ) {
    self.time = time
    self.pairs = pairs
    self.detectable = detectable
    self.effectLimit = effectLimit
    self.pairsNeeded = pairsNeeded
    self.timeNeeded = timeNeeded
  }
}
