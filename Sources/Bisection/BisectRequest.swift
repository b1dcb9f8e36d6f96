import Builds
import Foundation
import LaunchCore
import LaunchHost
package import Measuring

/// The limits of a bisection that are given when it goes on; nil for those that stay.
struct BisectLimitChange: Hashable {
  var launches: Int?
  var builds: Int?
  var seconds: Double?

  init() {}

  /// - Throws: `ScenarioError` or ``WorkflowError`` for a time that is none.
  init(_ options: BisectOptions) throws {
    launches = options.mostLaunches
    builds = options.mostBuilds
    seconds = try BisectQuestion.mostSeconds(options)
  }

  func applied(to limits: BisectLimits) -> BisectLimits {
    BisectLimits(
      launches: launches ?? limits.launches,
      builds: builds ?? limits.builds,
      seconds: seconds ?? limits.seconds
    )
  }

  /// The limits for a bisection that has ended.
  ///
  /// With less the bisection would have ended earlier, which undoes what was found.
  ///
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` for a lower limit than before.
  func raised(from limits: BisectLimits) throws(WorkflowError) -> BisectLimits {
    let given: [(name: String, value: Double?, before: Double?, unit: String)] = [
      ("--max-launches", launches.map(Double.init), Double(limits.launches), ""),
      ("--max-builds", builds.map(Double.init), limits.builds.map(Double.init), ""),
      ("--max-time", seconds, limits.seconds, " s"),
    ]
    for (name, value, before, unit) in given {
      guard let value, let before, value < before else { continue }
      throw .badOption(
        name: name,
        value: "\(Int(clamping: value))\(unit)",
        expected:
          "at least \(Int(before))\(unit), as before: the bisection has ended, and only more "
          + "lets it go on"
      )
    }
    return applied(to: limits)
  }
}

extension BisectSummary.Places {
  /// What is not where commands look by themselves.
  ///
  /// - Parameters:
  ///   - start: What is bisected.
  ///   - store: The absolute path of the store.
  ///   - directory: The absolute path of the working directory.
  init(of start: BisectStart, store: String, from directory: String) {
    let repository = start.artifacts == nil ? start.scenario.source?.repository : nil
    self.init(
      store: store == StoreLocation.path(nil, beside: directory) ? nil : store,
      repository: repository.flatMap { "\(directory)/".hasPrefix("\($0)/") ? nil : $0 }
    )
  }
}

/// A bisection that is to begin or to go on.
package struct BisectRequest: Sendable {
  let beginning: Beginning

  /// The absolute path of the directory of the store, which also holds builds.
  let storeDirectory: String

  /// The absolute path of the SQLite file.
  let store: String

  /// The path of the scenario file, where one is named.
  let scenarioPath: String?

  /// What is expected of the work.
  let plan: BisectPlan

  /// The limits that are given anew to a bisection that goes on.
  let limits: BisectLimitChange

  /// What commands must be told so that they find what is bisected.
  let places: BisectSummary.Places

  let jobs: Int
  let sharedBuilds: String?
  let buildTimeLimit: Nanoseconds
  let retriesFailures: Bool

  /// Whether a culprit is launched and traced, to say why it is slower or faster.
  let explains: Bool

  /// The command line of launchlab.
  let commandLine: [String]

  /// A new bisection, or one that was cut off.
  enum Beginning: Sendable {
    case new(BisectStart, notes: [Diagnostic])
    case resumed(BisectRecord)

    var start: BisectStart {
      switch self {
      case .new(let start, _): start
      case .resumed(let record): record.start
      }
    }
  }

  /// The longest build where nothing else is said.
  static let usualBuildTimeLimit = Nanoseconds.seconds(3600)

  /// Finds the range, the target and the measure that options ask for.
  ///
  /// - Throws: `ScenarioError`, `HostError` and ``WorkflowError`` for what cannot be bisected.
  package init(_ options: BisectOptions, in context: WorkflowContext) async throws {
    let question = try BisectQuestion(options, in: context)
    let (start, notes) = try await question.start()
    let known = PlanNoise(start: start, store: question.store, context: context)
    let costs = PlanCosts(start: start, storeDirectory: question.storeDirectory)
    let plan = known.plan(costs: await costs.costs())
    try self.init(
      beginning: .new(start, notes: notes),
      storeDirectory: question.storeDirectory,
      store: question.store,
      scenarioPath: options.scenario ?? question.alert?.scenarioPath,
      limits: BisectLimitChange(),
      plan: plan,
      options: options
    )
  }

  /// Goes on with a bisection that was cut off.
  ///
  /// - Parameters:
  ///   - id: The first digits of its id, or `last`.
  ///   - options: Its store counts, and its limits, jobs and time of a build where they are given;
  ///     everything else is in the log.
  ///   - context: Where it goes on.
  /// - Throws: ``WorkflowError`` for what is no such bisection, and `HostError` when another user can
  ///   have written its log.
  package init(
    resuming id: String,
    _ options: BisectOptions,
    in context: WorkflowContext
  ) throws {
    let store = StoreLocation.path(options.store, beside: options.launching.directory)
    let location = try LogLocation(.bisection, besideStore: store)
    let log = try location.log(of: location.id(id))
    // What it says is built and launched.
    try AppendedFile.check(log)
    let record = try BisectRecord(path: log)
    try self.init(
      beginning: .resumed(record),
      storeDirectory: location.storeDirectory,
      store: store,
      scenarioPath: nil,
      limits: BisectLimitChange(options),
      plan: PlanNoise(start: record.start, store: store, context: context).plan(
        costs: BisectPlan.Costs(build: nil, launch: nil)
      ),
      options: options
    )
  }

  /// The files of the bisection, for its outputs to be compared with.
  package var files: CommandFiles {
    let start = beginning.start
    let location = LogLocation(.bisection, storeDirectory: storeDirectory)
    return CommandFiles().keeping(store: store).reading(start.scenario, at: scenarioPath)
      .reading(directory: start.artifacts, as: "the artifacts")
      .keeping(location.log(of: start.id), as: "the log")
      .keeping(location.report(of: start.id), as: "the report")
  }

  /// Who makes the revisions of a start launchable.
  func builder(of start: BisectStart, interrupt: InterruptFlag) throws -> any BisectBuilder {
    if let artifacts = start.artifacts, let target = start.scenario.targets.first {
      return PrebuiltArtifacts(directory: artifacts, target: target, revisions: start.revisions)
    }
    guard let source = start.scenario.source else { throw BisectRangeError.noSource }
    return RevisionBuilder(
      source: source,
      scenario: start.scenario,
      revisions: start.revisions,
      cache: CacheLocation(directory: storeDirectory),
      shared: sharedBuilds.map(SharedBuilds.init),
      jobs: jobs,
      timeLimit: .nanoseconds(buildTimeLimit.count),
      triesAgain: retriesFailures,
      interrupt: interrupt
    )
  }

  private init(
    beginning: Beginning,
    storeDirectory: String,
    store: String,
    scenarioPath: String?,
    limits: BisectLimitChange,
    plan: BisectPlan,
    options: BisectOptions
  ) throws {
    self.beginning = beginning
    self.storeDirectory = storeDirectory
    self.store = store
    self.scenarioPath = scenarioPath
    self.limits = limits
    self.plan = plan
    places = BisectSummary.Places(
      of: beginning.start,
      store: store,
      from: options.launching.directory
    )
    jobs = max(1, options.jobs ?? beginning.start.jobs ?? 1)
    sharedBuilds = options.sharedBuilds
    buildTimeLimit =
      try BisectQuestion.buildTimeLimit(options) ?? beginning.start.buildTimeLimit
      ?? Self.usualBuildTimeLimit
    retriesFailures = options.retriesFailures
    explains =
      options.explains && beginning.start.scenario.explanationRule.when != .never
    commandLine = ["launchlab", "bisect"] + [options.range].compactMap(\.self)
  }
}
