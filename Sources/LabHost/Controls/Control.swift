package import LabModel

/// Something of the machine that is set for the whole of a run, and set back afterwards.
///
/// A control only reads: it says what it finds and which ``Change``s it takes. Who applies them
/// writes each to the ``ControlJournal`` first.
package protocol Control: Sendable {
  var name: ControlName { get }

  /// What is asked for, for people, such as `performance`.
  var wanted: String { get }

  /// Why this machine cannot do it at all, as a sentence without a full stop and with the remedy;
  /// nil when it can be tried.
  func obstacle(in tree: HostTree) -> String?

  /// The present value, for people, such as `powersave`; nil when it cannot be read.
  func reading(in tree: HostTree) -> String?

  /// What takes the machine from its present value to the wanted one, in order; empty when it has
  /// that already.
  func changes(in tree: HostTree) -> [Change]

  /// What this machine cannot do of it although the rest can be done, as a sentence without a full
  /// stop; nil when all of it can be done.
  func shortfall(in tree: HostTree) -> String?
}

extension Control {
  package func shortfall(in tree: HostTree) -> String? { nil }
}
