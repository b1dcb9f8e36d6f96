// Comparison: two commands, two revisions or stored runs, side by side.
//
// `CompareWorkflow` tells the story: `CompareOptions` become a `CompareRequest`, its run launches A and B in
// turn within each block, `ComparisonAccumulator` pairs their launches, and `ComparisonFinding` says whether
// they differ: the ratio with its interval, against the effect that matters and the noise floor of the host.
// `RevisionsWorkflow` builds both sides first; `StoredComparisonWorkflow` compares what was stored, with
// `RunsComparison`. `ComparisonText` and `ComparisonJSON` show it.
//
// A night proves its suspicions with a comparison (History), and the self-test is one of a program with
// itself (LabChecks).

package import LaunchCore
import LaunchHost
import LaunchStore
package import Measuring
import Scenarios

/// Launches targets in the same blocks, and compares each pair of them.
///
/// It goes the way of every run: the same plan, launches, controls and store.
package struct CompareWorkflow {
  private let request: CompareRequest
  private let context: WorkflowContext

  package init(_ request: CompareRequest, in context: WorkflowContext) {
    self.request = request
    self.context = context
  }

  /// Launches, stores and concludes.
  ///
  /// - Returns: What is concluded, also of a run that failed or was interrupted part-way.
  /// - Throws: a ``LabError`` when nothing could be measured.
  package func run() async throws -> ComparisonSummary {
    var scenario = request.scenario
    scenario.regression = scenario.regressionRule.judging(request)
    var run = RunRequest(
      scenario: scenario,
      store: request.store,
      seed: request.seed,
      commandLine: request.commandLine
    )
    run.purpose = request.purpose
    run.slot = request.slot
    run.stoppingRule = stoppingRule
    let (summary, store) = try await RunWorkflow(run, in: context).run()
    return try concluded(summary, in: store)
  }

  private func concluded(_ run: RunSummary, in store: Store) throws -> ComparisonSummary {
    var accumulator = accumulator(of: run.run.plan)
    try store.forEachLaunch(of: run.run.id) { accumulator.add($0) }
    let rules = rules(run.run.plan, on: run.run.host.fingerprint)
    let summary = accumulator.summary(of: run, by: rules)
    let outcome = RunOutcome(
      verdict: summary.verdict.rawValue,
      exitCode: Int(summary.exitCode.rawValue)
    )
    try store.save(outcome, of: run.run.id)
    return summary
  }

  /// Looks with the noise that is known of this host before its controls are applied.
  private var stoppingRule: (any StoppingRule)? {
    guard var adaptive = request.scenario.adaptive else { return nil }
    // Nobody waits for a proof who could give it more time.
    if request.purpose == .proof { adaptive.timeLimit = nil }
    // The arms and the looks do not depend on the seed.
    let plan = Planner.plan(request.scenario, seed: 0)
    return ComparisonStop(
      accumulator: accumulator(of: plan),
      rules: rules(plan, on: Doctor.facts.fingerprint),
      limits: adaptive
    )
  }

  private func accumulator(of plan: Plan) -> ComparisonAccumulator {
    ComparisonAccumulator(plan: plan, pairs: request.pairs, metrics: request.metrics)
  }

  private func rules(_ plan: Plan, on fingerprint: String) -> ComparisonRules {
    ComparisonRules(
      base: request.rule,
      looks: plan.looks.count,
      noise: HostStore.noise(of: fingerprint, in: context),
      commands: plan.scenario.targets.reduce(into: [:]) { $0[$1.name] = $1.command }
    )
  }
}

extension RegressionRule {
  /// The rule that a comparison is judged by, as it is stored with its launches.
  fileprivate func judging(_ request: CompareRequest) -> Self {
    var rule = self
    rule.effect = request.rule.effectLimit
    rule.confidence = request.rule.confidence
    rule.tail = request.rule.tailLimit
    rule.metrics = request.metrics
    return rule
  }
}

/// Compares what a command line names: commands, revisions of a scenario, or stored runs.
package struct ComparisonCommand {
  private let options: CompareOptions
  private let context: WorkflowContext

  package init(_ options: CompareOptions, in context: WorkflowContext) {
    self.options = options
    self.context = context
  }

  /// What was concluded.
  package enum Answer: Sendable {
    /// From launches that were made for it, in the same blocks.
    case interleaved(ComparisonSummary)

    /// From two runs that were made before.
    case stored(StoredComparison)

    package var exitCode: LabExitCode {
      switch self {
      case .interleaved(let summary): summary.exitCode
      case .stored(let comparison): comparison.exitCode
      }
    }
  }

  /// Compares.
  ///
  /// - Returns: What is concluded, also of a run that failed or was interrupted part-way.
  /// - Throws: a ``LabError`` when the options are wrong, or nothing could be measured.
  package func run() async throws -> Answer {
    if options.revisions == nil, try namesRuns() {
      return .stored(try StoredComparisonWorkflow(options, in: context).comparison())
    }
    return .interleaved(try await CompareWorkflow(request(), in: context).run())
  }

  private func request() async throws -> CompareRequest {
    if options.revisions != nil {
      return try await RevisionsWorkflow(options, in: context).request()
    }
    try refuseTargets()
    return try CompareRequest(commands: options)
  }

  /// Whether two stored runs are meant.
  private func namesRuns() throws(WorkflowError) -> Bool {
    let names = options.words.filter(StoredRuns.isName)
    guard !names.isEmpty else { return false }
    guard names.count == 2, options.words.count == 2 else {
      throw .cannotCompare(
        reason: "\"\(names[0])\" is a stored run, and a second one is missing",
        remedy: "give two runs listed by `launchlab history`, or the whole path of a program"
      )
    }
    return true
  }

  private func refuseTargets() throws(WorkflowError) {
    guard let target = options.targets.first else { return }
    throw .badOption(
      name: "--target",
      value: target,
      expected: "it with a scenario or with stored runs only"
    )
  }
}

/// Ends a comparison at the first look that has an answer for everything that is compared.
///
/// Each look is judged with a confidence that is high enough for all of them together, so that
/// looking often does not make a false alarm more likely; see docs/methodology.md.
package struct ComparisonStop: StoppingRule {
  private var accumulator: ComparisonAccumulator
  private let rules: ComparisonRules
  private let limits: AdaptiveLaunches

  /// When the newest launch began, since the first one.
  private var elapsed = Nanoseconds.zero

  /// - Parameters:
  ///   - accumulator: Has seen the launches of before.
  ///   - rules: How the arms are judged, at every look alike.
  ///   - limits: How many launches and how much time there are, and which interval is narrow enough.
  package init(
    accumulator: ComparisonAccumulator,
    rules: ComparisonRules,
    limits: AdaptiveLaunches
  ) {
    self.accumulator = accumulator
    self.rules = rules
    self.limits = limits
  }

  package mutating func add(_ record: LaunchRecord) {
    accumulator.add(record)
    elapsed = record.startedAt
  }

  package func isEnough(atLook look: Int) -> Bool {
    accumulator.isDecided(by: rules, precision: limits.precision)
  }

  /// Told at the third look, when the scatter is known well enough.
  package func outlook(atLook look: Int) -> ComparisonOutlook? {
    guard look == 2, let time = limits.timeLimit else { return nil }
    return accumulator.outlook(by: rules, after: elapsed, within: time, pairs: limits.most)
  }
}
