package import LaunchCore
package import Stages

/// A bisection as it is reported, at its end or where it was interrupted.
package struct BisectSummary: Sendable {
  package var start: BisectStart

  package var answer: BisectAnswer

  /// The middle of the values of either end; nil before both were launched.
  package var medians: Medians?

  /// How the CPU times of both ends compare, where launch times were measured; nil where they are not
  /// known.
  package var processorTime: ProcessorTimeDifference?

  /// How many builds were tried, and how many of them cannot be launched.
  package var builds: Int
  package var failedBuilds: Int

  /// How many launches were used, discarded ones not counted.
  package var launches: Int

  /// How long was built and launched, over all sessions.
  package var seconds: Double

  /// The revisions that could not be used, ascending, those of `start.skips` included.
  package var skipped: [Int]

  /// Why, by revision: sentences without a full stop.
  package var failures: [Int: String]

  /// Those of the skipped revisions that were built, but could not be launched.
  package var unlaunchable: Set<Int>

  /// How many launches had no end, and count as long as the time limit.
  package var timeouts: Int

  /// What is known of each culprit beside its launches, in the order of the culprits; empty before
  /// anything is.
  package var details: [CulpritDetails]

  /// Why the only culprit is slower or faster than its parent; nil where that is not known.
  package var explanation: CulpritExplanation?

  /// Why that was not found out, such as `not traced here (perf events are refused)`; nil where it was
  /// not tried.
  package var explanationFailure: String?

  /// What the builds and launches were made with; nil where that is not known.
  package var conditions: BisectConditions?

  package var warnings: [Diagnostic]

  /// Warnings that were shown as the work went on, and that are part of the answer.
  package var told: [Diagnostic] = []

  /// The last lines of the build of an end that cannot be built.
  package var buildLogTail: [String]

  /// The path of the log.
  package var log: String

  package var isInterrupted: Bool

  /// What commands must be told so that they find what is bisected.
  package var places = Places()

  package init(
    start: BisectStart,
    answer: BisectAnswer,
    builds: Int,
    failedBuilds: Int,
    launches: Int,
    seconds: Double,
    skipped: [Int] = [],
    failures: [Int: String] = [:],
    unlaunchable: Set<Int> = [],
    timeouts: Int = 0,
    details: [CulpritDetails] = [],
    conditions: BisectConditions? = nil,
    warnings: [Diagnostic] = [],
    buildLogTail: [String] = [],
    log: String,
    isInterrupted: Bool = false
  ) {
    self.start = start
    self.answer = answer
    self.builds = builds
    self.failedBuilds = failedBuilds
    self.launches = launches
    self.seconds = seconds
    self.skipped = skipped
    self.failures = failures
    self.unlaunchable = unlaunchable
    self.timeouts = timeouts
    self.details = details
    self.conditions = conditions
    self.warnings = warnings
    self.buildLogTail = buildLogTail
    self.log = log
    self.isInterrupted = isInterrupted
  }
}

extension BisectSummary {
  /// Values in the unit of the measure.
  package struct Medians: Hashable, Sendable {
    package var good: Double
    package var bad: Double

    package init(good: Double, bad: Double) {
      self.good = good
      self.bad = bad
    }
  }

  /// Where commands are pointed to, if they do not look there by themselves.
  package struct Places: Hashable, Sendable {
    /// The store that the bisection is beside; nil for the one of the working directory.
    package var store: String?

    /// The repository; nil where the working directory is in it, or there is none.
    package var repository: String?

    package init(store: String? = nil, repository: String? = nil) {
      self.store = store
      self.repository = repository
    }
  }

  /// The exit code that the bisection ends with.
  ///
  /// A culprit that was found is what was asked for, so it is no regression in the sense of exit
  /// code 1. One that was asked for all, and had to leave some out, has no complete answer, nor has one
  /// that found less than half of what its alert is of.
  package var exitCode: LabExitCode {
    let ending: LabExitCode =
      switch answer.outcome {
      case .found where leavesAlert: .inconclusive
      case .found: answer.unsearched.contains { $0.limit != nil } ? .inconclusive : .done
      case .refused: .inconclusive
      case .inconclusive(.interrupted): .interrupted
      case .inconclusive: .inconclusive
      case .failed: .couldNotMeasure
      }
    return max(ending, isInterrupted ? .interrupted : .done)
  }

