import Foundation
import LabHost
import LabScenarios

/// Helps with writing scenario files.
package enum ScenarioWorkflow {
  /// The JSON Schema of scenario files.
  package static var schema: String { ScenarioSchema.json() }

  /// Writes a commented scenario that runs as it is.
  ///
  /// - Parameters:
  ///   - path: Where it goes.
  ///   - command: The command it measures; when empty, programs any machine has.
  ///   - replacing: Whether an existing file is replaced.
  /// - Throws: ``WorkflowError/fileExists(path:)``, or an error of the machine.
  package static func writeTemplate(to path: String, command: [String], replacing: Bool) throws {
    guard replacing || !FileManager.default.fileExists(atPath: path) else {
      throw WorkflowError.fileExists(path: path)
    }
    try WholeFile(path).write { sink in
      try sink(ScenarioTemplate.text(command: command))
    }
  }
}
