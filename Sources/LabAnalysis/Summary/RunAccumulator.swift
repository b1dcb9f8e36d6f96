package import LabModel
import LabStatistics

/// Takes in the launches of a run one by one, and concludes from them.
///
/// It keeps numbers, not launches: 8 bytes per metric and launch, so that 100,000 launches stay
/// within 10 MB.
package struct RunAccumulator: Sendable {
  private let plan: Plan
  private var arms: [ArmAccumulator]

  /// The stages of the collector arms, by the number of the arm.
  private var stages: [Int: StageAccumulator]

  /// Likewise of launches that did not reach their state, which count only where none did.
  private var unreachedStages: [Int: StageAccumulator] = [:]

  /// Likewise of launches that were disturbed.
  private var disturbedStages: [Int: StageAccumulator] = [:]

  private var pageIns: [Int: PageInAccumulator] = [:]

  /// Per plain arm the collector arms of the same target and state.
  private let collectorArms: [Int: [Int]]

  package init(plan: Plan) {
    self.plan = plan
    let collecting = plan.arms.indices.filter { plan.arms[$0].kind.collector != nil }
    stages = Dictionary(uniqueKeysWithValues: collecting.map { ($0, StageAccumulator()) })
    collectorArms = plan.arms.indices.filter { plan.arms[$0].kind == .plain }
      .reduce(into: [:]) { found, plain in
        found[plain] = collecting.filter {
          plan.arms[$0].target == plan.arms[plain].target
            && plan.arms[$0].state == plan.arms[plain].state
        }
      }
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
    arms[record.arm].add(record, isRepeat: plan.isRepeat(record))
    if case .notReached = record.stateReached {
      record.stages.map {
        unreachedStages[record.arm, default: StageAccumulator()].add($0, block: record.block)
      }
      return
    }
    if record.isDisturbed {
      record.stages.map {
        disturbedStages[record.arm, default: StageAccumulator()].add($0, block: record.block)
      }
      return
    }
    if let launch = record.result.launch {
      for arm in collectorArms[record.arm] ?? [] {
        stages[arm]?.add(plain: launch, block: record.block)
      }
    }
    guard let spent = record.stages else { return }
    stages[record.arm]?.add(spent, block: record.block)
    if record.result.outcome == .ready, let found = spent.pageIns {
      pageIns[record.arm, default: PageInAccumulator()].add(found)
    }
  }

  /// Concludes from the launches so far; O(n log n).
  ///
  /// - Parameter run: The run whose plan the accumulator was made with, as it stands now.
  /// - Returns: The conclusions, also from no launch at all.
  package func summary(of run: RunRecord) -> RunSummary {
    var summaries = arms.map { $0.summary() }
    addStages(to: &summaries)
    for index in summaries.indices {
      summaries[index].floorMultiple = floorMultiple(of: summaries[index], among: summaries)
    }
    return RunSummary(
      run: run,
      arms: summaries,
      warnings: RunWarnings(run: run, arms: summaries).all
    )
  }

  /// How the launches of a collector arm were spent, with a note where all were disturbed, or none
  /// reached its state.
  private func stageSummaries(of arm: Int) -> [StagesSummary] {
    let reached = stages[arm]?.summaries() ?? []
    guard reached.isEmpty else { return reached }
    if let disturbed = disturbedStages[arm] {
      let text = "every launch was disturbed, so the stages are those of disturbed launches"
      return Self.summaries(of: disturbed, noting: text)
    }
    guard let unreached = unreachedStages[arm] else { return [] }
    let text = "no launch reached its state, so the stages are those of launches that did not"
    return Self.summaries(of: unreached, noting: text)
  }

  private static func summaries(
    of stages: StageAccumulator,
    noting text: String
  ) -> [StagesSummary] {
    stages.summaries().map { summary in
      var summary = summary
      let note = StageNote(text: text, launches: max(summary.launches, summary.notReady))
      summary.notes.insert(note, at: 0)
      return summary
    }
  }

  private func addStages(to summaries: inout [ArmSummary]) {
    for arm in stages.keys {
      summaries[arm].stages = stageSummaries(of: arm)
      summaries[arm].pageIns = pageIns[arm]?.summary()
    }
    for (plain, collectors) in collectorArms {
      summaries[plain].stages = collectors.flatMap { summaries[$0].stages }
      summaries[plain].pageIns = collectors.compactMap { summaries[$0].pageIns }.first
    }
  }

  /// The median launch as a multiple of the floor's; nil when either is of launches that were
  /// disturbed or did not reach their state, since the two would not be alike.
  private func floorMultiple(of summary: ArmSummary, among all: [ArmSummary]) -> Double? {
    let arm = summary.arm
    let floorArm = Arm(target: Arm.emptyTarget, state: arm.state)
    guard arm.kind == .plain, arm != floorArm, !summary.isDoubtful else { return nil }
    let floor = all.first { $0.arm == floorArm && !$0.isDoubtful }
    guard let median = summary.summary(of: .launch)?.estimates.median,
      let base = floor?.summary(of: .launch)?.estimates.median,
      base > 0
    else { return nil }
    return median / base
  }
}
