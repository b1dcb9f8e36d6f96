package import LaunchCore
import LaunchHost
package import Measuring

/// Learns which files the launches of a target open; only that is stored.
package struct FilesWorkflow {
  private let request: RunRequest

  /// What the lab is told that it is at work for.
  private let words: [String]

  private let context: WorkflowContext

  /// - Parameters:
  ///   - options: What is launched.
  ///   - context: Where it is launched.
  /// - Throws: `ScenarioError` with every problem of the options.
  package init(options: MeasureOptions, in context: WorkflowContext) throws {
    self.context = context
    request = try RunRequest(options: options, store: nil, seed: nil)
    words = ["--"] + options.command
  }

  /// - Parameters:
  ///   - scenarioPath: The scenario file; a source is built first.
  ///   - target: The name of one of its targets; nil when it has only one.
  ///   - rule: Replaces `own:` of the target.
  ///   - context: Where it is launched.
  /// - Throws: `ScenarioError` with every problem of the file, and
  ///   ``WorkflowError/badOption(name:value:expected:)`` for a target that it does not have.
  package init(
    scenarioPath: String,
    target: String?,
    rule: OwnRule?,
    in context: WorkflowContext
  ) throws {
    self.context = context
    var request = try RunRequest(
      scenarioPath: scenarioPath,
      store: nil,
      seed: nil,
      revision: nil,
      resume: nil,
      reportDirectory: nil
    )
    let names = request.scenario.targets.map(\.name)
    guard let name = target ?? (names.count == 1 ? names[0] : nil), names.contains(name) else {
      throw WorkflowError.badOption(
        name: "--target",
        value: target ?? "",
        expected: "one of the scenario's targets: \(names.joined(separator: ", "))"
      )
    }
    request.scenario.targets.removeAll { $0.name != name }
    if let rule { request.scenario.targets[0].own = rule }
    self.request = request
    words = [scenarioPath]
  }

  /// The files of the launch, for the outputs to be compared with.
  package var files: CommandFiles { request.files }

  /// Launches once under the watcher, and sorts the files.
  ///
  /// - Returns: The files, in the order that they were first opened.
  /// - Throws: a ``LabError`` when the target cannot be launched, or was not ready.
  package func run() async throws -> FileSet {
    let interrupt = try context.interrupt()
    return try await context.lab(for: ["launchlab", "files"] + words) { session in
      var scenario = try await SourceWorkflow(request, in: context).scenario().scenario
      scenario.targets.removeAll { $0.name == Arm.controlTarget }
      scenario.states = [.warm]
      let arm = Arm(target: scenario.targets[0].name, state: .warm)
      var laboratory = try await HostLaboratory(
        plan: Plan(scenario: scenario, seed: 0, arms: [arm], blockCount: 1),
        directory: request.storeDirectory,
        session: session,
        interrupt: interrupt,
        learnsAll: true
      )
      defer { laboratory.close() }
      let files = try laboratory.files(of: arm)
      return FileSet(
        target: scenario.targets[0],
        files: files,
        notes: laboratory.notes + session.notes
      )
    }
  }
}
