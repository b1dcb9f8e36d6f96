/// The stored summary of what one collector saw of one arm of one run, which trends can read.
///
/// It is derived from the launches and can be rebuilt from them. Times are in nanoseconds.
package struct CollectorRow: Hashable, Sendable {
  /// The arm whose launches were looked at, one of the run's plan.
  package var arm: Arm

  /// What really collected.
  package var collector: StageCollector

  /// The version of the method that made the row, at least 1.
  package var version: Int

  /// The number of ready launches, at least 1.
  package var launches: Int

  /// The median launch with the collector.
  package var launch: Double

  /// The median time before `main`; nil when that was not seen.
  package var preMain: Double?

  /// The sum of the medians of the parts.
  package var sum: Double?

  /// The most that the parts of a single launch are off from it, as a share of it.
  package var worstLaunch: Double?

  /// The median plain launch of the same arm; nil without any.
  package var plain: Double?

  /// What the collector adds to a plain launch; nil without any.
  package var cost: Double?

  /// Parts down to libraries, parents before children.
  package var stages: [StageMedian]

  package init(
    arm: Arm,
    collector: StageCollector,
    version: Int,
    launches: Int,
    launch: Double,
    preMain: Double? = nil,
    sum: Double? = nil,
    worstLaunch: Double? = nil,
    plain: Double? = nil,
    cost: Double? = nil,
    stages: [StageMedian]
  ) {
    self.arm = arm
    self.collector = collector
    self.version = version
    self.launches = launches
    self.launch = launch
    self.preMain = preMain
    self.sum = sum
    self.worstLaunch = worstLaunch
    self.plain = plain
    self.cost = cost
    self.stages = stages
  }
}

/// The median of one stage over the launches of an arm.
package struct StageMedian: Hashable, Sendable {
  /// The names from the part of the launch down, joined by ` > `, such as `init > init.libraries`.
  package var path: String

  /// The number of launches that have a value, at least 1.
  package var n: Int

  /// In nanoseconds.
  package var median: Double

  /// The lower bound of the 95 % interval of the median; nil together with the upper one.
  package var intervalLow: Double?

  /// The upper bound of the 95 % interval of the median.
  package var intervalHigh: Double?

  /// The median as a share of the median launch with the collector.
  package var share: Double?

  package init(
    path: String,
    n: Int,
    median: Double,
    intervalLow: Double? = nil,
    intervalHigh: Double? = nil,
    share: Double? = nil
  ) {
    self.path = path
    self.n = n
    self.median = median
    self.intervalLow = intervalLow
    self.intervalHigh = intervalHigh
    self.share = share
  }
}
