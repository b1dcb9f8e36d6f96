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

extension StageObservation {
  /// Adds faults in their places among the events, and what could not be had of them.
  package mutating func add(_ faults: MajorFaults) {
    events = (events + faults.events).enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
    notes += faults.notes
  }
}
