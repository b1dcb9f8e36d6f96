package import LaunchCore
package import LaunchStatistics

/// One stage over the launches of an arm.
package struct StageSummary: Hashable, Sendable {
  package var name: String
  package var kind: Stage.Kind
  package var source: StageCollector

  /// Every flag that the stage had in any launch, in the order of `StageFlag.allCases`.
  package var flags: [StageFlag] = []

  /// The code that the stage is about.
  package var place: CodePlace?

  /// How many launches have a value; the others lack the stage, or its value.
  package var n: Int

  /// The median over the launches that have a value, in nanoseconds; nil when none has.
  package var median: Double?

  /// The 95 % interval of the median; nil for fewer than 5 values.
  package var interval: Interval?

  /// The median as a share of the median launch; nil when either is not known, or the launch is 0.
  package var share: Double?

  /// The median of when the stage began, in nanoseconds since the launch did.
  package var start: Double?

  /// How many stages it stands for, of one that is flagged `folded`; nil where that is not known.
  package var foldedCount: Int?

  /// The largest resolution of the values.
  package var resolution: Nanoseconds = .zero

  /// By their median beginning where that is known of all, else in the order they were first seen.
  package var children: [StageSummary] = []

  /// The first child with a name.
  package func child(_ name: String) -> StageSummary? { children.first { $0.name == name } }
}

/// How the launches of one arm were spent, as one collector saw them.
package struct StagesSummary: Hashable, Sendable {
  package var collector: StageCollector

  /// The program that became ready, in the first launch.
  package var program: String?

  /// How many launches became ready and are summarised.
  package var launches: Int

  /// How many more did not become ready, and count only where no launch did.
  package var notReady: Int = 0

  /// How many launches the stages are of, ready or not.
  package var seenLaunches: Int { launches == 0 ? notReady : launches }

  /// The stage `launch`; its median is that of launches with the collector.
  package var launch: StageSummary

  /// The total pre-main time; nil when `main` was not seen.
  package var preMain: StageSummary?

  /// The other programs of the launches, each with its stages as children.
  package var others: [StageSummary] = []

  /// All programs of the first launch with their times, in the order they began; empty where they
  /// were not recorded.
  package var processes: [LaunchProcess] = []

  /// Medians of the counters of the launches.
  package var counters: [String: Int64] = [:]

  /// In how many launches each note was made, in the order they were first made.
  package var notes: [StageNote] = []

  /// What the collector adds to a launch; nil without plain launches to compare with.
  package var cost: StageCost?

  /// Whether the stages add up.
  package var check: StageSumCheck?
}

/// Something that could not be had, and in how many launches.
package struct StageNote: Hashable, Sendable {
  package var text: String
  package var launches: Int

  package init(text: String, launches: Int) {
    self.text = text
    self.launches = launches
  }
}

/// What a collector adds to a launch, measured against the plain launches of the same blocks.
package struct StageCost: Hashable, Sendable {
  /// The number of blocks that have both.
  package var n: Int

  /// The median difference between a launch with the collector and a plain one, in nanoseconds.
  package var median: Double

  /// The 95 % interval of the median; nil for fewer than 5 blocks.
  package var interval: Interval?

  /// The median as a share of the median plain launch of these blocks; nil when that is 0.
  package var share: Double?

  /// Takes the differences block by block; nil when no block has both.
  ///
  /// - Parameters:
  ///   - plain: Ready plain launches by block.
  ///   - collected: Ready launches with the collector by block.
  package init?(plain: [Int: Nanoseconds], collected: [Int: Nanoseconds]) {
    let blocks = collected.keys.filter { plain[$0] != nil }.sorted()
    let pairs = blocks.compactMap { block in
      collected[block].flatMap { with in plain[block].map { (plain: $0, difference: with - $0) } }
    }
    guard let differences = try? Sample(pairs.map { Double($0.difference.count) }),
      let base = try? Sample(pairs.map { Double($0.plain.count) })
    else { return nil }
    n = differences.count
    median = differences.median
    interval = differences.estimates.medianInterval
    share = base.median > 0 ? median / base.median : nil
  }
}

/// Whether the medians of the parts of a launch add up to the median launch.
///
/// Medians of launches that scatter need not, though the parts of every launch do; so both are told.
package struct StageSumCheck: Hashable, Sendable {
  /// The most that a sum may be off, as a share.
  package static let limit = 0.05

  /// The sum of the medians of the parts, in nanoseconds.
  package var sum: Double

  /// The median launch with the collector, in nanoseconds.
  package var launch: Double

  /// The median plain launch of the same run, in nanoseconds; nil without any.
  package var plain: Double?

  /// The most that the parts of any single launch are off from it, as a share of it.
  package var worstLaunch: Double

  /// Compares a sum with the median launches, which are above 0.
  package init(sum: Double, launch: Double, plain: Double? = nil, worstLaunch: Double = 0) {
    self.sum = sum
    self.launch = launch
    self.plain = plain
    self.worstLaunch = worstLaunch
  }

  /// How far the sum lies above the median launch with the collector, as a share of it.
  package var deviation: Double { sum / launch - 1 }

  /// How far the sum lies above the median plain launch, as a share of it.
  package var plainDeviation: Double? { plain.map { sum / $0 - 1 } }

  /// Whether the medians do not add up to the median launch with the collector.
  package var isOff: Bool { abs(sum - launch) > Self.limit * launch }

  /// Whether the stages of a launch do not add up to it, so that something was not seen.
  package var isIncomplete: Bool { worstLaunch > Self.limit }

  /// Whether the medians do not add up to plain launches, mostly because the collector costs time.
  package var isOffPlain: Bool { plain.map { abs(sum - $0) > Self.limit * $0 } ?? false }
}
