import Foundation
import LabTestSupport
import Testing

@testable import Comparison
@testable import LabChecks
@testable import LaunchCore
@testable import LaunchStatistics
@testable import Measuring

/// A self-test with made-up times that are the same in every run of the tests.
enum SampleSelfTest {
  /// A self-test in which B takes `slowdown` times as long as A when warm; cold launches scatter more.
  static func summary(
    slowdown: Double = 1,
    states: [LaunchState] = [.reinstallCold, .warm],
    blocks: Int = 30,
    cpuModel: String = "Example CPU"
  ) -> SelfTestSummary {
    let run = run(states: states, blocks: blocks, cpuModel: cpuModel)
    var pairs = LaunchPairs(plan: run.plan, baseline: "A", candidate: "B")
    var accumulator = RunAccumulator(plan: run.plan)
    var generator = SeededGenerator(seed: 18)
    for block in 0..<blocks {
      for (index, arm) in run.plan.arms.enumerated() {
        let factor = arm.target == "B" && arm.state == .warm ? slowdown : 1
        let scatter = 2 * generator.nextUniform() - 1
        let record = record(arm, index, block: block, factor: factor, scatter: scatter)
        pairs.add(record)
        accumulator.add(record)
      }
    }
    return SelfTestSummary(
      run: accumulator.summary(of: run),
      pairs: pairs,
      command: ["sh", "-c", "exit 0"],
      refused: [MissingState(state: .rebootCold, reason: "the right to drop caches is missing")]
    )
  }

  private static func run(states: [LaunchState], blocks: Int, cpuModel: String) -> RunRecord {
    let targets = ["A", "B"].map { Target(name: $0, command: ["sh"], directory: "/") }
    let scenario = Scenario.sample("selftest", targets, states: states, launches: blocks)
    let arms = targets.flatMap { target in states.map { Arm(target: target.name, state: $0) } }
    return RunRecord(
      id: "20261121T043000Z-3fa2",
      startedAt: SampleRun.startedAt,
      finishedAt: SampleRun.startedAt.addingTimeInterval(20),
      status: .complete,
      plan: Plan(scenario: scenario, seed: 4_711, arms: arms, blockCount: blocks),
      host: HostFacts(
        cpuModel: cpuModel,
        cpuCount: 2,
        architecture: "x86_64",
        kernel: "6.18.0",
        fingerprint: "3fa21b90c4d1e8a7"
      ),
      tool: "1"
    )
  }

  private static func record(
    _ arm: Arm,
    _ index: Int,
    block: Int,
    factor: Double,
    scatter: Double
  ) -> LaunchRecord {
    let time = arm.state.isCold ? 8e6 * (1 + 0.2 * scatter) : 1e6 * (1 + 0.02 * scatter)
    return LaunchRecord(
      block: block,
      position: index,
      arm: index,
      startedAt: .milliseconds(Int64(10 * block + index)),
      preparation: Preparation(),
      result: LaunchResult(
        outcome: .ready,
        launch: Nanoseconds(Int64(time * factor))
      ),
      stateReached: .reached
    )
  }

  /// Compares a text with the recorded one beside those of the other reports.
  static func expectSnapshot(
    _ text: String,
    named name: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try LabTestSupport.expectSnapshot(
      text,
      named: name,
      suite: "SelfTestReportTests",
      filePath: URL(filePath: #filePath).deletingLastPathComponent().path,
      sourceLocation: sourceLocation
    )
  }
}
