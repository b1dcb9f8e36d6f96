package import LabModel
package import LabStatistics

/// The launches of two targets of a run, laid side by side by state and block.
///
/// A launch counts as in the estimates: ready, its state reached or not verifiable, and undisturbed.
/// Of several such launches of an arm in a block, the last one counts, since it was made to replace
/// those before it. A block in which one side has none gives no pair.
package struct LaunchPairs: Sendable {
  /// The two values of a block, in the unit of the metric.
  package struct Pair: Hashable, Sendable {
    package var block: Int
    package var baseline: Double
    package var candidate: Double

    package init(block: Int, baseline: Double, candidate: Double) {
      self.block = block
      self.baseline = baseline
      self.candidate = candidate
    }
  }

  private struct Place: Hashable {
    var state: LaunchState
    var block: Int
  }

  private let plan: Plan
  private let baseline: String
  private let candidate: String
  private let metric: Metric
  private var baselineValues: [Place: Double] = [:]
  private var candidateValues: [Place: Double] = [:]

  /// The blocks of each state in which one of the two was launched.
  private var blocks: [LaunchState: Set<Int>] = [:]

  /// - Parameters:
  ///   - plan: That of the run.
  ///   - baseline: The name of the target that the other is compared with.
  ///   - candidate: The name of the other.
  ///   - metric: What is compared.
  package init(
    plan: Plan,
    baseline: String,
    candidate: String,
    metric: Metric = .launch
  ) {
    self.plan = plan
    self.baseline = baseline
    self.candidate = candidate
    self.metric = metric
  }

  /// Takes in one launch; launches of other arms are passed over.
  ///
  /// - Parameter record: Its arm is one of the plan's.
  package mutating func add(_ record: LaunchRecord) {
    let arm = plan.arms[record.arm]
    guard arm.kind == .plain, arm.target == baseline || arm.target == candidate else { return }
    let place = Place(state: arm.state, block: record.block)
    blocks[arm.state, default: []].insert(record.block)
    guard let value = value(of: record) else { return }
    if arm.target == baseline { baselineValues[place] = value }
    if arm.target == candidate { candidateValues[place] = value }
  }

  private func value(of record: LaunchRecord) -> Double? {
    guard record.result.outcome == .ready, record.result.disturbances.isEmpty else { return nil }
    if case .notReached = record.stateReached { return nil }
    // A value of 0 has no ratio.
    return record.result.reliableValue(of: metric).flatMap { $0 > 0 ? Double($0) : nil }
  }

  /// The pairs of a state, ascending by block.
  package func pairs(in state: LaunchState) -> [Pair] {
    (blocks[state] ?? []).sorted().compactMap { block in
      let place = Place(state: state, block: block)
      guard let baseline = baselineValues[place], let candidate = candidateValues[place] else {
        return nil
      }
      return Pair(block: block, baseline: baseline, candidate: candidate)
    }
  }

  /// How many blocks of a state gave no pair.
  package func unpaired(in state: LaunchState) -> Int {
    (blocks[state]?.count ?? 0) - pairs(in: state).count
  }

  /// The ratios of the pairs of a state; nil when there is no pair.
  package func ratio(in state: LaunchState) -> PairedRatio? {
    try? PairedRatio(pairs(in: state).map { ($0.baseline, $0.candidate) })
  }
}
