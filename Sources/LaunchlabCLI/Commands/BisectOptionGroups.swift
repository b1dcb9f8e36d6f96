import ArgumentParser
import LabModel
import LabWorkflows

/// What a bisection looks for.
struct BisectQuestionOptions: ParsableArguments {
  @Option(
    help: "Build and launch as this scenario <file> says.",
    completion: .file(extensions: ["yml", "yaml"])
  )
  var scenario: String?

  @Option(help: "Without a scenario, build each commit with this shell <command>.")
  var build: String?

  @Option(
    help: """
      Where a submodule cannot be fetched, let the --build fail (required), or go on without it \
      (try); or check out none (off) (default: try).
      """,
    completion: .list(Source.Submodules.allCases.map(\.rawValue))
  )
  var submodules: String?

  @Option(
    help: "Bisect the ready-made executables in this <directory>, one per version in order.",
    completion: .directory
  )
  var artifacts: String?

  @Option(help: "Take range, target, state and metric from the alert of this <id>, such as R-17.")
  var alert: String?

  @Option(help: "Launch this <target> of the scenario (default: the only one).")
  var target: String?

  @Option(
    help: "Launch in this <state> (default: warm, or the only one of the scenario).",
    completion: .list(LaunchState.allCases.map(\.rawValue))
  )
  var state: String?

  @Option(
    help: """
      Measure this <metric>: launch, peak_rss and so on, a stage such as fixup, a number such as \
      libraries, or instructions (default: launch).
      """,
    completion: .list(MeasureResolver.names)
  )
  var metric: String?

  @Option(
    help: "Look for a regression, an improvement, or any of both (default: regression).",
    completion: .list(BisectParameters.Direction.allCases.map(\.rawValue))
  )
  var find: String?

  @Option(help: "Look for changes of at least this <percentage> (default: 1%).")
  var minEffect: String?

  @Option(help: "Name a commit that it is with this <probability> (default: 95%).")
  var confidence: String?

  @Flag(help: "Find every change in the range, improvements included.")
  var all = false

  @Flag(help: "Search although the ends do not differ; a culprit is confirmed all the same.")
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
  @Option(help: "Launch at most this <number> of times (default: 8000).")
  var maxLaunches: Int?

  @Option(
    help:
      "Build at most this <number> of commits (default: 2 log2(n) + 12; with --all as many again for each change)."
  )
  var maxBuilds: Int?

  @Option(help: "Build and launch for at most this <duration>, such as 2h.")
  var maxTime: String?

  @Option(help: "Give up a build after this <duration> (default: 1h).")
  var buildTimeout: String?

  @Option(help: "Build this <number> of commits at the same time, ahead of need (default: 1).")
  var jobs: Int?

  @Flag(help: "Build again what has failed before.")
  var retryFailed = false

  @Option(help: "Do not build this <revision>; may be given more than once.")
  var skip: [String] = []

  @Option(help: "Look first at commits that touch this <path>; may be repeated.")
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
