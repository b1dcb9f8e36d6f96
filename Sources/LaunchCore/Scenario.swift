// LaunchCore: values that are asked for or recorded. No I/O and no algorithms but small ones.
//
// In the order of a run: `MeasureOptions` or a file become a `Scenario` with its `Target`s; a `Plan` fixes
// every arm and the order of all launches by a seed; `LaunchResult` is what is known of one launch, with its
// `Figures`; `LaunchRecord` and `RunRecord` are what is stored. `Metric` lists what is measured.
// `LaunchLaboratory` is what a run needs of a machine, so that tests can have another one.
//
// `Controls` has what is asked of the machine and what came of it, `Stages` what a launch spends its time
// on, `Trend` nights, series and alerts, `Bisect` the events of a bisection. `Diagnostic` is how every
// problem is told: what happened, where, and what to do. `Patterns` has regular expressions that are matched
// in linear time.

/// What a scenario file asks for, validated and with absolute paths.
package struct Scenario: Hashable, Codable, Sendable {
  package var name: String

  /// What is built before the first launch, if anything.
  package var source: Source?

  /// At least one target; names are unique.
  package var targets: [Target]

  /// At least one state, without repetition.
  package var states: [LaunchState]

  /// How many launches each arm gets, at least 1; the fewest where `adaptive` says more.
  package var launches: Int

  /// Whether an empty program is launched in the same blocks, as the floor.
  package var includesEmptyBaseline: Bool

  /// The directory that relative paths are relative to, and that holds `.launchlab`.
  package var directory: String

  /// How many launches of their own each arm gets for its `counters:`, and as many for its film.
  package var counterLaunches: Int

  /// How launches are split into stages, if they are.
  package var stages: StagePlan?

  /// How the machine is kept the same; nil in runs of before there were controls.
  package var controls: ControlPlan?

  /// When launches end before the most that there may be; nil for a fixed number.
  package var adaptive: AdaptiveLaunches?

  /// Which differences matter; nil in runs of before there were verdicts.
  package var regression: RegressionRule?

  package var budgets: [Budget]?

  /// What is launched every night to tell code from machine.
  package var control: ControlTarget?

  package var notifiers: [Notifier]?

  /// In the order of the file.
  package var releases: [Release]?

  /// How many bytes of builds and executables of former nights are kept.
  package var artifactLimit: Int64?

  /// The share of its own files' bytes that must be out of the page cache before a cold launch, from
  /// 0 to 1; nil means ``defaultColdShare``.
  package var coldShare: Double?

  /// How much of a target's own files is out of the page cache before a launch that counts as cold.
  package static let defaultColdShare = 0.95

  /// Whether a confirmed regression is bisected by itself, and how far; nil when it is not.
  package var bisection: AutomaticBisection?

  /// Which slower launches are explained; nil where the scenario does not say.
  package var explanation: AutomaticExplanation?

  /// What `gate` lets in; nil for what is usual.
  package var gate: GateRules?

  /// Where the windows of targets are shown; nil where the scenario does not say.
  package var display: DisplayPlan?

  package init(
    name: String,
    source: Source? = nil,
    targets: [Target],
    states: [LaunchState],
    launches: Int,
    includesEmptyBaseline: Bool = false,
    directory: String,
    counterLaunches: Int = 3,
    stages: StagePlan? = nil,
    controls: ControlPlan? = nil,
    adaptive: AdaptiveLaunches? = nil,
    regression: RegressionRule? = nil,
    budgets: [Budget]? = nil,
    control: ControlTarget? = nil,
    notifiers: [Notifier]? = nil,
    releases: [Release]? = nil,
    artifactLimit: Int64? = nil,
    bisection: AutomaticBisection? = nil,
    explanation: AutomaticExplanation? = nil,
    coldShare: Double? = nil
  ) {
    self.name = name
    self.source = source
    self.targets = targets
    self.states = states
    self.launches = launches
    self.includesEmptyBaseline = includesEmptyBaseline
    self.directory = directory
    self.counterLaunches = counterLaunches
    self.stages = stages
    self.controls = controls
    self.adaptive = adaptive
    self.regression = regression
    self.budgets = budgets
    self.control = control
    self.notifiers = notifiers
    self.releases = releases
    self.artifactLimit = artifactLimit
    self.bisection = bisection
    self.explanation = explanation
    self.coldShare = coldShare
  }
}

extension Scenario {
  /// What makes a target ready; that it exits for one that is launchlab's own, such as the floor.
  package func readiness(of target: String) -> Readiness {
    targets.first { $0.name == target }?.ready ?? .exit
  }

  /// Which differences between nights matter; the default one where the scenario has none.
  package var regressionRule: RegressionRule { regression ?? RegressionRule() }

