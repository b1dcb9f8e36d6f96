/// A simulated range of revisions and the machine that it is launched on.
///
/// Shares are fractions: 0.05 is 5 %.
package struct SimulationSettings: Hashable, Sendable {
  /// The number of revisions after good.
  package var candidates = 64

  /// How much slower the change makes a launch, as a share.
  package var effect = 0.05

  /// The standard deviation of one launch, as a share.
  package var noise = 0.03

  package var runs = 200
  package var seed: UInt64 = 1
  package var scenario = Scenario.single

  /// The standard deviation of the level of each build by itself.
  package var jitter = 0.0

  /// The share of revisions that do not build, in runs of about three.
  package var broken = 0.05

  /// The most that the machine drifts during one bisection.
  package var drift = 0.03

  /// The share of launches that take 30 to 200 % longer.
  package var outliers = 0.03

  /// The standard deviation of a slow wander of the machine, which is forgotten after 40 launches.
  package var wander = 0.003

  /// The share of launches that lie in bursts of about 30, which make all of them 20 to 100 % slower.
  package var bursts = 0.0

  /// The standard deviation of a slow wander of each build by itself, which is forgotten after 200
  /// launches.
  package var levels = 0.0

  /// Whether a count is measured, which hardly varies, and not a time.
  package var isExact = false

  /// How much slower each change makes a launch, as shares, where they are a set; below 0 for a
  /// faster one.
  package var sizes: [Double] = []

  /// How much slower 30 % of the launches are.
  package var bimodal = 0.0

  /// How much slower the first launch of a build is.
  package var cold = 0.0

  /// What a build costs, in launches.
  package var build = 100.0

  /// The most launches of one bisection.
  package var launches = 8000

  /// The probability that a culprit must have.
  package var confidence = 0.95

  /// The size of the second change as a share of the first one.
  package var second = 0.5

  package init() {}

  /// Where the changes are.
  package enum Scenario: String, CaseIterable, Sendable {
    /// One change for the worse.
    case single

    /// None.
    case null

    /// Two for the worse, all of which are looked for.
    case two

    /// One for the worse and one for the better.
    case comp

    /// Sixteen tiny ones.
    case creep

    /// One that is reverted, and comes again.
    case spike

    /// One of each of some sizes, all of which are looked for.
    case set
  }
}
