/// What the processes of a launch were doing shortly before its time ran out.
package struct TreeSight: Hashable, Sendable {
  /// The names of the processes, that of the target first.
  package var processes: [String]

  /// The processor time that all of them used in ``window``.
  package var used: Nanoseconds

  /// How long they were looked at.
  package var window: Nanoseconds

  /// Whether some thread was running, or waited for storage, at the end of it.
  package var isActive: Bool

  /// The TCP ports that they listen on, such as `127.0.0.1:8080`, ascending.
  package var ports: [String]

  /// The paths of the Unix sockets that they listen on, ascending.
  package var sockets: [String]

  /// The regular files that they have open, ascending.
  package var files: [String]

  package init(
    processes: [String],
    used: Nanoseconds = .zero,
    window: Nanoseconds = .zero,
    isActive: Bool = false,
    ports: [String] = [],
    sockets: [String] = [],
    files: [String] = []
  ) {
    self.processes = processes
    self.used = used
    self.window = window
    self.isActive = isActive
    self.ports = ports
    self.sockets = sockets
    self.files = files
  }

  /// Whether they wait for something that does not come: nothing was computed or read.
  package var isAsleep: Bool { used == .zero && !isActive }
}
