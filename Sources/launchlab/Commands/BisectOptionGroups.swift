import ArgumentParser
import Bisection
import LaunchCore

/// What a bisection looks for.
struct BisectQuestionOptions: ParsableArguments {
  @Option(file: "Build and launch as described by this scenario.", extensions: ["yml", "yaml"])
  var scenario: String?

  @Option(
    help: .init(
      "Shell command that builds a commit, if there is no scenario.",
      valueName: "command"
    )
  )
  var build: String?

  @Option(
    help: .init(
      """
      Submodules: required (a build fails if one cannot be fetched), try (build without it) or \
      off (check out none) (default: try).
      """,
      valueName: "policy"
    ),
    completion: .list(Source.Submodules.allCases.map(\.rawValue))
  )
  var submodules: String?

  @Option(
    help: .init(
      "Bisect prebuilt executables in this directory, one per version in order.",
      valueName: "directory"
    ),
    completion: .directory
  )
  var artifacts: String?

  @Option(
    help: .init(
      "Take range, target, state and metric from an alert, such as R-17.",
      valueName: "alert"
    )
  )
  var alert: String?

  @Option(
    help: .init("Target of the scenario to launch (default: the only one).", valueName: "name")
  )
  var target: String?

  @Option(
    help: .init(
      "Launch state (default: warm, or the only one of the scenario).",
      valueName: "state"
    ),
    completion: .list(LaunchState.allCases.map(\.rawValue))
  )
  var state: String?

  @Option(
    help: .init(
      """
      Metric to bisect: launch, peak_rss and others, a stage such as fixup, a count such as \
      libraries, or instructions (default: launch).
      """,
      valueName: "metric"
    ),
    completion: .list(MeasureResolver.names)
  )
  var metric: String?

  @Option(
    help: .init(
      "Direction of the change: regression, improvement or any (default: regression).",
      valueName: "direction"
    ),
    completion: .list(BisectParameters.Direction.allCases.map(\.rawValue))
  )
  var find: String?

  @Option(help: .init("Smallest change to look for (default: 1%).", valueName: "percentage"))
  var minEffect: String?

  @Option(
    help: .init("Minimum probability to name a culprit (default: 95%).", valueName: "probability")
  )
  var confidence: String?

  @Flag(help: "Find every change in the range, including improvements.")
  var all = false

  @Flag(help: "Search even if good and bad look alike. A culprit is still confirmed.")
  var force = false

  /// The names of the options that were given.
  var given: [String] {
    givenNames([
      "--scenario": scenario != nil, "--build": build != nil,
      "--submodules": submodules != nil, "--artifacts": artifacts != nil,
      "--alert": alert != nil, "--target": target != nil, "--state": state != nil,
      "--metric": metric != nil, "--find": find != nil, "--min-effect": minEffect != nil,
      "--confidence": confidence != nil, "--all": all, "--force": force,
    ])
  }
}

/// How much a bisection may do.
struct BisectWorkOptions: ParsableArguments {
  @Option(help: .init("Maximum number of launches (default: 8000).", valueName: "number"))
  var maxLaunches: Int?

  @Option(
    help: .init(
      """
      Maximum number of builds (default: 2 log2(n) + 12; with --all as many again for each \
      change).
      """,
      valueName: "number"
    )
  )
  var maxBuilds: Int?

  @Option(help: .init("Time limit for all builds and launches, such as 2h.", valueName: "duration"))
  var maxTime: String?

  @Option(help: .init("Time limit for one build (default: 1h).", valueName: "duration"))
  var buildTimeout: String?

  @Option(
    help: .init("Number of parallel builds (default: 1).", valueName: "number")
  )
  var jobs: Int?

  @Flag(help: "Retry builds that failed before.")
  var retryFailed = false

  @Flag(
    name: .customLong("no-explain"),
    help: "Do not trace the culprit to explain why it is slower."
  )
  var noExplain = false

  @Option(help: .init("Do not build this revision; repeatable.", valueName: "revision"))
  var skip: [String] = []

  @Option(help: .init("Try commits that touch this path first; repeatable.", valueName: "path"))
  var path: [String] = []

  /// The names of the options that were given and that say which commits are built.
  var givenForRange: [String] {
    givenNames(["--skip": !skip.isEmpty, "--path": !path.isEmpty])
  }

  /// The names of the limits that were given, which may change when a bisection goes on.
  var givenForLimits: [String] {
    givenNames([
      "--max-launches": maxLaunches != nil, "--max-builds": maxBuilds != nil,
      "--max-time": maxTime != nil,
    ])
  }

  /// The names of the options that were given and that say how each commit is built.
  var givenForBuilds: [String] {
    givenNames([
      "--build-timeout": buildTimeout != nil, "--jobs": jobs != nil,
      "--retry-failed": retryFailed,
    ])
  }

  func validate() throws {
    if let maxLaunches, maxLaunches < 32 {
      throw ValidationError("--max-launches must be at least 32")
    }
    if let maxBuilds, maxBuilds < 2 { throw ValidationError("--max-builds must be at least 2") }
    if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1") }
  }
}

/// The names of the options that were given.
private func givenNames(_ options: KeyValuePairs<String, Bool>) -> [String] {
  options.filter(\.value).map(\.key)
}
