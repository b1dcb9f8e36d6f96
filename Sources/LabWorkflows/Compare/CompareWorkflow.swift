package import LabAnalysis
import LabHost
import LabModel
import LabScenarios
import LabStore

/// Launches targets in the same blocks, and compares each pair of them.
///
/// It goes the way of every run: the same plan, launches, controls and store.
package struct CompareWorkflow {
  private let request: CompareRequest

  package init(request: CompareRequest) { self.request = request }

  /// Launches, stores and concludes.
  ///
  /// - Parameter observe: Told what goes on, between launches only.
  /// - Returns: What is concluded, also of a run that failed or was interrupted part-way.
  /// - Throws: a ``LabError`` when nothing could be measured.
  package func run(_ observe: @escaping (RunEvent) -> Void) async throws -> ComparisonSummary {
    var run = RunRequest(
      scenario: request.scenario,
      store: request.store,
      seed: request.seed,
      commandLine: request.commandLine
    )
    run.purpose = request.purpose
    run.sufficiency = sufficiency
    let summary = try await RunWorkflow(request: run).run(observe)
    return try concluded(summary)
  }

  private func concluded(_ run: RunSummary) throws -> ComparisonSummary {
    let store = try Store(path: request.store, mode: .readOnly)
    var accumulator = accumulator(of: run.run.plan)
    try store.forEachLaunch(of: run.run.id) { accumulator.add($0) }
    return accumulator.summary(of: run, by: rules(run.run.plan, on: run.run.host.fingerprint))
  }

  /// Looks with the noise that is known of this host before its controls are applied.
  private var sufficiency: (any Sufficiency)? {
    guard let adaptive = request.scenario.adaptive else { return nil }
    // The arms and the looks do not depend on the seed.
    let plan = Planner.plan(request.scenario, seed: 0)
    return ComparisonSufficiency(
      accumulator: accumulator(of: plan),
      rules: rules(plan, on: Doctor.facts.fingerprint),
      precision: adaptive.precision
    )
  }

  private func accumulator(of plan: Plan) -> ComparisonAccumulator {
    ComparisonAccumulator(plan: plan, pairs: request.pairs, metrics: request.metrics)
  }

  private func rules(_ plan: Plan, on fingerprint: String) -> ComparisonRules {
    ComparisonRules(
      base: request.rule,
      looks: plan.looks.count,
      noise: HostStore.noise(of: fingerprint),
      commands: plan.scenario.targets.reduce(into: [:]) { $0[$1.name] = $1.command }
    )
  }
}
