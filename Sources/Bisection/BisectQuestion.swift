import Comparison
import Foundation
import History
import LaunchCore
import LaunchHost
import Measuring
import Scenarios

/// Turns the words of a bisection into what is logged as its start.
struct BisectQuestion {
  let options: BisectOptions
  let context: WorkflowContext
  let scenario: Scenario

  /// What an alert says of range and measure, where one asks.
  let alert: AlertQuestion?

  /// The absolute path of the SQLite file.
  let store: String

  /// The absolute path of the directory of the store.
  let storeDirectory: String

  /// Reads the scenario, or makes one of a command.
  ///
  /// - Throws: `ScenarioError` with every problem of the file, and ``WorkflowError``.
  init(_ options: BisectOptions, in context: WorkflowContext) throws {
    self.options = options
    self.context = context
    alert = try options.alert.map { try AlertQuestion($0, options, in: context) }
    scenario = try Self.scenario(options, alert: alert)
    store = alert?.store ?? StoreLocation.path(options.store, beside: scenario.directory)
    storeDirectory = try LogLocation(.bisection, besideStore: store).storeDirectory
  }

  /// Everything that is decided before the first build.
  ///
  /// - Returns: The start of the log, and what a reader should know of the range.
  func start() async throws -> (BisectStart, notes: [Diagnostic]) {
    let (measured, state) = try measured()
    let metric = options.metric ?? alert?.metric ?? Metric.launch.rawValue
    let (measure, counting) = try MeasureResolver().measure(metric, state: state)
    let artifacts = options.artifacts.map(absolute)
    let range = options.range ?? alert?.range
    let found = try await RangeResolver(
      scenario: scenario,
      text: range,
      paths: options.paths,
      skips: options.skips,
      artifacts: artifacts
    ).result()
    var only = scenario
    only.targets = [measured]
    only.states = [state]
    let now = context.now()
    var start = BisectStart(
      id: RunID.make(at: now, salt: .random(in: 0...(.max))),
      startedAt: now,
      revisions: found.revisions,
      skips: found.skipped.sorted(),
      range: range ?? "\(found.revisions[0].id)..\(found.revisions[found.revisions.count - 1].id)",
      scenario: only.forBisection,
      artifacts: artifacts,
      measure: measure,
      counting: counting,
      parameters: try parameters(isExact: measure == .counter(.instructions)),
      jobs: options.jobs,
      buildTimeLimit: try Self.buildTimeLimit(options),
      fingerprint: Doctor.facts.fingerprint,
      alert: alert?.number,
      words: options.words,
      scenarioPath: options.scenario ?? alert?.scenarioPath,
      launchlabVersion: LaunchlabVersion.current
    )
    if metric.replacing("-", with: "_") == Metric.slowShare.rawValue {
      start.parameters.looksForSlow = true
    }
    if let alert, alert.isOf(measured, state, measure, start.parameters.direction) {
      start.parameters.alertEffect = alert.effect
    }
    if let seconds = PlanNoise(start: start, store: store, context: context).launchSeconds {
      start.parameters.launchSeconds = seconds
    }
    return (start, found.notes)
  }

  // MARK: - Target and state

  private func measured() throws(WorkflowError) -> (Target, LaunchState) {
    let names = scenario.targets.map(\.name)
    let name = options.target ?? alert?.target
    guard name != nil || names.count == 1 else {
      throw .cannotBisect(
        reason: "the scenario has \(names.count) targets, and none is selected",
        remedy: "select one with --target: \(names.joined(separator: ", "))"
      )
    }
    guard let target = scenario.targets.first(where: { $0.name == name ?? names[0] }) else {
      throw .badOption(
        name: "--target",
        value: name ?? "",
        expected: "a target of the scenario: \(names.joined(separator: ", "))"
      )
    }
    return (target, try state())
  }

  /// The state that was asked for; else warm, or the only one of the scenario.
  private func state() throws(WorkflowError) -> LaunchState {
    guard let word = options.state ?? alert?.state else {
      return scenario.states.contains(.warm) ? .warm : scenario.states[0]
    }
    guard let state = LaunchState(rawValue: word) else {
      throw .badOption(
        name: "--state",
        value: word,
        expected: "one of: \(LaunchState.allCases.map(\.rawValue).joined(separator: ", "))"
      )
    }
    return state
  }

  private static func scenario(_ options: BisectOptions, alert: AlertQuestion?) throws -> Scenario {
    if let path = options.scenario ?? alert?.scenarioPath {
      let scenario = try ScenarioFile.loadForLaunch(path: path)
      try Preflight.check(scenario.controls?.suppressed ?? [])
      guard scenario.source != nil || options.artifacts != nil else {
        throw WorkflowError.cannotBisect(
          reason: "\(path) has no section `source` to build revisions from",
          remedy: "add `source`, or use prebuilt executables with --artifacts"
        )
      }
      return scenario
    }
    guard !options.launching.command.isEmpty else {
      throw WorkflowError.cannotBisect(
        reason: "nothing to launch",
        remedy: "use --scenario FILE, or give a command after --"
      )
    }
    var scenario = try ScenarioFile.loadForLaunch(options: options.launching)
    guard options.build != nil || options.artifacts != nil else {
      throw WorkflowError.cannotBisect(
        reason: "no build command",
        remedy: "use --build COMMAND, or prebuilt executables with --artifacts"
      )
    }
    scenario.source = try options.build.map {
      Source(
        repository: options.launching.directory,
        build: $0,
        submodules: try submodules(options.submodules)
      )
    }
    return scenario
  }

