import Foundation
import Testing

@testable import LaunchCore
@testable import Measuring

@Suite struct SummaryRowTests {
  private static let foreign = Disturbance(kind: .foreignCPU, amount: 9_000, limit: 1)

  /// A run of 8 plain and 8 collector launches, of which the first ones were disturbed.
  private func summary(disturbed: Int) -> RunSummary {
    let target = Target(name: "tool", command: ["/bin/tool"], directory: "/")
    let scenario = Scenario(
      name: "test",
      targets: [target],
      states: [.warm],
      launches: 8,
      directory: "/",
      stages: StagePlan(launches: 8),
      controls: ControlPlan(steal: DisturbanceLimits(share: 0.25))
    )
    let arms = [Arm.Kind.plain, .probe].map { Arm(target: "tool", state: .warm, kind: $0) }
    let run = RunRecord(
      id: "20261121T043000Z-3fa2",
      startedAt: Date(timeIntervalSince1970: 0),
      status: .complete,
      plan: Plan(scenario: scenario, seed: 1, arms: arms, blockCount: 8),
      host: HostFacts(architecture: "x86_64", kernel: "6.18", fingerprint: "f"),
      tool: "1"
    )
    var accumulator = RunAccumulator(plan: run.plan)
    for number in 0..<16 {
      accumulator.add(record(number, isDisturbed: number < disturbed))
    }
    return accumulator.summary(of: run)
  }

  private func record(_ number: Int, isDisturbed: Bool) -> LaunchRecord {
    let stage = Stage(
      name: StageName.launch,
      start: .zero,
      duration: .milliseconds(1),
      source: .probe
    )
    return LaunchRecord(
      block: number / 2,
      position: number % 2,
      arm: number % 2,
      startedAt: .milliseconds(Int64(number)),
      preparation: Preparation(),
      result: LaunchResult(
        outcome: .ready,
        launch: .milliseconds(1),
        disturbances: isDisturbed ? [Self.foreign] : []
      ),
      stateReached: .reached,
      stages: number % 2 == 1 ? LaunchStages(collector: .probe, launch: stage) : nil
    )
  }

  @Test func `a run has rows for trends from its undisturbed launches`() {
    let summary = summary(disturbed: 4)
    #expect(MetricRow.rows(of: summary).first?.n == 6)
    #expect(CollectorRow.rows(of: summary).map(\.launches) == [6])
  }

  @Test func `a run that was disturbed too much has no rows for trends`() {
    let summary = summary(disturbed: 5)
    #expect(summary.exitCode == .inconclusive)
    #expect(summary.arms[0].summary(of: .launch)?.values.count == 5)
    #expect(MetricRow.rows(of: summary).isEmpty)
    #expect(CollectorRow.rows(of: summary).isEmpty)
  }
}
