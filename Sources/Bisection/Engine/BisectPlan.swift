import Foundation
package import LaunchCore

/// What a bisection is expected to take, before it begins.
///
/// Source: with a noise of one launch σ and an effect δ, a build of log₂(n) revisions takes about
/// 6 + 20 (σ/δ)² rows of three launches; each of the two tests of two builds at least 16 and
/// 25 (σ/δ)² pairs, and the size as many; and what tells how much builds differ by themselves
/// 800 (σ/δ)² launches. Simulated bisections took 20 % less to 15 % more.
package struct BisectPlan: Hashable, Sendable {
  /// Expected builds, both ends included, and launches.
  package let builds: Double
  package let launches: Double

  /// The launches of a change so large that noise does not matter; those expected for a given effect.
  package let leastLaunches: Double

  /// The least and the most seconds that both take one after the other, within the limits.
  ///
  /// Nil where it is not known how long a build or a launch takes.
  package let seconds: ClosedRange<Double>?

  /// How many revisions are built already.
  package let kept: Int

  /// What is known of the time of a build and of a launch.
  package let costs: Costs

  /// Whether a change of that effect can be found within the limits.
  package let canBeSeen: Bool

  /// The effect and noise that were counted with, as log ratios.
  package let effect: Double
  package let noise: Double

  /// Foresees a bisection.
  ///
  /// - Parameters:
  ///   - candidates: How many revisions may be the change, at least 1.
  ///   - effect: The log ratio of bad to good; nil where it is not known, which counts with 5 %, or
  ///     the smallest effect where that is more.
  ///   - noise: The standard deviation of the logarithm of one launch; nil for 3 %.
  ///   - parameters: The limits, and what is looked for.
  ///   - costs: How long builds and launches take, as far as that is known.
  package init(
    candidates: Int,
    effect: Double?,
    noise: Double?,
    parameters: BisectParameters,
    costs: Costs
  ) {
    let least = max(parameters.minimumEffect, 1e-4)
    let size = max(abs(effect ?? max(0.05, least)), 1e-4)
    let deviation = noise ?? (parameters.isExact ? 0.001 : 0.03)
    let bits = log2(Double(max(1, candidates)))
    self.effect = size
    self.noise = deviation
    let builds = 2 + bits / (1 - min(max(parameters.brokenShare, 0), 0.9))
    self.builds = builds
    self.costs = costs
    kept = costs.kept
    let cost = LaunchForecast(parameters, effect: size, noise: deviation)
    let launches = cost.launches(bits: bits)
    self.launches = launches
    // A fifth less than expected, as simulated bisections took at the least.
    let surely = 0.8 * LaunchForecast(parameters, effect: size, noise: 0).launches(bits: bits)
    let fewest = effect == nil ? min(launches, surely) : launches
    leastLaunches = fewest
    let limits = parameters.limits
    func seconds(_ launches: Double) -> ClosedRange<Double>? {
      costs.seconds(
        builds: min(builds, Double(limits.builds ?? .max)),
        of: candidates + 1,
        launches: min(launches, Double(limits.launches))
      )
    }
    let expected = seconds(launches)
    self.seconds = expected.map { (seconds(fewest)?.lowerBound ?? $0.lowerBound)...$0.upperBound }
    canBeSeen =
      size >= least && cost.canTest && launches <= Double(limits.launches)
      && builds <= Double(limits.builds ?? .max)
      && expected?.lowerBound ?? 0 <= limits.seconds ?? .infinity
  }

  /// What is known of the time that the work takes, before the first build.
  package struct Costs: Hashable, Sendable {
    /// The seconds of a build, and of a launch with what is around it; nil where nothing is known.
    package var build: Double?
    package var launch: Double?

    /// How many revisions are built already.
    package var kept = 0

    /// The least and the most seconds; nil where that is not known.
    fileprivate func seconds(
      builds: Double,
      of revisions: Int,
      launches: Double
    ) -> ClosedRange<Double>? {
      guard let launch else { return nil }
      guard kept < revisions else { return launches * launch...launches * launch }
      guard let build else { return nil }
      // Which of the revisions are visited is not known, those that are kept or others.
      let least = max(0, builds - Double(kept)) * build
      return least + launches * launch...builds * build + launches * launch
    }
  }
}

