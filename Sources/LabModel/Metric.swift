/// Something measured of a launch.
///
/// The raw value is the name used in JSON, the store and reports.
package enum Metric: String, Codable, CaseIterable, Sendable {
  case launch
  case peakRSS = "peak_rss"
  case peakRSSTree = "peak_rss_tree"
  case minorFaults = "minor_faults"
  case majorFaults = "major_faults"
  case voluntarySwitches = "voluntary_switches"
  case involuntarySwitches = "involuntary_switches"
  case userTime = "user_time"
  case systemTime = "system_time"

  /// User and system time together, which the kernel counts exactly.
  case cpuTime = "cpu_time"

  case bytesRead = "bytes_read"
  case spawn

  /// What one value counts.
  package var unit: Unit {
    switch self {
    case .launch, .spawn, .userTime, .systemTime, .cpuTime: .nanoseconds
    case .peakRSS, .peakRSSTree, .bytesRead: .bytes
    case .minorFaults, .majorFaults, .voluntarySwitches, .involuntarySwitches: .count
    }
  }

  /// Which way is better; less of every metric so far.
  package var direction: Direction { .lowerIsBetter }

  /// The metrics that a launch stores a value of; the others are computed from these.
  package static let stored = allCases.filter { $0 != .cpuTime }

  /// What one value of a metric counts.
  package enum Unit: String, Codable, Sendable {
    case nanoseconds = "ns"
    case bytes = "B"
    case count = "1"
  }

  /// Which way a metric is better.
  package enum Direction: String, Codable, Sendable {
    case lowerIsBetter = "lower-is-better"
    case higherIsBetter = "higher-is-better"
  }
}

extension LaunchResult {
  /// The value of a metric in the metric's unit; nil when it could not be had.
  package func value(of metric: Metric) -> Int64? {
    switch metric {
    case .launch: launch?.count
    case .spawn: spawn?.count
    case .peakRSS: figures.peakRSS
    case .peakRSSTree: figures.peakRSSTree
    case .minorFaults: figures.minorFaults
    case .majorFaults: figures.majorFaults
    case .voluntarySwitches: figures.voluntarySwitches
    case .involuntarySwitches: figures.involuntarySwitches
    case .userTime: figures.userTime?.count
    case .systemTime: figures.systemTime?.count
    case .cpuTime: figures.cpuTime?.count
    case .bytesRead: figures.bytesRead
    }
  }

  /// The value of a metric where it can be relied on.
  ///
  /// It is nil for user and system time when the kernel has only sampled them; ``value(of:)`` gives
  /// the raw figures.
  package func reliableValue(of metric: Metric) -> Int64? {
    let isSplit = metric == .userTime || metric == .systemTime
    return isSplit && figures.isSplitSampled ? nil : value(of: metric)
  }

  /// Why a metric has no reliable value; nil when it has one, or nothing is known.
  package func missingReason(of metric: Metric) -> String? {
    if let reason = figures.missing[metric.rawValue] { return reason }
    if metric == .cpuTime {
      return figures.missing[Metric.userTime.rawValue]
        ?? figures.missing[Metric.systemTime.rawValue]
    }
    return reliableValue(of: metric) == nil && value(of: metric) != nil
      ? Figures.sampledSplitReason : nil
  }
}

/// The stored summary of one metric of one arm of one run, which is what trends read.
///
/// It is derived from the launches and can be rebuilt from them at any time. Every value is in the
/// unit of `metric`, but for `variance`, which is in its square.
package struct MetricRow: Hashable, Codable, Sendable {
  /// The id of the run.
  package var run: String

  /// One of the arms of the run's plan.
  package var arm: Arm

  package var metric: Metric

  /// The version of the method that made the row, at least 1; rows of an older one are rebuilt.
  package var version: Int

  /// The number of values, at least 1.
  package var n: Int

  package var mean: Double

  /// The unbiased sample variance (divisor n − 1); nil for a single value.
  package var variance: Double?

  package var median: Double

  /// The raw median absolute deviation from the median.
  package var medianAbsoluteDeviation: Double

  package var minimum: Double
  package var maximum: Double
  package var p90: Double
  package var p95: Double

  /// The lower bound of the 95 % interval of the median; nil together with the upper one.
  package var intervalLow: Double?

  /// The upper bound of the 95 % interval of the median.
  package var intervalHigh: Double?

  package init(
    run: String,
    arm: Arm,
    metric: Metric,
    version: Int,
    n: Int,
    mean: Double,
    variance: Double? = nil,
    median: Double,
    medianAbsoluteDeviation: Double,
    minimum: Double,
    maximum: Double,
    p90: Double,
    p95: Double,
    intervalLow: Double? = nil,
    intervalHigh: Double? = nil
  ) {
    self.run = run
    self.arm = arm
    self.metric = metric
    self.version = version
    self.n = n
    self.mean = mean
    self.variance = variance
    self.median = median
    self.medianAbsoluteDeviation = medianAbsoluteDeviation
    self.minimum = minimum
    self.maximum = maximum
    self.p90 = p90
    self.p95 = p95
    self.intervalLow = intervalLow
    self.intervalHigh = intervalHigh
  }
}

/// An event that counter launches can count.
///
/// The raw value is the name used in scenarios, JSON and reports. The hardware events include
/// what the kernel does for the target.
package enum CounterEvent: String, Codable, CaseIterable, Sendable {
  // Events of the kernel, which every machine has.
  case pageFaults = "page-faults"
  case minorFaults = "minor-faults"
  case majorFaults = "major-faults"
  case contextSwitches = "context-switches"
  case cpuMigrations = "cpu-migrations"
  case taskClock = "task-clock"
  case cpuClock = "cpu-clock"

  // Events of the processor, which virtual machines often lack.
  case instructions
  case cycles
  case branches
  case branchMisses = "branch-misses"
  case cacheMisses = "cache-misses"
  case cacheReferences = "cache-references"
}
