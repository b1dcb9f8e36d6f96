package import LaunchCore
import LaunchStatistics
import Stages

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
        planned: plan.launches(of: arm.kind),
        ready: plan.scenario.readiness(of: arm.target)
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

/// Takes in the launches of one arm.
struct ArmAccumulator: Sendable {
  private let arm: Arm
  private let ready: Readiness
  private var launches = 0

  /// The last launch, as long as none was ready.
  private var unready: LaunchRecord?
  private var outcomes: [String: Int] = [:]
  private var state = StateTally()
  private var flags: [LaunchFlag: Int] = [:]
  private var resolutions: [Int64] = []
  private var warmUps = 0
  private var preparations: [Int64] = []
  private var residency = ResidencyAccumulator()
  private var disturbances = DisturbanceTally()

  /// Of ready launches that were not disturbed, and whose state was reached or not verified.
  private var values: MeasuredValues

  /// Likewise of disturbed launches; kept only while `values` is empty.
  private var disturbedValues: MeasuredValues

  /// Of ready launches that did not reach their state; kept only while the others are empty.
  private var unreachedValues: MeasuredValues

  /// The most reasons that are told apart, since a reason may name something new each time.
  private static let mostReasons = 20

  init(arm: Arm, counters: [String], planned: Int, ready: Readiness = .exit) {
    self.arm = arm
    self.ready = ready
    values = MeasuredValues(counters: counters, planned: planned)
    disturbedValues = values
    unreachedValues = values
  }

  mutating func add(_ record: LaunchRecord, isRepeat: Bool) {
    let result = record.result
    launches += 1
    outcomes[result.outcome.name, default: 0] += 1
    for flag in Set(result.flags) { flags[flag, default: 0] += 1 }
    warmUps += record.preparation.warmUps
    preparations.append(record.preparation.duration.count)
    residency.add(record.preparation.residency)
    disturbances.add(record, isRepeat: isRepeat)
    unready = resolutions.isEmpty && result.outcome != .ready ? record : nil
    guard result.outcome == .ready else { return }
    resolutions.append(result.resolution.count)
    tally(record.stateReached)
    measure(record)
  }

  private mutating func tally(_ reached: StateReached) {
    switch reached {
    case .reached:
      state.reached += 1
    case .notReached(let reason):
      state.notReached += 1
      state.reasons[key(for: reason), default: 0] += 1
    case .notVerified(let reason):
      state.notVerified += 1
      let key = key(for: reason)
      state.reasons[key, default: 0] += 1
      state.unverifiedReasons[key, default: 0] += 1
    }
  }

  private func key(for reason: String) -> String {
    let isKept = state.reasons[reason] != nil || state.reasons.count < Self.mostReasons
    return isKept ? reason : "other reasons"
  }

  private mutating func measure(_ record: LaunchRecord) {
    if case .notReached = record.stateReached {
      if values.isEmpty, disturbedValues.isEmpty { unreachedValues.add(record.result) }
      return
    }
    if !unreachedValues.isEmpty { unreachedValues.removeAll() }
    if record.isDisturbed {
      if values.isEmpty { disturbedValues.add(record.result) }
    } else {
      if !disturbedValues.isEmpty { disturbedValues.removeAll() }
      values.add(record.result)
    }
  }

  func summary() -> ArmSummary {
    let isDisturbed = !disturbedValues.isEmpty
    let isUnreached = !unreachedValues.isEmpty
    let measured = isDisturbed ? disturbedValues : isUnreached ? unreachedValues : values
    var summary = ArmSummary(
      arm: arm,
      launches: launches,
      outcomes: outcomes,
      state: state,
      isUnreached: isUnreached,
      isDisturbed: isDisturbed,
      disturbances: disturbances,
      metrics: measured.metricSummaries(withRemarks: arm.kind == .plain),
      missing: measured.missingMetrics,
      counters: measured.counterSummaries(),
      residency: residency.summaries,
      flags: flags,
      resolution: Self.median(of: resolutions),
      preparation: Self.median(of: preparations),
      warmUps: warmUps
    )
    summary.failure = unready.map { FailureDiagnostic.make($0, arm: arm, ready: ready) }
    return summary
  }

  private static func median(of times: [Int64]) -> Nanoseconds {
    guard let sample = try? Sample(times.map(Double.init)) else { return .zero }
    return Nanoseconds(Int64(clamping: sample.median.rounded()))
  }
}

/// Takes in what was resident before each launch of an arm, file by file.
struct ResidencyAccumulator: Sendable {
  private var files: [File] = []
  private var places: [String: Int] = [:]

  private struct File: Sendable {
    var last: FileResidency
    var maximumResidentPages = 0
    var shares = 0.0
    var readings = 0
    var pinnedBy: String?
  }

  mutating func add(_ residency: [FileResidency]) {
    for reading in residency { add(reading) }
  }

  private mutating func add(_ reading: FileResidency) {
    let place = places[reading.path] ?? files.count
    if place == files.count {
      places[reading.path] = place
      files.append(File(last: reading))
    }
    files[place].last = reading
    files[place].readings += 1
    files[place].maximumResidentPages = max(
      files[place].maximumResidentPages,
      reading.residentPages
    )
    if reading.totalPages > 0 {
      files[place].shares += Double(reading.residentPages) / Double(reading.totalPages)
    }
    if let pinnedBy = reading.pinnedBy { files[place].pinnedBy = pinnedBy }
  }

  /// Per file, in the order they were first read.
  var summaries: [ResidencySummary] {
    files.map { file in
      ResidencySummary(
        path: file.last.path,
        isOwn: file.last.isOwn,
        maximumResidentPages: file.maximumResidentPages,
        meanResidentShare: file.shares / Double(file.readings),
        totalPages: file.last.totalPages,
        pinnedBy: file.pinnedBy
      )
    }
  }
}
