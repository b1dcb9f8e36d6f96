import Foundation
package import LabModel
import LabScenarios
import LabStore

/// What a run would do, and how long it may take; nothing is touched to find out.
package struct Forecast {
  package let plan: Plan

  /// How long the run may take.
  package let estimate: Nanoseconds

  /// Plans the run that is requested.
  ///
  /// The estimate is the pace of the newest complete run of the scenario in its store, or else a
  /// rough assumption: 0.1 s for a warm launch and 0.5 s for a cold one.
  package init(_ request: RunRequest) {
    let seed = request.seed ?? UInt64(UInt32.random(in: 0...(.max)))
    var scenario = request.scenario
    if let control = ControlWorkflow.target(of: scenario) { scenario.targets.append(control) }
    let plan = Planner.plan(scenario, seed: seed)
    self.plan = plan
    estimate =
      Self.pace(of: request.scenario.name, store: request.store)
      .map { Nanoseconds($0.count * Int64(plan.launchCount)) } ?? Self.assumption(for: plan)
  }

  private static func pace(of scenario: String, store: String) -> Nanoseconds? {
    guard FileManager.default.fileExists(atPath: store),
      let runs = try? Store(path: store, mode: .readOnly).runs(limit: 5, scenario: scenario),
      let run = runs.first(where: { $0.status == .complete && $0.launches > 0 }),
      let finishedAt = run.finishedAt
    else { return nil }
    let seconds = finishedAt.timeIntervalSince(run.startedAt)
    return Nanoseconds(Int64(seconds * 1e9 / Double(run.launches)))
  }

  private static func assumption(for plan: Plan) -> Nanoseconds {
    plan.arms.reduce(.zero) { sum, arm in
      let launches = plan.launches(of: arm.kind)
      return sum + .milliseconds(Int64(launches) * (arm.state.isCold ? 500 : 100))
    }
  }
}
