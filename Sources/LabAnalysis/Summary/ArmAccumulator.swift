import LabModel
import LabStatistics

/// Takes in the launches of one arm.
struct ArmAccumulator: Sendable {
  private let arm: Arm
  private var launches = 0
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

  init(arm: Arm, counters: [String], planned: Int) {
    self.arm = arm
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
    return ArmSummary(
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
  }

  private static func median(of times: [Int64]) -> Nanoseconds {
    guard let sample = try? Sample(times.map(Double.init)) else { return .zero }
    return Nanoseconds(Int64(sample.median.rounded()))
  }
}
