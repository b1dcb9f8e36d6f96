package import LabModel
package import LabStatistics

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
