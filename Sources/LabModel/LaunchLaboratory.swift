/// The machine as a run sees it: it brings a state about, and launches.
///
/// `LabHost` has the real one; tests use a fake.
package protocol LaunchLaboratory {
  /// Does what the targets want before each block; nothing by default.
  ///
  /// - Throws: a ``LabError`` when the run cannot go on.
  mutating func beginBlock() throws

  /// Does what the targets want after each block; nothing by default.
  ///
  /// - Throws: a ``LabError`` when the run cannot go on.
  mutating func endBlock() throws

  /// Brings about the state that an arm asks for, and reads the evidence.
  ///
  /// - Throws: a ``LabError`` when the run cannot go on.
  mutating func prepare(_ arm: Arm) throws -> Preparation

  /// Launches the target of an arm once and stops it.
  ///
  /// - Throws: a ``LabError`` when the run cannot go on; what the target does is a result.
  mutating func launch(_ arm: Arm) throws -> LaunchResult

  /// From now on no launch is put off until the machine has settled; it is only looked at.
  mutating func stopWaiting()

  /// The monotonic clock.
  var now: Nanoseconds { get }
}

extension LaunchLaboratory {
  package mutating func beginBlock() throws {}

  package mutating func endBlock() throws {}
}