  private static func submodules(_ word: String?) throws(WorkflowError) -> Source.Submodules {
    guard let word else { return .tried }
    if let known = Source.Submodules(rawValue: word) { return known }
    let words = Source.Submodules.allCases.map(\.rawValue)
    throw .badOption(
      name: "--submodules",
      value: word,
      expected: nearestWord(to: word, in: words) ?? "one of: \(words.joined(separator: ", "))"
    )
  }

  // MARK: - Numbers

  private func parameters(isExact: Bool) throws -> BisectParameters {
    var parameters = BisectParameters(
      direction: try direction(),
      findsAll: options.findsAll,
      isExact: isExact,
      isForced: options.isForced,
      buildSeconds: 30,
      launchSeconds: 0.1
    )
    if let effect = options.minimumEffect {
      parameters.minimumEffect = log1p(try Percentage(effect, option: "--min-effect").share)
    }
    if let confidence = options.confidence {
      parameters.confidence = try Percentage(confidence, option: "--confidence").share
      guard (0.5..<1).contains(parameters.confidence) else {
        throw WorkflowError.badOption(
          name: "--confidence",
          value: confidence,
          expected: "a percentage from 50% to below 100%, such as 95%"
        )
      }
    }
    parameters.limits.launches = options.mostLaunches ?? parameters.limits.launches
    parameters.limits.builds = options.mostBuilds
    parameters.limits.seconds = try Self.mostSeconds(options)
    return parameters
  }

  /// How long may be built and launched; nil where that was not said.
  static func mostSeconds(_ options: BisectOptions) throws -> Double? {
    try time(options.mostTime, of: "--max-time").map { Double($0.count) / 1e9 }
  }

  private func direction() throws(WorkflowError) -> BisectParameters.Direction {
    guard let word = options.find else { return alert?.direction ?? .regression }
    guard let direction = BisectParameters.Direction(rawValue: word) else {
      throw .badOption(name: "--find", value: word, expected: "regression, improvement or any")
    }
    return direction
  }

  /// How long one build may take; nil where that was not said.
  static func buildTimeLimit(_ options: BisectOptions) throws -> Nanoseconds? {
    try time(options.buildTimeout, of: "--build-timeout")
  }

  private static func time(_ text: String?, of option: String) throws -> Nanoseconds? {
    guard let text else { return nil }
    let time = try ScenarioFile.duration(text, option: option)
    guard time.count > 0 else {
      throw WorkflowError.badOption(name: option, value: text, expected: "some time, such as 30m")
    }
    return time
  }

  private func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(options.launching.directory)/\(path)"
  }
}

extension Scenario {
  /// Without what only nights need, and without whom they tell.
  fileprivate var forBisection: Scenario {
    var scenario = self
    scenario.adaptive = nil
    scenario.budgets = nil
    scenario.control = nil
    scenario.notifiers = nil
    scenario.releases = nil
    scenario.includesEmptyBaseline = false
    scenario.stages = nil
    scenario.bisection = nil
    return scenario
  }
}

/// What an alert says of the change that is to be found.
struct AlertQuestion {
  let number: Int

  /// The last good commit and the bad one, with two dots between them.
  let range: String

  /// The natural logarithm of new divided by old; nil where that is not known.
  let effect: Double?

  let target: String
  let state: String
  let metric: String
  let direction: BisectParameters.Direction

  /// The file that the alert is in.
  let store: String

  /// The scenario file that the alert's runs came from.
  let scenarioPath: String

  /// Finds an alert, and the commits of its nights.
  ///
  /// - Throws: ``WorkflowError`` for an alert that is none, or has no commits.
  init(_ id: String, _ options: BisectOptions, in context: WorkflowContext) throws {
    let found = try WhyWorkflow(store: options.store, in: context).explanation(of: id)
    // What it holds decides what is built.
    try StoreFile(found.store).check()
    let alert = found.alert
    number = alert.number
    target = alert.series.target
    state = alert.series.state.rawValue
    metric = alert.series.metric.rawValue
    direction = alert.direction == .worse ? .regression : .improvement
    store = found.store
    range = try Self.range(found)
    effect = found.ratio.flatMap { $0 > 0 && $0.isFinite ? log($0) : nil }
    scenarioPath = try options.scenario ?? Self.scenarioFile(of: found)
  }

  /// The two builds that a comparison has told apart, or else those that the history says.
  private static func range(_ found: WhyWorkflow.Explanation) throws -> String {
    let alert = found.alert
    if let proof = alert.proof, proof.scope == .build, proof.verdict == alert.direction.verdict {
      return "\(proof.good)..\(proof.bad)"
    }
    guard let commits = found.commits else {
      throw WorkflowError.cannotBisect(
        reason: "\(alert.id) has no range of commits: "
          + "its nights were not built from different commits of a source",
        remedy: "give a range, as in `launchlab bisect GOOD..BAD --scenario FILE`"
      )
    }
    return commits
  }

  /// Whether a bisection looks for the change of the alert, and not for another one in its range.
  func isOf(
    _ target: Target,
    _ state: LaunchState,
    _ measure: BisectMeasure,
    _ direction: BisectParameters.Direction
  ) -> Bool {
    target.name == self.target && state.rawValue == self.state && measure.name == metric
      && (direction == self.direction || direction == .any)
  }

  /// The one scenario file of an alert in the directory that holds `.launchlab`.
  private static func scenarioFile(of found: WhyWorkflow.Explanation) throws -> String {
    let files = found.scenarioFiles
    guard files.count == 1 else {
      throw WorkflowError.cannotBisect(
        reason: "\(files.isEmpty ? "no file" : "more than one file") beside the store "
          + "\(found.store) has the scenario \"\(found.alert.series.scenario)\" of \(found.alert.id)",
        remedy: "name the scenario file with --scenario"
      )
    }
    return files[0]
  }
}
