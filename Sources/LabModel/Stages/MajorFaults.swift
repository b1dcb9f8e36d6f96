/// The major faults of one launch, one by one: pages that it had to wait for.
package struct MajorFaults: Hashable, Sendable {
  /// Events of the kind `majorFault` in order of time, up to the ready instant.
  package var events: [LaunchEvent]

  /// Whether every fault is among the events.
  package var isComplete: Bool

  /// What could not be had, and why, as sentences without a full stop.
  package var notes: [String]

  package init(events: [LaunchEvent] = [], isComplete: Bool = true, notes: [String] = []) {
    self.events = events
    self.isComplete = isComplete
    self.notes = notes
  }
}