  /// The part of its alert that the changes explain; nil where no alert asked, or nothing was found.
  package var alertShare: Double? {
    guard !answer.culprits.isEmpty else { return nil }
    return start.parameters.alertShare(of: answer.culprits.map(\.step.estimate))
  }

  /// Whether the changes that were found explain less than half of the alert that asked.
  package var leavesAlert: Bool {
    alertShare.map { $0 < BisectParameters.leastOfAlert } ?? false
  }

  /// Whether further changes were looked for beside the first one.
  var hasLookedFurther: Bool {
    start.parameters.findsAll || alertShare ?? 1 < BisectParameters.mostOfAlert
  }

  /// The revisions that hold the change as far as that is known: those of the first culprit, or else
  /// the interval of 95 %; nil where there is nothing to find.
  package var interval: ClosedRange<Int>? { answer.culprits.first?.revisions ?? answer.interval }
}

/// What is known of a culprit beside its launches: what it changes, and where its builds are.
package struct CulpritDetails: Hashable, Sendable {
  /// The files that differ from the parent, those with the most changed lines first, at most
  /// ``mostFiles``; nil where that is not known, as of artifacts.
  package var files: [ChangedFile]?

  /// How many files differ.
  package var fileCount: Int

  /// What a merge has brought in; nil for other commits.
  package var merge: MergeContents?

  /// What was launched for the parent and for the culprit; nil where it is not known.
  package var builds: LaunchedPair?

  /// What differs between their stages; empty when it was not looked at, or nothing does.
  package var stageChanges: [StageDifference]

  package static let mostFiles = 8

  package init(
    files: [ChangedFile]? = nil,
    fileCount: Int = 0,
    merge: MergeContents? = nil,
    builds: LaunchedPair? = nil,
    stageChanges: [StageDifference] = []
  ) {
    self.files = files
    self.fileCount = fileCount
    self.merge = merge
    self.builds = builds
    self.stageChanges = stageChanges
  }
}

/// A file that a commit changes.
package struct ChangedFile: Hashable, Sendable {
  /// The path below the top of the repository, after the change.
  package var path: String

  /// How many lines were added and removed; nil for a binary file.
  package var added: Int?
  package var removed: Int?

  package init(path: String, added: Int?, removed: Int?) {
    self.path = path
    self.added = added
    self.removed = removed
  }
}

/// The commits that a merge has brought in.
package struct MergeContents: Hashable, Sendable {
  /// The newest first, at most ``mostCommits``.
  package var commits: [BisectRevision]

  /// How many there are.
  package var count: Int

  package static let mostCommits = 10

  package init(commits: [BisectRevision], count: Int) {
    self.commits = commits
    self.count = count
  }
}

/// Why a culprit is slower or faster than its parent, and the files that say more.
package struct CulpritExplanation: Hashable, Sendable {
  /// What the log says.
  package var told: BisectExplanation

  /// All of it as JSON of schema `launchlab.explain/1`; nil where the file is gone.
  package var document: String?

  /// The path of the flame graph; nil where the file is gone.
  package var flameGraph: String?

  package init(_ told: BisectExplanation, document: String? = nil, flameGraph: String? = nil) {
    self.told = told
    self.document = document
    self.flameGraph = flameGraph
  }
}

/// Two builds as they were launched.
package struct LaunchedPair: Hashable, Sendable {
  package var parent: Target
  package var culprit: Target

  package init(parent: Target, culprit: Target) {
    self.parent = parent
    self.culprit = culprit
  }
}

/// What builds and launches of a bisection were made with.
package struct BisectConditions: Hashable, Sendable {
  /// The compilers that are found, such as `cc, gcc: gcc (Debian 12.2.0-14) 12.2.0`.
  package var compilers: [String]

  /// The variables that a build depends on, without values that look like secrets.
  package var variables: [String: String]

  /// The load average of a minute before the first and after the last launch of this session.
  package var loadBefore: Double?
  package var loadAfter: Double?

  package var processors: Int?

  package init(
    compilers: [String] = [],
    variables: [String: String] = [:],
    loadBefore: Double? = nil,
    loadAfter: Double? = nil,
    processors: Int? = nil
  ) {
    self.compilers = compilers
    self.variables = variables
    self.loadBefore = loadBefore
    self.loadAfter = loadAfter
    self.processors = processors
  }
}
