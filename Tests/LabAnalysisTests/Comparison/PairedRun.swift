import LabTestSupport

@testable import Comparison
@testable import LabChecks
@testable import LaunchCore
@testable import LaunchStatistics
@testable import Measuring

/// A run that launches a program as A and as B, with made-up times.
struct PairedRun {
  let run: RunRecord
  private(set) var records: [LaunchRecord] = []

  init(states: [LaunchState] = [.warm], blocks: Int = 60) {
    let targets = ["A", "B"].map { Target(name: $0, command: ["true"], directory: "/") }
    let scenario = Scenario.sample("selftest", targets, states: states, launches: blocks)
    let arms = targets.flatMap { target in states.map { Arm(target: target.name, state: $0) } }
    run = .sample(scenario, arms: arms, fingerprint: "f00d")
  }

  /// Adds one launch; the time is in nanoseconds.
  mutating func add(
    _ target: String,
    _ time: Double,
    block: Int,
    state: LaunchState = .warm,
    outcome: Outcome = .ready,
    reached: StateReached = .reached,
    disturbances: [Disturbance] = []
  ) {
    guard
      let arm = run.plan.arms.firstIndex(where: { $0.target == target && $0.state == state })
    else { return }
    records.append(
      LaunchRecord(
        block: block,
        position: records.count { $0.block == block },
        arm: arm,
        startedAt: .milliseconds(Int64(records.count)),
        preparation: Preparation(),
        result: LaunchResult(
          outcome: outcome,
          launch: outcome == .ready ? Nanoseconds(Int64(time)) : nil,
          disturbances: disturbances
        ),
        stateReached: reached
      )
    )
  }

  var pairs: LaunchPairs {
    var pairs = LaunchPairs(plan: run.plan, baseline: "A", candidate: "B")
    for record in records { pairs.add(record) }
    return pairs
  }

  var summary: SelfTestSummary {
    var accumulator = RunAccumulator(plan: run.plan)
    for record in records { accumulator.add(record) }
    return SelfTestSummary(run: accumulator.summary(of: run), pairs: pairs, command: ["true"])
  }

  /// How the time of a launch comes about, block after block.
  enum Noise: String, CaseIterable, Sendable {
    case quiet
    case normal
    case autocorrelated
    case drifting
    case twoModes

    /// A run of 60 blocks with this noise.
    func run(seed: UInt64) -> PairedRun {
      var generator = SeededGenerator(seed: seed)
      var run = PairedRun()
      var slow = 0.0
      for block in 0..<60 {
        slow = 0.8 * slow + 0.03 * generator.nextGauss()
        for target in ["A", "B"] {
          run.add(target, 1e6 * factor(block, slow, &generator), block: block)
        }
      }
      return run
    }

    private func factor(_ block: Int, _ slow: Double, _ generator: inout SeededGenerator) -> Double
    {
      let small = 1 + 0.005 * generator.nextGauss()
      return switch self {
      case .quiet: small
      case .normal: 1 + 0.1 * generator.nextGauss()
      case .autocorrelated: (1 + slow) * small
      case .drifting: (1 + 0.01 * Double(block)) * small
      case .twoModes: (generator.nextUniform() < 0.4 ? 1.5 : 1) * small
      }
    }
  }
}
