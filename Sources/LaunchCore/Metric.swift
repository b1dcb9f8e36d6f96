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

  // What the user sees of programs with windows; see ``WindowTimes``.
  case window
  case frame
  case settled

  /// The Speed Index of launches that were filmed; see ``Film/speedIndex``.
  case speedIndex = "speed_index"

  /// How many of a night's launches are slow, in percent; nights alone have it. See ``SeriesPoint``.
  case slowShare = "slow_share"

  /// What one value counts.
  package var unit: Unit { definition.unit }

  /// Which way is better; less of every metric so far.
  package var direction: Direction { .lowerIsBetter }

  /// The name in a sentence, such as `peak RSS`.
  package var label: String { definition.label }

  /// What a larger and a smaller value is called.
  package var comparative: (more: String, less: String) { definition.comparative }

  /// The column of the store's table `launch`; nil for a metric that is computed from others.
  package var column: String? { definition.column }

  /// Whether only launches that wait for a window have it.
  package var isOfWindows: Bool {
    self == .window || self == .frame || self == .settled || self == .speedIndex
  }

  /// Whether nights have levels of it, whose changes are ratios.
  ///
  /// Slow launches are counted: the share of a night says little of a level, and a change of it is a
  /// difference in percentage points.
  package var hasLevel: Bool { self != .slowShare }

  /// Those that are compared, limited and looked for: all but what only filmed launches or nights have.
  package static let judged = allCases.filter { $0 != .speedIndex && $0 != .slowShare }

  /// What single launches have of it.
  package var ofLaunches: Metric { self == .slowShare ? .launch : self }

  /// Those that nights are judged by.
  package static let ofNights = judged + [.slowShare]

  /// The one of ``judged`` with a name, if any.
  package init?(judged name: String) {
    guard let metric = Self.judged.first(where: { $0.rawValue == name }) else { return nil }
    self = metric
  }

  /// The metrics that a launch stores a value of; the others are computed from these.
  package static let stored = allCases.filter { $0.column != nil }

  /// What one value of a metric counts.
  package enum Unit: String, Codable, Sendable {
    case nanoseconds = "ns"
    case bytes = "B"
    case count = "1"
    case percent = "%"
  }

  /// Which way a metric is better.
  package enum Direction: String, Codable, Sendable {
    case lowerIsBetter = "lower-is-better"
    case higherIsBetter = "higher-is-better"
  }
}

extension Metric {
  /// A change as a ratio, nil from a level of 0; of what has no level, 1 + the difference.
  package func ratio(from before: Double, to after: Double) -> Double? {
    guard hasLevel else { return 1 + (after - before) / 100 }
    return before == 0 ? nil : after / before
  }

  /// The value after a change by a ratio of ``ratio(from:to:)``.
  package func value(_ before: Double, changedBy ratio: Double) -> Double {
    hasLevel ? before * ratio : before + 100 * (ratio - 1)
  }
}

// MARK: - The table of metrics

extension Metric {
  /// What the rest of launchlab knows of one metric.
  fileprivate struct Definition {
    typealias Comparative = (more: String, less: String)

    var unit: Unit
    var label: String
    var comparative: Comparative

    /// The column of the store's table `launch`; nil for a metric that is computed from others.
    var column: String?

    /// The value in a launch that is read from the store; ``LaunchResult/value(of:)`` gives it.
    var field: KeyPath<LaunchResult, Int64?>

    init(
      _ unit: Unit,
      _ label: String,
      _ comparative: Comparative,
      _ column: String?,
      _ field: KeyPath<LaunchResult, Int64?>
    ) {
      self.unit = unit
      self.label = label
      self.comparative = comparative
      self.column = column
      self.field = field
    }
  }

  fileprivate var definition: Definition {
    let speed = (more: "slower", less: "faster")
    let length = (more: "longer", less: "shorter")
    let size = (more: "larger", less: "smaller")
    let number = (more: "more", less: "fewer")
    let later = (more: "later", less: "earlier")
    return switch self {
    case .launch:
      .init(.nanoseconds, "launch", speed, "launch_ns", \.launch.nanoseconds)
    case .peakRSS:
      .init(.bytes, "peak RSS", size, "peak_rss_bytes", \.figures.peakRSS)
    case .peakRSSTree:
      .init(.bytes, "peak RSS of the tree", size, "peak_rss_tree_bytes", \.figures.peakRSSTree)
    case .minorFaults:
      .init(.count, "minor faults", number, "minor_faults", \.figures.minorFaults)
    case .majorFaults:
      .init(.count, "major faults", number, "major_faults", \.figures.majorFaults)
    case .voluntarySwitches:
      .init(
        .count,
        "voluntary switches",
        number,
        "voluntary_switches",
        \.figures.voluntarySwitches
      )
    case .involuntarySwitches:
      .init(
        .count,
        "involuntary switches",
        number,
        "involuntary_switches",
        \.figures.involuntarySwitches
      )
    case .userTime:
      .init(.nanoseconds, "user time", length, "user_ns", \.figures.userTime.nanoseconds)
    case .systemTime:
      .init(.nanoseconds, "system time", length, "system_ns", \.figures.systemTime.nanoseconds)
    case .cpuTime:
      .init(.nanoseconds, "CPU time", length, nil, \.figures.cpuTime.nanoseconds)
    case .bytesRead:
      .init(.bytes, "bytes read", number, "read_bytes", \.figures.bytesRead)
    case .spawn:
      .init(.nanoseconds, "spawn", speed, "spawn_ns", \.spawn.nanoseconds)
    case .window:
      .init(.nanoseconds, "window", later, "window_ns", \.windowTimes.window.nanoseconds)
    case .frame:
      .init(.nanoseconds, "frame", later, "frame_ns", \.windowTimes.frame.nanoseconds)
    case .settled:
      .init(.nanoseconds, "settled", later, "settled_ns", \.windowTimes.settled.nanoseconds)
    case .speedIndex:
      .init(.nanoseconds, "Speed Index", later, "speed_index_ns", \.speedIndex.nanoseconds)
    case .slowShare:
      .init(.percent, "slow launches", number, nil, \.none)
    }
  }
}

extension Nanoseconds? {
  /// The time as the value of a metric.
  fileprivate var nanoseconds: Int64? {
    get { self?.count }
    set { self = newValue.map(Nanoseconds.init) }
  }
}

extension LaunchResult {
  /// The value of a metric in the metric's unit; nil when it could not be had.
  ///
  /// Each launch is asked for all of them several times, and key paths are slow.
  package func value(of metric: Metric) -> Int64? {
    switch metric {
    case .launch: launch?.count
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
    case .spawn: spawn?.count
    case .window: windowTimes.window?.count
    case .frame: windowTimes.frame?.count
    case .settled: windowTimes.settled?.count
    case .speedIndex: speedIndex?.count
    case .slowShare: nil
    }
  }

  /// What a single launch has of a metric of nights.
  fileprivate var none: Int64? { nil }

  /// Sets the value of a stored metric, in the metric's unit; others are computed.
  package mutating func set(_ value: Int64?, of metric: Metric) {
    guard let field = metric.definition.field as? WritableKeyPath<LaunchResult, Int64?> else {
      return
    }
    self[keyPath: field] = value
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
