import LabAnalysis
import LabModel
import LabScenarios

extension CompareRequest {
  /// Compares command lines; each with the first one.
  ///
  /// The targets are called A, B and so on.
  ///
  /// - Throws: `ScenarioError` with every problem of the options, and ``WorkflowError``.
  package init(commands options: CompareOptions) throws {
    guard (2...Self.names.count).contains(options.words.count) else {
      throw WorkflowError.badOption(
        name: "the number of commands",
        value: "\(options.words.count)",
        expected: "2 to \(Self.names.count) commands, each in quotes"
      )
    }
    let count = try options.launchCount()
    let commands = try options.words.map { try CommandWords($0).words }
    let scenarios = try commands.map { command in
      var launching = options.launching
      launching.command = command
      launching.launches = count?.fewest ?? CompareOptions.usualLaunches
      if launching.states.isEmpty { launching.states = [LaunchState.warm.rawValue] }
      return try ScenarioFile.loadForLaunch(options: launching)
    }
    var scenario = scenarios[0]
    try DoctorWorkflow.check(scenario.controls?.suppressed ?? [])
    scenario.name = "compare"
    scenario.adaptive = count?.adaptive
    let targets = zip(Self.names, scenarios.flatMap(\.targets)).map { name, target in
      var target = target
      target.name = name
      return target
    }
    let store = StoreLocation.path(options.store, beside: scenario.directory)
    let compared = scenario.comparing(targets)
    try options.files.keeping(store: store).reading(compared).check()
    self.init(
      scenario: compared,
      pairs: targets.dropFirst().map { target in
        ComparedPair(name: target.name, baseline: targets[0].name, candidate: target.name)
      },
      metrics: try options.chosenMetrics(),
      rule: try options.rule(in: nil),
      store: store,
      seed: options.seed,
      commandLine: ["launchlab", "compare"] + options.words
    )
  }

  /// What commands are called, in their order.
  private static let names = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".map { String($0) }
}
