package import Foundation

/// How much a host's launches of one state scatter, from launching the same program as A and as B.
package struct HostNoise: Hashable, Codable, Sendable {
  /// The run that it comes from.
  package var run: String

  package var measuredAt: Date

  /// The fingerprint of the host.
  package var fingerprint: String

  /// The command that was launched as A and as B.
  package var command: [String]

  package var state: LaunchState

  /// How many pairs of launches there were.
  package var pairs: Int

  /// The median launch of A and B together, in nanoseconds.
  package var median: Double

  /// The coefficient of variation of A's and B's launches, the larger of both.
  package var coefficientOfVariation: Double

  /// The smallest effect that a comparison of so many pairs detects with 80 % power, as a share of
  /// the launch time; ascending by pairs.
  package var detectable: [DetectableEffect]

  /// How many comparisons of A with B were made, and how many called them different.
  package var comparisons: Int
  package var falseAlarms: Int

  package init(
    run: String,
    measuredAt: Date,
    fingerprint: String,
    command: [String],
    state: LaunchState,
    pairs: Int,
    median: Double,
    coefficientOfVariation: Double,
    detectable: [DetectableEffect],
    comparisons: Int,
    falseAlarms: Int
  ) {
    self.run = run
    self.measuredAt = measuredAt
    self.fingerprint = fingerprint
    self.command = command
    self.state = state
    self.pairs = pairs
    self.median = median
    self.coefficientOfVariation = coefficientOfVariation
    self.detectable = detectable
    self.comparisons = comparisons
    self.falseAlarms = falseAlarms
  }
}

/// The smallest effect that is detected with a number of pairs of launches.
package struct DetectableEffect: Hashable, Codable, Sendable {
  package var pairs: Int

  /// A share of the launch time, such as 0.04 for 4 %.
  package var effect: Double

  package init(pairs: Int, effect: Double) {
    self.pairs = pairs
    self.effect = effect
  }
}
