import Foundation
package import LaunchCore
package import LaunchHost
import Scenarios

/// Launches a command under collectors, and concludes how its launches are spent; nothing is stored.
package struct StagesWorkflow {
  private let scenario: Scenario
  private let command: [String]
  private let seed: UInt64
  private let context: WorkflowContext

  /// - Parameters:
  ///   - options: What is launched, with its `stages`.
  ///   - context: Where it is launched.
  /// - Throws: `ScenarioError` with every problem of the options;
  ///   ``WorkflowError/badOption(name:value:expected:)`` for a finding that doctor does not know.
  package init(options: MeasureOptions, in context: WorkflowContext) throws {
    let scenario = try ScenarioFile.loadForLaunch(options: options)
    try Preflight.check(scenario.controls?.suppressed ?? [])
    self.init(scenario: scenario, command: options.command, in: context)
  }

  /// Launches the targets of a scenario, with its `stages`.
  package init(scenario: Scenario, command: [String] = [], in context: WorkflowContext) {
    self.scenario = scenario
    self.command = command
    self.context = context
    seed = UInt64(UInt32.random(in: 0...(.max)))
  }

  /// The files of the launches, for the outputs to be compared with.
  package var files: CommandFiles { CommandFiles().reading(scenario) }

  /// Launches, and concludes.
  ///
  /// - Returns: What is concluded, also of launches that were not ready.
  /// - Throws: a ``LabError`` when nothing could be measured.
  package func run() async throws -> StagesResult {
    // From here on a signal ends the launches in good order.
    let interrupt = try context.interrupt()
    return try await context.lab(for: ["launchlab", "stages", "--"] + command) { session in
      try await run(in: session, interrupt: interrupt)
    }
  }

  /// Launches in a given lab, which ends with these launches.
  ///
  /// - Parameters:
  ///   - session: The lab.
  ///   - interrupt: Ends the launches when it is set.
  /// - Returns: As ``run()``.
  /// - Throws: As ``run()``.
  package func run(in session: LabSession, interrupt: InterruptFlag) async throws -> StagesResult {
    let seen = try await seen(plan, in: session, interrupt)
    let changed = session.end()
    let symbols = await SymbolReader().symbols(for: seen.sink.codePlaces)
    var summary = seen.sink.accumulator.summary(of: seen.run).naming(symbols.names)
    summary.warnings =
      changed
      + StagesFailures(ending: seen.ending, unready: seen.sink.unready, scenario: scenario)
      .told(with: summary.warnings) + seen.notes + session.notes
    return StagesResult(
      summary: summary,
      launches: seen.sink.launches(naming: symbols.names),
      notes: symbols.notes
    )
  }

  /// The stages of each collector launch of a lab that goes on; there are no plain launches beside them.
  ///
  /// - Parameters:
  ///   - session: The lab.
  ///   - interrupt: Ends the launches when it is set.
  /// - Returns: The launches in order, and what the reader must know of them.
  /// - Throws: a ``LabError`` when not all launches could be made.
  package func stages(
    in session: LabSession,
    interrupt: InterruptFlag
  ) async throws -> (launches: [(arm: Arm, stages: LaunchStages)], notes: [Diagnostic]) {
    var plan = plan
    plan.arms.removeAll { $0.kind.collector == nil }
    let seen = try await seen(plan, in: session, interrupt)
    if case .interrupted = seen.ending { throw HostError.interrupted }
    if let failure = seen.ending.diagnostic(in: scenario) { throw TargetFailure(failure) }
    let symbols = await SymbolReader().symbols(for: seen.sink.codePlaces)
    return (seen.sink.launches(naming: symbols.names), seen.notes)
  }

  private struct Seen {
    var run: RunRecord
    var sink: StagesSink
    var ending: LaunchLoop.Ending
    var notes: [Diagnostic]
  }

  private func seen(
    _ plan: Plan,
    in session: LabSession,
    _ interrupt: InterruptFlag
  ) async throws -> Seen {
    var laboratory = try await context.laboratory(
      plan,
      try ScratchDirectory.path(),
      session,
      interrupt
    )
    defer { laboratory.close() }
    var run = RunRecord(of: plan, on: laboratory, at: context.now())
    var sink = StagesSink(plan: plan, observe: context.observe)
    let ending = try LaunchLoop(plan: plan).run(on: &laboratory, into: &sink)
    run.status = ending.status
    laboratory.close()
    return Seen(run: run, sink: sink, ending: ending, notes: laboratory.notes)
  }

  /// A single launch is not compared with plain ones.
  private var plan: Plan {
    var plan = Planner.plan(scenario, seed: seed)
    if plan.blockCount == 1 { plan.arms.removeAll { $0.kind == .plain } }
    return plan
  }
}

/// How the launches of a command were spent.
package struct StagesResult: Sendable {
  package var summary: RunSummary

  /// Every collector launch with all its stages, in launch order.
  package var launches: [(arm: Arm, stages: LaunchStages)]

  /// What could not be had after the launches, and why, as sentences without a full stop.
  package var notes: [String]

  /// The arms whose launches were split into stages.
  package var arms: [ArmSummary] { summary.arms.filter { $0.arm.kind.collector != nil } }
}

/// Keeps the launches in memory.
private struct StagesSink: LaunchLoop.Sink {
  private(set) var accumulator: RunAccumulator
  private(set) var launches: [(arm: Arm, stages: LaunchStages)] = []

  /// The last launch that was not ready.
  private(set) var unready: (arm: Arm, record: LaunchRecord)?

  private let plan: Plan
  private let observe: (RunEvent) -> Void
  private var done = 0

  init(plan: Plan, observe: @escaping (RunEvent) -> Void) {
    self.plan = plan
    self.observe = observe
    accumulator = RunAccumulator(plan: plan)
  }

  /// The launches with their code called by these names.
  func launches(naming symbols: [CodePlace: String]) -> [(arm: Arm, stages: LaunchStages)] {
    launches.map { ($0.arm, $0.stages.naming(symbols)) }
  }

  var codePlaces: [CodePlace] {
    Array(launches.reduce(into: Set<CodePlace>()) { $0.formUnion($1.stages.codePlaces) })
  }

  mutating func take(_ record: LaunchRecord, at now: Nanoseconds) {
    accumulator.add(record)
    let arm = plan.arms[record.arm]
    if record.result.outcome != .ready { unready = (arm, record) }
    if let stages = record.stages { launches.append((arm, stages)) }
    done += 1
    observe(
      .launched(arm: arm, outcome: record.result.outcome, done: done, total: plan.launchCount)
    )
  }

  mutating func endBlock(at now: Nanoseconds) {}
}

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
