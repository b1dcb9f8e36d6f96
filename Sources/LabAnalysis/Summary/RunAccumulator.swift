package import LabModel
import LabStatistics

/// Takes in the launches of a run one by one, and concludes from them.
///
/// It keeps numbers, not launches: 8 bytes per metric and launch, so that 100,000 launches stay
/// within 10 MB.
package struct RunAccumulator: Sendable {
  private var arms: [ArmAccumulator]

  package init(plan: Plan) {
    arms = plan.arms.map { arm in
      let target = plan.scenario.targets.first { $0.name == arm.target }
      return ArmAccumulator(
        arm: arm,
        counters: arm.kind == .counters ? target?.counters ?? [] : [],
        planned: plan.launches(of: arm.kind)
      )
    }
  }

  /// Takes in one launch; launches come in launch order.
  ///
  /// - Parameter record: Its arm is one of the plan's.
  package mutating func add(_ record: LaunchRecord) {
    precondition(arms.indices.contains(record.arm), "a launch belongs to an arm of the plan")
    arms[record.arm].add(record)
  }

  /// Concludes from the launches so far; O(n log n).
  ///
  /// - Parameter run: The run whose plan the accumulator was made with, as it stands now.
  /// - Returns: The conclusions, also from no launch at all.
  package func summary(of run: RunRecord) -> RunSummary {
    var summaries = arms.map { $0.summary() }
    for index in summaries.indices {
      summaries[index].floorMultiple = floorMultiple(of: summaries[index], among: summaries)
    }
    return RunSummary(
      run: run,
      arms: summaries,
      warnings: RunWarnings(run: run, arms: summaries).all
    )
  }

  /// The median launch as a multiple of the floor's; nil when either did not reach its state, since
  /// the two would not be of the same state.
  private func floorMultiple(of summary: ArmSummary, among all: [ArmSummary]) -> Double? {
    let arm = summary.arm
    let floorArm = Arm(target: Arm.emptyTarget, state: arm.state)
    guard arm.kind == .plain, arm != floorArm, !summary.isUnreached else { return nil }
    let floor = all.first { $0.arm == floorArm && !$0.isUnreached }
    guard let median = summary.summary(of: .launch)?.estimates.median,
      let base = floor?.summary(of: .launch)?.estimates.median,
      base > 0
    else { return nil }
    return median / base
  }
}
