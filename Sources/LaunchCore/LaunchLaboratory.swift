/// The machine as a run sees it: it brings a state about, and launches.
///
/// `LaunchHost` has the real one, which must be closed; tests use a fake.
package protocol LaunchLaboratory {
  var host: HostFacts { get }

  /// What became of the controls that are asked for, and of those that are always in force.
  var receipts: [ControlReceipt] { get }

  /// What a reader must know of the launches; complete when it is closed.
  var notes: [Diagnostic] { get }

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

  /// Does what goes after the last launch; once is enough.
  func close()
}

extension LaunchLaboratory {
  package mutating func beginBlock() throws {}

  package mutating func endBlock() throws {}
}