  /// The metrics whose history is read: the judged ones, then those that only budgets limit.
  package var trendMetrics: [Metric] {
    let judged = regressionRule.metrics
    let limited = Set((budgets ?? []).map(\.metric))
    return judged + Metric.allCases.filter { limited.contains($0) && !judged.contains($0) }
  }
}

/// A git repository and the command that builds it.
package struct Source: Hashable, Codable, Sendable {
  /// The absolute path of the repository, or of a directory inside it.
  package var repository: String

  /// The build command, run by `sh -c` at the top of a linked worktree.
  package var build: String

  package var submodules: Submodules

  /// Variables of launchlab's environment that the build depends on, beside those that its command
  /// names and those of compilers.
  package var environment: [String]

  /// Where commits can be read, with ``commitPlaceholder`` in place of the commit; nil where reports
  /// do not link them.
  package var commitURL: String?

  package init(
    repository: String,
    build: String,
    submodules: Submodules = .tried,
    environment: [String] = [],
    commitURL: String? = nil
  ) {
    self.repository = repository
    self.build = build
    self.submodules = submodules
    self.environment = environment
    self.commitURL = commitURL
  }

  /// What stands for a commit in ``commitURL``.
  package static let commitPlaceholder = "{commit}"

  /// Where a commit can be read.
  ///
  /// - Parameter commit: All of its digits.
  /// - Returns: A URL; nil without ``commitURL``, and for a name that is not of a git commit, such as
  ///   that of an imported night.
  package func url(ofCommit commit: String) -> String? {
    guard commit.wholeMatch(of: /[0-9a-f]{40,64}/) != nil else { return nil }
    return commitURL?.replacing(Self.commitPlaceholder, with: commit)
  }

  /// What becomes of a build some of whose submodules cannot be had.
  package enum Submodules: String, Codable, CaseIterable, Sendable {
    /// It fails.
    case required

    /// It is made without them: the build command decides whether it can do so.
    case tried = "try"

    /// Submodules are left out of every build.
    case off
  }
}

extension Source {
  /// Reads a source, also one of before there was a choice of submodules, or of variables.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      repository: try values.decode(String.self, forKey: .repository),
      build: try values.decode(String.self, forKey: .build),
      submodules: try values.decodeIfPresent(Submodules.self, forKey: .submodules) ?? .tried,
      environment: try values.decodeIfPresent([String].self, forKey: .environment) ?? [],
      commitURL: try values.decodeIfPresent(String.self, forKey: .commitURL)
    )
  }
}

/// A submodule that a build was made without.
package struct MissingSubmodule: Hashable, Codable, Sendable {
  /// Its path below the top of the tree.
  package var path: String

  /// The commit that is pinned.
  package var commit: String

  /// The git directories of the user, and the addresses, where it was looked for.
  package var directories: [String]
  package var addresses: [String]

  /// Why it cannot be had, in the words of git.
  package var reason: String

  package init(
    path: String,
    commit: String,
    directories: [String] = [],
    addresses: [String] = [],
    reason: String
  ) {
    self.path = path
    self.commit = commit
    self.directories = directories
    self.addresses = addresses
    self.reason = reason
  }
}

/// How cold the machine is for a launch.
///
/// The raw value is the name used in scenarios, JSON and reports.
package enum LaunchState: String, Codable, CaseIterable, Sendable {
  /// After `sync` and `vm.drop_caches=3`.
  case rebootCold = "reboot-cold"

  /// The target's own files are evicted; files under `install:` directories are made anew.
  case reinstallCold = "reinstall-cold"

  /// As `reinstall-cold`, and the private HOME and the state directories start from a template.
  case firstRun = "first-run"

  /// After unmeasured launches, until one has no major fault.
  case warm
}

extension LaunchState {
  /// Whether the target's own files must not be resident when the launch begins.
  package var isCold: Bool { self != .warm }
}

/// How a target that is ready is stopped.
package struct StopPolicy: Hashable, Codable, Sendable {
  /// The signal that is sent first, by number.
  package var signal: Int32

  /// How long the target may take after `signal` before its whole tree is killed.
  package var grace: Nanoseconds

  /// What a ready target has to do before it is sent `signal`; nil for nothing.
  ///
  /// It is waited for as long as for the launch.
  package var condition: Readiness?

  /// How long it goes on after that; nil for not at all.
  package var after: Nanoseconds?

  package init(
    signal: Int32 = 15,
    grace: Nanoseconds = .seconds(2),
    condition: Readiness? = nil,
    after: Nanoseconds? = nil
  ) {
    self.signal = signal
    self.grace = grace
    self.condition = condition
    self.after = after
  }
}
