import Foundation
package import LaunchCore
import LaunchHost
package import Scenarios

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
  ///   - context: Where the command is tried, to see when its launch ends.
  /// - Returns: What keeps the scenario from running as it is.
  /// - Throws: ``WorkflowError/fileExists(path:)``, or an error of the machine.
  package static func writeTemplate(
    to path: String,
    command: [String],
    replacing: Bool,
    in context: WorkflowContext
  ) async throws -> [Diagnostic] {
    guard replacing || !FileManager.default.fileExists(atPath: path) else {
      throw WorkflowError.fileExists(path: path)
    }
    let trial = command.isEmpty ? nil : await CommandTrial(command, in: context).finding()
    try WholeFile(path).write { sink in
      try sink(ScenarioTemplate.text(command: command, ready: trial?.ready))
    }
    return trial?.problems ?? []
  }

  /// Allows launchlab to empty directories that lie somewhere else than a scenario.
  ///
  /// - Parameter directories: Each must exist.
  /// - Returns: The file that allows each, and how many entries are emptied from beside it.
  /// - Throws: An error of the machine at the first that must never be emptied, or cannot be written.
  package static func allow(
    _ directories: [String]
  ) throws -> [(directory: String, file: String, entries: Int)] {
    let home = ProcessInfo.processInfo.environment["HOME"]
    return try directories.map { directory in
      let file = try EmptyingPermit.grant(for: directory, home: home)
      return (directory, file, EmptyingPermit.entryCount(besides: file))
    }
  }
}

extension ScenarioFile {
  /// Reads a scenario file whose targets are going to be launched here.
  ///
  /// - Throws: ``ScenarioError``, also for directories that must not be emptied on this machine.
  package static func loadForLaunch(
    path: String,
    suppressing ids: [String] = []
  ) throws(ScenarioError) -> Scenario {
    try load(path: path, suppressing: ids, judgedBy: judge)
  }

  /// Makes a scenario from options whose target is going to be launched here.
  ///
  /// - Throws: As ``loadForLaunch(path:suppressing:)``.
  package static func loadForLaunch(options: MeasureOptions) throws(ScenarioError) -> Scenario {
    try load(options: options, judgedBy: judge)
  }

  private static let judge: DirectoryJudge = { question in
    Surroundings(
      home: ProcessInfo.processInfo.environment["HOME"],
      scenarioDirectory: question.scenarioDirectory,
      repository: question.repository
    ).objection(to: question.path, isEmptied: question.isEmptied)
  }
}
