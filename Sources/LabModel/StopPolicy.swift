/// How a target that is ready is stopped.
package struct StopPolicy: Hashable, Codable, Sendable {
  /// The signal that is sent first, by number.
  package var signal: Int32

  /// How long the target may take after `signal` before its whole tree is killed.
  package var grace: Nanoseconds

  /// What a ready target has to do before it is sent `signal`; nil for nothing.
  ///
  /// It is waited for as long as for the launch.
  package var condition: Readiness?

  /// How long it goes on after that; nil for not at all.
  package var after: Nanoseconds?

  package init(
    signal: Int32 = 15,
    grace: Nanoseconds = .seconds(2),
    condition: Readiness? = nil,
    after: Nanoseconds? = nil
  ) {
    self.signal = signal
    self.grace = grace
    self.condition = condition
    self.after = after
  }
}
