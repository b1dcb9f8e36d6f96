import LabModel

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
