/// A simulated range of revisions and the machine that it is launched on.
///
/// Shares are fractions: 0.05 is 5 %.
struct SimulationSettings: Hashable, Sendable {
  /// The number of revisions after good.
  var candidates = 64

  /// How much slower the change makes a launch, as a share.
  var effect = 0.05

  /// The standard deviation of one launch, as a share.
  var noise = 0.03

  var runs = 200
  var seed: UInt64 = 1
  var scenario = Scenario.single

  /// The standard deviation of the level of each build by itself.
  var jitter = 0.0

  /// The share of revisions that do not build, in runs of about three.
  var broken = 0.05

  /// The most that the machine drifts during one bisection.
  var drift = 0.03

  /// The share of launches that take 30 to 200 % longer.
  var outliers = 0.03

  /// The standard deviation of a slow wander of the machine, which is forgotten after 40 launches.
  var wander = 0.003

  /// The share of launches that lie in bursts of about 30, which make all of them 20 to 100 % slower.
  var bursts = 0.0

  /// The standard deviation of a slow wander of each build by itself, which is forgotten after 200
  /// launches.
  var levels = 0.0

  /// Whether a count is measured, which hardly varies, and not a time.
  var isExact = false

  /// How much slower each change makes a launch, as shares, where they are a set; below 0 for a
  /// faster one.
  var sizes: [Double] = []

  /// How much slower 30 % of the launches are.
  var bimodal = 0.0

  /// How much slower the first launch of a build is.
  var cold = 0.0

  /// What a build costs, in launches.
  var build = 100.0

  /// The most launches of one bisection.
  var launches = 8000

  /// The probability that a culprit must have.
  var confidence = 0.95

  /// The size of the second change as a share of the first one.
  var second = 0.5

  /// Where the changes are.
  enum Scenario: String, CaseIterable, Sendable {
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

extension SimulationSettings {
  /// The same range with a count that hardly varies, on a quiet machine.
  var counted: SimulationSettings {
    var settings = self
    settings.isExact = true
    (settings.noise, settings.drift, settings.outliers, settings.wander) = (0.0001, 0, 0, 0)
    return settings
  }
}
