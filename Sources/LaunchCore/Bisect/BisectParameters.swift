package import Foundation

/// The numbers that the decisions of a bisection depend on, stored with it.
///
/// Differences are natural logarithms of ratios. Sources of the defaults: the simulations behind
/// `docs/bisect.md`.
package struct BisectParameters: Hashable, Codable, Sendable {
  /// The smallest difference that is looked for.
  package var minimumEffect: Double

  /// The probability a culprit must have before and after it is confirmed.
  package var confidence: Double

  /// The level of each look of a test of two builds.
  package var alpha: Double

  /// Which changes are looked for.
  package var direction: Direction

  /// Whether every change in the range is looked for.
  package var findsAll: Bool

  /// Whether values vary so little, as counts of instructions do, that one launch of each build is
  /// worth something and nothing drifts.
  package var isExact: Bool

  /// Whether the search goes on although the ends do not differ.
  package var isForced: Bool

  /// Whether the share of slow launches is looked for, and not the typical launch.
  package var isOfSlowLaunches: Bool { looksForSlow ?? false }
  package var looksForSlow: Bool?

  /// What a build and a launch cost before the first one was timed, in seconds.
  package var buildSeconds: Double
  package var launchSeconds: Double

  /// How likely it is that a commit does not build, before any was tried.
  package var brokenShare: Double

  package var limits: BisectLimits

  /// The change that an alert is of, which the culprits must explain; nil where none asked.
  package var alertEffect: Double?

  package init(
    minimumEffect: Double = 0.00995033,  // 1 %
    confidence: Double = 0.95,
    alpha: Double = 0.001,
    direction: Direction = .regression,
    findsAll: Bool = false,
    isExact: Bool = false,
    isForced: Bool = false,
    buildSeconds: Double = 100,
    launchSeconds: Double = 1,
    brokenShare: Double = 0.05,
    limits: BisectLimits = BisectLimits()
  ) {
    self.minimumEffect = minimumEffect
    self.confidence = confidence
    self.alpha = alpha
    self.direction = direction
    self.findsAll = findsAll
    self.isExact = isExact
    self.isForced = isForced
    self.buildSeconds = buildSeconds
    self.launchSeconds = launchSeconds
    self.brokenShare = brokenShare
    self.limits = limits
  }

  /// The least part of its alert that changes explain before no further ones are looked for, and before
  /// the search counts as a success.
  package static let mostOfAlert = 0.75
  package static let leastOfAlert = 0.5

  /// The part of the alert that changes explain: of the logarithms or of the percentages, whichever is
  /// less; nil without an alert.
  package func alertShare(of effects: [Double]) -> Double? {
    guard let alertEffect, alertEffect != 0 else { return nil }
    let sum = effects.reduce(0, +)
    return min(sum / alertEffect, expm1(sum) / expm1(alertEffect))
  }

  /// Which changes are looked for.
  package enum Direction: String, Codable, CaseIterable, Sendable {
    case regression
    case improvement

    /// The one that the ends show.
    case any
  }
}

/// How much work a bisection may do.
package struct BisectLimits: Hashable, Codable, Sendable {
  /// The most launches, discarded ones not counted.
  package var launches: Int

  /// The most builds that succeed, and a third of those that may fail; nil for
  /// 2 log2(n) + 12, or + 6 where builds differ by themselves.
  package var builds: Int?

  /// The most seconds of building and launching, over all sessions; nil for no limit.
  package var seconds: Double?

  package init(launches: Int = 8000, builds: Int? = nil, seconds: Double? = nil) {
    self.launches = launches
    self.builds = builds
    self.seconds = seconds
  }

  /// Whether work can be done within these limits.
  package var isSound: Bool {
    launches > 0 && builds ?? 1 > 0 && (0..<1e9).contains(seconds ?? 0)
  }
}

/// What a bisection measures of each launch.
package enum BisectMeasure: Hashable, Codable, Sendable {
  /// Something that every plain launch gives.
  case metric(Metric)

  /// An event that is counted on launches with counters.
  case counter(CounterEvent)

  /// The time of a stage by its path, such as `fixup` or `init.libraries`, in nanoseconds.
  case stage(String)

  /// A number that collectors count, such as `libraries`, `relocations` or `page_ins`.
  case tally(String)

  /// The name used on the command line, in JSON and in reports.
  package var name: String {
    switch self {
    case .metric(let metric): metric.rawValue
    case .counter(let event): event.rawValue
    case .stage(let path), .tally(let path): path
    }
  }

  /// What one value counts.
  package var unit: Metric.Unit {
    switch self {
    case .metric(let metric): metric.unit
    case .stage: .nanoseconds
    case .counter(.taskClock), .counter(.cpuClock): .nanoseconds
    case .counter, .tally: .count
    }
  }
}

/// How instructions or other events are counted.
package enum CountingMethod: String, Codable, Sendable {
  /// By the processor, in the kernel's part too.
  case hardware

  /// By valgrind, in user mode only, children included.
  case valgrind

  /// By the kernel.
  case software
}

/// How a confirmed regression is bisected at the end of a night: the section `bisect`.
package struct AutomaticBisection: Hashable, Codable, Sendable {
  /// How long it may take.
  package var time: Nanoseconds

  /// How many builds are made at the same time.
  package var jobs: Int

  package init(time: Nanoseconds = .seconds(3600), jobs: Int = 1) {
    self.time = time
    self.jobs = jobs
  }
}

/// One version in the range of a bisection: a commit, or a ready-made executable.
package struct BisectRevision: Hashable, Codable, Sendable {
  /// The full commit id, or the name of the artifact.
  package var id: String

  /// The id of what is built, so that equal ones are built once; nil where that is not known.
  package var tree: String?

  /// The first line of the commit message; the name of the artifact where there is no commit.
  package var subject: String

  package var author: String?
  package var authoredAt: Date?

  /// The ids of the parents, the first one first; empty for artifacts and a root commit.
  package var parents: [String]

  /// How likely a change is here beside others; 1 where nothing is known, and 0 where the revision
  /// holds the same files as the one before it.
  package var weight: Double

  package init(
    id: String,
    tree: String? = nil,
    subject: String,
    author: String? = nil,
    authoredAt: Date? = nil,
    parents: [String] = [],
    weight: Double = 1
  ) {
    self.id = id
    self.tree = tree
    self.subject = subject
    self.author = author
    self.authoredAt = authoredAt
    self.parents = parents
    self.weight = weight
  }
}
