package import Comparison
package import LaunchCore
import LaunchHost
package import Measuring
import Rendering
import Scenarios

/// An explanation as it is asked for on the command line, in the words that were typed.
package struct ExplainOptions: Sendable {
  /// One program and its arguments; empty where two are compared.
  package var command: [String]

  /// What is compared: two command lines, or a scenario file with revisions.
  ///
  /// Its `launching` also says how one program is launched.
  package var comparison: CompareOptions

  package var state: LaunchState

  /// How many launches of each kind; nil means 10 of one program, at most 64 of two, and of slow ones as
  /// many as it takes.
  package var launches: Int?

  /// How long launches may go on, such as `2m`; nil means 60 s.
  package var time: String?

  /// Whether the instructions of functions are counted; nil where that is worth its time.
  package var countsInstructions: Bool?

  /// Whether the slow launches of one program are explained.
  package var slow = false

  /// What records timelines: `auto`, or the name of a ``TimelineCollector``.
  package var collector = "auto"

  package init(
    command: [String],
    comparison: CompareOptions,
    state: LaunchState,
    launches: Int?,
    time: String?,
    countsInstructions: Bool? = nil
  ) {
    self.command = command
    self.comparison = comparison
    self.state = state
    self.launches = launches
    self.time = time
    self.countsInstructions = countsInstructions
  }

  /// What it explains, in the usual form; revisions are built first.
  ///
  /// - Parameter context: Where they are built.
  /// - Returns: A request for one target, or for two.
  /// - Throws: a ``LabError`` when the options are wrong, or a revision cannot be built.
  package func request(in context: WorkflowContext) async throws -> ExplainRequest {
    if !command.isEmpty {
      let words = (slow ? ["--slow"] : []) + ["--"] + command
      return try request(of: singleScenario(), in: state, words)
    }
    var options = comparison
    options.launching.states = [state.rawValue]
    guard options.revisions != nil else {
      let compared = try CompareRequest(commands: options)
      guard compared.scenario.targets.count == 2 else {
        throw WorkflowError.badOption(
          name: "the number of commands",
          value: "\(compared.scenario.targets.count)",
          expected: "2 commands, each in quotes, or one after --"
        )
      }
      return try request(of: compared.scenario, in: state, options.words)
    }
    let compared = try await RevisionsWorkflow(options, in: context).request()
    guard let pair = compared.pairs.first, compared.pairs.count == 1 else {
      throw WorkflowError.badOption(
        name: "--target",
        value: options.targets.joined(separator: ", "),
        expected: "one of: " + compared.pairs.map(\.name).joined(separator: ", ")
      )
    }
    var scenario = compared.scenario
    scenario.targets.removeAll { $0.name != pair.baseline && $0.name != pair.candidate }
    return try request(
      of: scenario,
      in: state,
      ["--revisions", options.revisions ?? ""] + options.words
    )
  }

  /// Where its launches are kept.
  ///
  /// - Parameter directory: That of what is launched.
  /// - Returns: The place beside the store.
  /// - Throws: ``WorkflowError`` for a store that is a directory.
  package func location(beside directory: String) throws -> LogLocation {
    let store = StoreLocation.path(comparison.store, beside: directory)
    return try LogLocation(.explanation, besideStore: store)
  }

  /// An explanation that goes on, or is computed again.
  ///
  /// - Parameters:
  ///   - id: The first digits of its id, or `last`.
  ///   - context: Where it goes on.
  /// - Returns: What goes on with it.
  /// - Throws: ``WorkflowError`` for what is no such explanation, and `HostError` when another user can
  ///   have written its log.
  package func resuming(
    _ id: String,
    in context: WorkflowContext
  ) throws -> (ExplainWorkflow, ExplainRequest) {
    let location = try location(beside: comparison.launching.directory)
    let log = try location.log(of: location.id(id))
    // What it says is launched.
    try AppendedFile.check(log)
    let record = try ExplanationRecord(path: log)
    let limit = try time.map { try ScenarioFile.duration($0, option: "--time") }
    if let limit, limit < record.timeLimit {
      throw WorkflowError.badOption(
        name: "--time",
        value: time ?? "",
        expected: "\(Quantity.text(record.timeLimit)) or more, as there was before"
      )
    }
    var request = record.start.request
    try comparison.files.reading(request.scenario).keeping(log, as: "the log").check()
    // What has ended is with its alert already.
    if record.notes != nil, limit ?? record.timeLimit == record.timeLimit { request.alert = nil }
    return (ExplainWorkflow(resuming: record, timeLimit: limit, in: context), request)
  }

  private func singleScenario() throws -> Scenario {
    var launching = comparison.launching
    launching.command = command
    launching.states = [state.rawValue]
    let scenario = try ScenarioFile.loadForLaunch(options: launching)
    try Preflight.check(scenario.controls?.suppressed ?? [])
    try comparison.files.reading(scenario).check()
    return scenario.comparing(scenario.targets)
  }

  /// What explains the targets of a scenario, as many launches and as long as was asked for.
  ///
  /// - Parameters:
  ///   - scenario: With the one or two targets.
  ///   - state: The state that they are launched in.
  ///   - words: What was typed, to be repeated.
  /// - Returns: A request for one target, or for two.
  /// - Throws: a ``LabError`` for a number of launches or a time that is none.
  package func request(
    of scenario: Scenario,
    in state: LaunchState,
    _ words: [String]
  ) throws -> ExplainRequest {
    let range = slow ? 20...10_000 : scenario.targets.count == 2 ? 8...1_000 : 1...1_000
    if let launches, !range.contains(launches) {
      throw WorkflowError.badOption(
        name: "--launches",
        value: "\(launches)",
        expected: "a number from \(range.lowerBound) to \(range.upperBound)"
      )
    }
    var scenario = scenario
    scenario.adaptive = nil
    let usual =
      slow
      ? SlowLaunches.mostLaunches : scenario.targets.count == 2 ? ExplainRequest.mostLaunches : 10
    var request = ExplainRequest(
      scenario: scenario,
      state: state,
      launches: launches ?? usual,
      timeLimit: try time.map { try ScenarioFile.duration($0, option: "--time") }
        ?? .seconds(slow ? SlowLaunches.seconds : 60),
      collector: TimelineCollector(rawValue: collector),
      seed: comparison.seed,
      commandLine: ["launchlab", "explain"] + words
    )
    request.countsInstructions = countsInstructions
    if slow { request.fewestForSlow = launches ?? SlowLaunches.fewestLaunches }
    return request
  }
}
