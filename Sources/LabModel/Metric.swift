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
