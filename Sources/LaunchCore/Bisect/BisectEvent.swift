package import Foundation

/// A line of the log of a bisection; everything else is computed from these.
package enum BisectEvent: Hashable, Codable, Sendable {
  /// The first line.
  case started(BisectStart)

  /// The work went on in another process.
  case resumed(at: Date)

  /// From here on these limits hold, which were given when the work went on.
  case limited(BisectLimits)

  /// A build was made, found in the cache, or failed.
  case built(BisectBuilt)

  /// Every arm of the pending action was launched once.
  case row(BisectRow)

  /// A build exists but cannot be launched; the reason is a sentence without a full stop.
  case unlaunchable(revision: Int, reason: String)

  /// What was decided at the end; nothing is measured after it, unless more is allowed.
  case ended(BisectEnd)

  /// Why the culprit is slower or faster than its parent, found after the end; it decides nothing.
  case explained(BisectExplanation)
}

/// What a bisection was asked for.
package struct BisectStart: Hashable, Codable, Sendable {
  /// The version of the rules that decide; another one is not resumed.
  package var rules: Int

  /// The id of the bisection, as of a run.
  package var id: String

  package var startedAt: Date

  /// From good, at 0, to bad, the last one; at least two.
  ///
  /// Where good is not an ancestor of bad, they lead back from good to the merge base first.
  package var revisions: [BisectRevision]

  /// The revisions that the user says cannot be built.
  package var skips: [Int]

  /// The range as the user wrote it.
  package var range: String

  /// The scenario with the only target and the only state that are measured, before any build.
  package var scenario: Scenario

  /// The directory of ready-made executables, where nothing is built.
  package var artifacts: String?

  package var measure: BisectMeasure

  /// How a counter is counted; nil for other measures.
  package var counting: CountingMethod?

  package var parameters: BisectParameters

  /// How many builds are made at the same time, and how long each may take, where that was said.
  package var jobs: Int?
  package var buildTimeLimit: Nanoseconds?

  /// The fingerprint of the host.
  package var fingerprint: String

  /// The number of the alert that asked, where one did.
  package var alert: Int?

  /// The words of the command line after `bisect`, and the path of the scenario file, where these are
  /// known; logs of before have neither.
  package var words: [String]?
  package var scenarioPath: String?

  package var launchlabVersion: String

  /// The version of ``rules`` that this launchlab has.
  package static let currentRules = 3

  package init(
    rules: Int = BisectStart.currentRules,
    id: String,
    startedAt: Date,
    revisions: [BisectRevision],
    skips: [Int] = [],
    range: String,
    scenario: Scenario,
    artifacts: String? = nil,
    measure: BisectMeasure,
    counting: CountingMethod? = nil,
    parameters: BisectParameters,
    jobs: Int? = nil,
    buildTimeLimit: Nanoseconds? = nil,
    fingerprint: String,
    alert: Int? = nil,
    words: [String]? = nil,
    scenarioPath: String? = nil,
    launchlabVersion: String
  ) {
    self.rules = rules
    self.id = id
    self.startedAt = startedAt
    self.revisions = revisions
    self.skips = skips
    self.range = range
    self.scenario = scenario
    self.artifacts = artifacts
    self.measure = measure
    self.counting = counting
    self.parameters = parameters
    self.jobs = jobs
    self.buildTimeLimit = buildTimeLimit
    self.fingerprint = fingerprint
    self.alert = alert
    self.words = words
    self.scenarioPath = scenarioPath
    self.launchlabVersion = launchlabVersion
  }
}

extension BisectStart {
  /// Whether a revision is the parent of the one before it, as on the way from good back to a merge base:
  /// what changes there is that the commit before is left out.
  package func isBack(_ revision: Int) -> Bool {
    revision > 0 && revisions[revision - 1].parents.contains(revisions[revision].id)
  }

  /// The commits that make the differences between some revisions and those before each of them.
  package func commits(changing steps: ClosedRange<Int>) -> ClosedRange<Int> {
    let first = steps.lowerBound - (isBack(steps.lowerBound) ? 1 : 0)
    return first...(steps.upperBound - (isBack(steps.upperBound) ? 1 : 0))
  }

