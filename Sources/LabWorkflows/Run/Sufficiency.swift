package import LabModel

/// Sees the launches of complete blocks, and tells at a look whether there are enough of them.
package protocol Sufficiency: Sendable {
  /// Takes in a launch of a complete block.
  mutating func add(_ record: LaunchRecord)

  /// Whether the run may end.
  ///
  /// - Parameter look: An index into the plan's looks, never that of the last one.
  /// - Returns: True when more launches would not make the result better than was asked for.
  func isEnough(atLook look: Int) -> Bool
}
