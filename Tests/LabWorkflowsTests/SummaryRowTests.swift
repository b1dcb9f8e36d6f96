import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Measuring

@Suite struct SummaryRowTests {
  private static let foreign = Disturbance(kind: .foreignCPU, amount: 9_000, limit: 1)

  /// A run of 8 plain and 8 collector launches, of which the first ones were disturbed.
  private func summary(disturbed: Int) -> RunSummary {
    let target = Target(name: "tool", command: ["/bin/tool"], directory: "/")
    var scenario = Scenario.sample("test", [target], launches: 8)
    scenario.stages = StagePlan(launches: 8)
    scenario.controls = ControlPlan(steal: DisturbanceLimits(share: 0.25))
    let arms = [Arm.Kind.plain, .probe].map { Arm(target: "tool", state: .warm, kind: $0) }
    let run = RunRecord.sample(scenario, arms: arms)
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
    let result = LaunchResult(
      outcome: .ready,
      launch: .milliseconds(1),
      disturbances: isDisturbed ? [Self.foreign] : []
    )
    let arm = number % 2
    var record = LaunchRecord.sample(block: number / 2, position: arm, arm: arm, result)
    record.stages = arm == 1 ? LaunchStages(collector: .probe, launch: stage) : nil
    return record
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