/// How many launches a test of two builds takes, and each halving of the range.
struct LaunchForecast: Hashable, Sendable {
  /// The launches of one test of two builds.
  let test: Double

  /// The launches per bit.
  let perBit: Double

  /// The launches that tell how much builds differ by themselves.
  let apart: Double

  /// Whether a test ends within its share of all launches.
  let canTest: Bool

  /// All launches of a search among two to the power of `bits` revisions.
  func launches(bits: Double) -> Double { 3 * test + perBit * bits + apart }

  init(_ parameters: BisectParameters, effect: Double, noise: Double) {
    let rules = BisectRules.shipped(isExact: parameters.isExact)
    let ratio = noise / effect * noise / effect
    if parameters.isExact {
      test = 2 * Double(rules.looks[ratio > 0.005 ? 1 : 0])
      perBit = 1 + 4 * ratio
      apart = 0
      canTest = ratio < 4
      return
    }
    let wanted = 25 * ratio
    let look = rules.looks.first { Double($0) >= wanted } ?? rules.looks[rules.looks.count - 1]
    test = 2 * Double(look)
    perBit = 3 * (6 + 20 * ratio)
    apart = 800 * ratio
    let most = rules.pairShare * Double(parameters.limits.launches)
    canTest = look == rules.looks[0] || (test <= most && Double(look) >= wanted)
  }
}

/// What builds and launches cost so far, and are expected to cost.
struct BisectCosts: Hashable, Sendable {
  /// The seconds of all builds and launches.
  private(set) var seconds = 0.0

  private let prior: Prior
  private var buildSeconds = 0.0
  private var timedBuilds = 0
  private var timedFailures = 0
  private var launchSeconds = 0.0
  private var timedLaunches = 0

  init(_ parameters: BisectParameters) {
    prior = Prior(
      build: parameters.buildSeconds,
      launch: parameters.launchSeconds,
      brokenShare: parameters.brokenShare
    )
  }

  /// The mean of a build, in seconds; the given one before any was timed.
  var build: Double {
    timedBuilds > 0 ? max(buildSeconds / Double(timedBuilds), 1e-9) : prior.build
  }

  /// The mean of a launch, with what is around it.
  var launch: Double {
    timedLaunches > 0 ? max(launchSeconds / Double(timedLaunches), 1e-9) : prior.launch
  }

  /// How likely a build fails, where what was expected counts as twenty builds.
  var brokenShare: Double {
    (20 * prior.brokenShare + Double(timedFailures)) / Double(20 + timedBuilds)
  }

  /// Adds time that says nothing of what builds and launches cost.
  mutating func add(_ seconds: Double) { self.seconds += seconds }

  /// Adds a build; one that was found instead of made changes nothing.
  mutating func addBuild(isUsable: Bool, seconds: Double?) {
    guard let seconds else { return }
    self.seconds += seconds
    buildSeconds += seconds
    timedBuilds += 1
    if !isUsable { timedFailures += 1 }
  }

  mutating func addLaunches(_ count: Int, seconds: Double?) {
    guard let seconds else { return }
    self.seconds += seconds
    launchSeconds += seconds
    timedLaunches += count
  }

  private struct Prior: Hashable, Sendable {
    let build: Double
    let launch: Double
    let brokenShare: Double
  }
}

/// What a bisection does next.
package enum BisectAction: Hashable, Sendable {
  /// Build a revision.
  case build(Int)

  /// Launch builds side by side, row after row; every second row in reverse order.
  ///
  /// Two arms are a test of two builds, three a candidate between its two neighbours, and one a
  /// candidate of an exact measure.
  case launch(arms: [Int], rows: Int)

  case done(BisectAnswer)
}
