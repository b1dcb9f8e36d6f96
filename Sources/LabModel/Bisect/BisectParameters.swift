/// The numbers that the decisions of a bisection depend on, stored with it.
///
/// Differences are natural logarithms of ratios. Sources of the defaults: the simulations behind
/// `docs/bisect.md`.
package struct BisectParameters: Hashable, Codable, Sendable {
  /// The smallest difference that is looked for.
  package var minimumEffect: Double

  /// The probability a culprit must have before and after it is confirmed.
  package var confidence: Double

  /// The level of each look of a test of two builds.
  package var alpha: Double

  /// Which changes are looked for.
  package var direction: Direction

  /// Whether every change in the range is looked for.
  package var findsAll: Bool

  /// Whether values vary so little, as counts of instructions do, that one launch of each build is
  /// worth something and nothing drifts.
  package var isExact: Bool

  /// Whether the search goes on although the ends do not differ.
  package var isForced: Bool

  /// What a build and a launch cost before the first one was timed, in seconds.
  package var buildSeconds: Double
  package var launchSeconds: Double

  /// How likely it is that a commit does not build, before any was tried.
  package var brokenShare: Double

  package var limits: BisectLimits

  package init(
    minimumEffect: Double = 0.00995033,  // 1 %
    confidence: Double = 0.95,
    alpha: Double = 0.001,
    direction: Direction = .regression,
    findsAll: Bool = false,
    isExact: Bool = false,
    isForced: Bool = false,
    buildSeconds: Double = 100,
    launchSeconds: Double = 1,
    brokenShare: Double = 0.05,
    limits: BisectLimits = BisectLimits()
  ) {
    self.minimumEffect = minimumEffect
    self.confidence = confidence
    self.alpha = alpha
    self.direction = direction
    self.findsAll = findsAll
    self.isExact = isExact
    self.isForced = isForced
    self.buildSeconds = buildSeconds
    self.launchSeconds = launchSeconds
    self.brokenShare = brokenShare
    self.limits = limits
  }

  /// Which changes are looked for.
  package enum Direction: String, Codable, CaseIterable, Sendable {
    case regression
    case improvement

    /// The one that the ends show.
    case any
  }
}
