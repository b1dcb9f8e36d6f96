import LabHost

/// Makes a launch mark for the script that calls launchlab.
package struct MarkWorkflow {
  private let name: String

  /// - Parameter name: What the mark is called.
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` for a name of no bytes or too many.
  package init(name: String) throws(WorkflowError) {
    let lengths = ScriptMark.nameLengths
    guard lengths.contains(name.utf8.count) else {
      throw .badOption(
        name: "name",
        value: name,
        expected: "a name of \(lengths.lowerBound) to \(lengths.upperBound) bytes"
      )
    }
    self.name = name
  }

  /// Makes the mark, which belongs to the calling process; without a launch it does nothing.
  package func run() { ScriptMark.make(name) }
}
