import CLabHost

/// A launch mark that a script makes by starting launchlab.
package enum ScriptMark {
  /// How many bytes a name has; one that is longer would be cut.
  package static let nameLengths = 1...255

  /// Makes a mark in the name of the process that started this one; without a launch to mark, and
  /// where it cannot be written, nothing happens.
  package static func make(_ name: String) { unsafe lab_mark_for_parent(name) }
}
