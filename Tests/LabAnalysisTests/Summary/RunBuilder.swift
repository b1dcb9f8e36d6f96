import LabTestSupport

@testable import LaunchCore
@testable import Measuring

/// Makes a run and its launches, with usual values where a test names none.
struct RunBuilder {
  var run: RunRecord
  private(set) var records: [LaunchRecord] = []

  init(
    arms: [Arm] = [Arm(target: "perl", state: .warm)],
    counters: [String] = [],
    launches: Int = 50,
    status: RunRecord.Status = .complete,
    host: HostFacts = HostFacts(architecture: "x86_64", kernel: "6.18", fingerprint: "f"),
    controls: ControlPlan? = nil
  ) {
    let target = Target(
      name: "perl",
      command: ["/usr/bin/perl"],
      directory: "/",
      counters: counters
    )
    var scenario = Scenario.sample("test", [target], launches: launches)
    scenario.controls = controls
    run = .sample(scenario, status: status, arms: arms)
    run.host = host
  }

  /// Adds launches of one arm with these times, in microseconds.
  mutating func add(
    _ microseconds: [Int],
    arm: Int = 0,
    outcome: Outcome = .ready,
    state: StateReached = .reached,
    preparation: Preparation = Preparation(duration: .milliseconds(3)),
    resolution: Nanoseconds = .zero,
    figures: Figures = Figures(),
    flags: [LaunchFlag] = [],
    stages: LaunchStages? = nil,
    disturbances: [Disturbance] = [],
    isRepeat: Bool = false
  ) {
    for time in microseconds {
      let result = LaunchResult(
        outcome: outcome,
        launch: outcome == .ready ? Nanoseconds(Int64(time) * 1_000) : nil,
        resolution: resolution,
        figures: figures,
        flags: flags,
        disturbances: disturbances
      )
      records.append(
        LaunchRecord(
          block: records.count,
          position: isRepeat ? run.plan.arms.count : 0,
          arm: arm,
          startedAt: .milliseconds(Int64(records.count)),
          preparation: preparation,
          result: result,
          stateReached: state,
          stages: stages
        )
      )
    }
  }

  var summary: RunSummary {
    var accumulator = RunAccumulator(plan: run.plan)
    for record in records { accumulator.add(record) }
    return accumulator.summary(of: run)
  }
}

/// Times in microseconds without anything odd about them: a steady scatter of 2 % around 1 ms.
func steadyTimes(_ count: Int, around center: Int = 1_000) -> [Int] {
  (0..<count).map { center + ($0 * 7 % 11 - 5) * center / 250 }
}
