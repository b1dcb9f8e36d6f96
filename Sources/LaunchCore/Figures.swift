/// What a launch used besides time, taken at the ready instant.
///
/// A figure that could not be had is nil, and `missing` gives the reason under the figure's name.
package struct Figures: Hashable, Codable, Sendable {
  /// The largest resident set of the target process itself, in bytes.
  package var peakRSS: Int64?

  /// The largest resident set of any process of the tree, in bytes.
  package var peakRSSTree: Int64?

  package var minorFaults: Int64?

  package var majorFaults: Int64?

  package var voluntarySwitches: Int64?

  package var involuntarySwitches: Int64?

  package var userTime: Nanoseconds?

  package var systemTime: Nanoseconds?

  /// Bytes fetched from storage.
  package var bytesRead: Int64?

  /// Whether figures of children that were already waited for are contained.
  package var includesWaitedChildren: Bool

  /// Values of perf events by name, on counter launches only.
  package var counters: [String: Int64]

  /// Why a figure is nil, by the figure's JSON name or the counter's name.
  package var missing: [String: String]

  package init(
    peakRSS: Int64? = nil,
    peakRSSTree: Int64? = nil,
    minorFaults: Int64? = nil,
    majorFaults: Int64? = nil,
    voluntarySwitches: Int64? = nil,
    involuntarySwitches: Int64? = nil,
    userTime: Nanoseconds? = nil,
    systemTime: Nanoseconds? = nil,
    bytesRead: Int64? = nil,
    includesWaitedChildren: Bool = false,
    counters: [String: Int64] = [:],
    missing: [String: String] = [:]
  ) {
    self.peakRSS = peakRSS
    self.peakRSSTree = peakRSSTree
    self.minorFaults = minorFaults
    self.majorFaults = majorFaults
    self.voluntarySwitches = voluntarySwitches
    self.involuntarySwitches = involuntarySwitches
    self.userTime = userTime
    self.systemTime = systemTime
    self.bytesRead = bytesRead
    self.includesWaitedChildren = includesWaitedChildren
    self.counters = counters
    self.missing = missing
  }

  /// User and system time together; nil when either is.
  package var cpuTime: Nanoseconds? {
    guard let userTime, let systemTime else { return nil }
    return userTime + systemTime
  }

  /// Whether the kernel divided the CPU time by too few clock ticks for the parts to mean anything.
  ///
  /// With tick-based accounting all the time counts as user time when no tick fell into the kernel,
  /// and the other way round. Ten ticks of the slowest clock (100 Hz) are the least that is relied
  /// on. Source: Linux, kernel/sched/cputime.c, cputime_adjust().
  package var isSplitSampled: Bool {
    guard let userTime, let systemTime, userTime + systemTime > .zero else { return false }
    return (userTime == .zero || systemTime == .zero) && userTime + systemTime < .milliseconds(100)
  }

  package static let sampledSplitReason =
    "the kernel only samples it at clock ticks, too rarely for so short a launch; see cpu_time"
}