  /// Whether what is counted is the same every time, as far as the environment is.
  package var isCountedExactly: Bool { measure == .counter(.instructions) }

  /// The controls of the scenario, with less noise where instructions or the like are counted.
  ///
  /// Neither others' use of processors nor a busy machine changes what valgrind counts.
  package var controls: ControlPlan? {
    guard isCountedExactly else { return scenario.controls }
    var controls = (scenario.controls ?? ControlPlan()).countingExactly
    if counting == .valgrind {
      controls.settle = nil
      controls.steal = nil
    }
    return controls
  }
}

/// What became of the build of one revision.
package struct BisectBuilt: Hashable, Codable, Sendable {
  /// The index of the revision.
  package var revision: Int

  /// Why it cannot be used, a sentence without a full stop; nil when it can.
  package var failure: String?

  /// How long it took; nil when it was found in the cache.
  package var seconds: Double?

  /// How long was waited then for other builds, ahead of need; nil where none was.
  package var waited: Double?

  /// The digest of all that is launched; builds of the same one are equal.
  ///
  /// Nil where that is not known, as of a build of commits, which may read any file of its tree.
  package var digest: String?

  /// What is launched, with the paths of the build; nil when there is none.
  package var target: Target?

  /// The path of the log of the build, where there is one.
  package var log: String?

  /// The submodules that it was made without; nil when there are none.
  package var missingSubmodules: [MissingSubmodule]?

  package init(
    revision: Int,
    failure: String? = nil,
    seconds: Double? = nil,
    waited: Double? = nil,
    digest: String? = nil,
    target: Target? = nil,
    log: String? = nil
  ) {
    self.revision = revision
    self.failure = failure
    self.seconds = seconds
    self.waited = waited
    self.digest = digest
    self.target = target
    self.log = log
  }
}

/// One launch of every arm of an action.
package struct BisectRow: Hashable, Codable, Sendable {
  /// The revisions, in the order of the action, whatever order they were launched in.
  package var arms: [Int]

  /// The values in the unit of the measure, one per arm.
  package var values: [Double]

  /// The arms whose launch had no end, so that their value is the time limit.
  package var timedOut: [Int]

  /// The CPU time of each launch in nanoseconds, where launch time is measured and all of them are
  /// known; it decides nothing.
  package var processorTimes: [Double]?

  /// How long the row took, discarded launches included.
  package var seconds: Double

  package init(
    arms: [Int],
    values: [Double],
    timedOut: [Int] = [],
    processorTimes: [Double]? = nil,
    seconds: Double
  ) {
    self.arms = arms
    self.values = values
    self.timedOut = timedOut
    self.processorTimes = processorTimes
    self.seconds = seconds
  }
}

/// How a bisection ended.
package struct BisectEnd: Hashable, Codable, Sendable {
  package var endedAt: Date

  /// The name of the outcome in JSON, such as `found`.
  package var outcome: String

  /// The revisions of each culprit.
  package var culprits: [ClosedRange<Int>]

  package init(endedAt: Date, outcome: String, culprits: [ClosedRange<Int>]) {
    self.endedAt = endedAt
    self.outcome = outcome
    self.culprits = culprits
  }
}

/// Why launches of a culprit are slower or faster than those of its parent, as it is shown.
package struct BisectExplanation: Hashable, Codable, Sendable {
  /// The builds that were launched, by their revisions.
  package var parentBuild: Int
  package var build: Int

  /// The first reason on one line, without a full stop.
  package var why: String

  /// The same on one line of Markdown.
  package var markdown: String

  /// All reasons as a section of Markdown that begins with a heading of the third level.
  package var section: String

  package init(parentBuild: Int, build: Int, why: String, markdown: String, section: String) {
    self.parentBuild = parentBuild
    self.build = build
    self.why = why
    self.markdown = markdown
    self.section = section
  }
}
