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
}
