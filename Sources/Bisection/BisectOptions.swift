import Foundation
package import LaunchCore
import Measuring

/// A bisection as it is asked for on the command line, in the words that were typed.
package struct BisectOptions: Sendable {
  /// Such as `v1.0..HEAD`, or `v3..v9` of artifacts; nil where something else says it.
  package var range: String?

  /// The scenario file; nil for a command.
  package var scenario: String?

  /// How a command is launched, where there is no scenario.
  package var launching: MeasureOptions

  /// What builds a command, where there is no scenario.
  package var build: String?

  /// `required`, `try` or `off` for that build; nil for `try`.
  package var submodules: String?

  /// A directory of ready-made executables, one per version.
  package var artifacts: String?

  /// An alert that says range, target, state and metric.
  package var alert: String?

  package var target: String?
  package var state: String?
  package var metric: String?

  /// `regression`, `improvement` or `any`; nil for a regression.
  package var find: String?

  /// Such as `1%`.
  package var minimumEffect: String?
  package var confidence: String?

  package var findsAll: Bool
  package var isForced: Bool

  package var mostLaunches: Int?
  package var mostBuilds: Int?

  /// Such as `2h`.
  package var mostTime: String?
  package var buildTimeout: String?

  /// How many builds are made at the same time, at least 1; nil for one.
  package var jobs: Int?

  /// Whether builds that have failed before are tried again.
  package var retriesFailures: Bool

  /// Whether a culprit is launched and traced, to say why it is slower or faster.
  package var explains: Bool

  /// Revisions that cannot be built.
  package var skips: [String]

  /// Commits that touch one of these paths are likelier to be the change.
  package var paths: [String]

  package var store: String?

  /// The absolute path of a directory where others publish builds of the same revisions.
  package var sharedBuilds: String?

  /// The words of the command line after `bisect`, for commands that repeat some of them.
  package var words: [String]

  package init(
    range: String? = nil,
    scenario: String? = nil,
    launching: MeasureOptions,
    build: String? = nil,
    submodules: String? = nil,
    artifacts: String? = nil,
    alert: String? = nil,
    target: String? = nil,
    state: String? = nil,
    metric: String? = nil,
    find: String? = nil,
    minimumEffect: String? = nil,
    confidence: String? = nil,
    findsAll: Bool = false,
    isForced: Bool = false,
    mostLaunches: Int? = nil,
    mostBuilds: Int? = nil,
    mostTime: String? = nil,
    buildTimeout: String? = nil,
    jobs: Int? = nil,
    retriesFailures: Bool = false,
    explains: Bool = true,
    skips: [String] = [],
    paths: [String] = [],
    store: String? = nil,
    sharedBuilds: String? = nil,
    words: [String]
  ) {
    self.range = range
    self.scenario = scenario
    self.launching = launching
    self.build = build
    self.submodules = submodules
    self.artifacts = artifacts
    self.alert = alert
    self.target = target
    self.state = state
    self.metric = metric
    self.find = find
    self.minimumEffect = minimumEffect
    self.confidence = confidence
    self.findsAll = findsAll
    self.isForced = isForced
    self.mostLaunches = mostLaunches
    self.mostBuilds = mostBuilds
    self.mostTime = mostTime
    self.buildTimeout = buildTimeout
    self.jobs = jobs
    self.retriesFailures = retriesFailures
    self.explains = explains
    self.skips = skips
    self.paths = paths
    self.store = store
    self.sharedBuilds = sharedBuilds
    self.words = words
  }
}
