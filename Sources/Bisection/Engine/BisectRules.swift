/// The constants of the decisions of a bisection that no user sets.
///
/// Differences are natural logarithms of ratios. Source of the values: the simulations behind
/// `docs/bisect.md`.
struct BisectRules: Hashable, Sendable {
  /// Of the Student t distribution that the contrasts of a row have.
  var degreesOfFreedom = 4.0

  /// The same where many launches are outliers, and the share of the rows that have to hold one.
  var heavyDegreesOfFreedom: Double? = 1.2
  var leastOutlierShare = 0.2

  /// How much the level of a build may vary by itself, such as by the layout of its code, and how
  /// likely each is beforehand.
  var jitters = [0, 0.0015, 0.004, 0.008, 0.015, 0.028]
  var jitterPrior = [0.50, 0.20, 0.13, 0.09, 0.05, 0.03]

  /// The same as somebody sees it who expects builds to differ; a claim must convince them too.
  ///
  /// Few builds tell little of how much builds differ, so the prior above is believed for long.
  var doubtfulPrior: [Double]? = [0.05, 0.10, 0.15, 0.20, 0.25, 0.25]

  /// How often they may be wrong, as a share of what the confidence allows; and where every revision
  /// is built, so that nothing could convince them more.
  var doubtfulRisk = 0.15
  var exhaustedRisk = 2.0

  /// How many builds on either side of a change must show how much builds differ, unless the change
  /// is so many times that; and how many rows each of them has at once.
  var witnesses = 6
  var witnessRatio = 10.0
  var witnessRounds = 12

  /// How many builds more than twice the bits of the range may succeed, where no limit was given;
  /// and where builds differ by themselves so much that more of them hardly help.
  var spareBuilds = 12
  var spareJitteryBuilds = 6

  /// The share of the effect above which that is so.
  var jitteryShare = 0.2

  /// How likely it is beforehand that a range holds two changes.
  var twoChangesPrior = 0.10

  /// How likely two changes must be for a split, and how many rows the build has where it splits.
  var splitProbability = 0.80
  var splitRounds = 24

  /// After how many pairs a test of two builds may end, and the most of all launches it may take.
  var looks = [16, 32, 64, 128, 256, 512, 1024, 2048]
  var pairShare = 0.15

  /// How many rows of a candidate may be launched at once.
  var rounds = [6, 12, 24, 48, 96]

  /// The squared separation after which more rows of a candidate cannot tell more.
  var saturation = 50.0

  /// The bits below which nothing is worth a launch any more.
  var leastGain = 0.01

  /// How often a culprit may fail to be confirmed.
  var mostConfirmations = 4

  /// The size that is expected where a search is forced although the ends do not differ.
  var forcedEffect = 0.05

  /// The share of a change that others beside it must have to be looked for.
  var besideShare = 0.0

  /// How many builds are compared with ends that do not differ, where changes may cancel out.
  var mostProbes = 7

  /// The least scale of one launch.
  var scaleFloor = 1e-4

  /// Whether two changes may be as large as what lies between the levels of builds.
  var expectsSpan = true

  /// The rules of a measure whose values hardly vary, or of any other.
  static func shipped(isExact: Bool) -> BisectRules {
    var rules = BisectRules()
    guard isExact else { return rules }
    rules.doubtfulPrior = nil
    rules.looks = [3, 6, 12, 24, 48, 96, 192]
    rules.rounds = [1, 2, 4, 8, 16]
    rules.splitRounds = 3
    rules.scaleFloor = 1e-5
    return rules
  }
}
