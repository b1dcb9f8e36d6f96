/// A way to see how a launch is spent; its launches are never mixed with plain ones.
///
/// The raw value is the name used in scenarios, JSON, the store and reports.
package enum StageCollector: String, Hashable, Codable, CaseIterable, Sendable {
  /// The probe, and what the runtime of a known program prints of its own start when it is asked.
  case auto

  /// An `LD_AUDIT` object in the target: every stage, library and initializer of a dynamic glibc
  /// program.
  case probe

  /// Hardware breakpoints from outside: exec, entry and main of any program, nothing injected.
  case breakpoints

  /// The dynamic loader's own `LD_DEBUG=statistics`.
  case statistics

  /// Text that the target prints itself, such as Go's `inittrace`.
  case text

  /// What the target says with the marks API.
  case marks
}
