package import LaunchCore
package import LaunchStatistics

/// What is concluded of two targets that were launched in the same blocks, of one state and metric.
package struct ArmComparison: Hashable, Sendable {
  package var pair: ComparedPair
  package var state: LaunchState
  package var metric: Metric

  /// Nil when no block gave a pair.
  package var comparison: PairedComparison?

  /// How many blocks gave no pair.
  package var unpaired: Int

  /// The smallest effect that such a comparison detects in 80 % of cases, as a share; nil where there
  /// are too few pairs for an interval.
  package var smallestDetectable: Double?

  /// The medians of the two sides of the pairs, in the unit of the metric.
  package var baselineMedian: Double?
  package var candidateMedian: Double?

  /// When the two are called different.
  package var rule: ComparisonRule

  /// What forbids every verdict on this run; nil when nothing does.
  package var obstacle: PairedComparison.Doubt?

  package init(
    pair: ComparedPair,
    state: LaunchState,
    metric: Metric,
    comparison: PairedComparison?,
    unpaired: Int,
    smallestDetectable: Double?,
    baselineMedian: Double? = nil,
    candidateMedian: Double? = nil,
    rule: ComparisonRule = ComparisonRule(),
    obstacle: PairedComparison.Doubt? = nil
  ) {
    self.pair = pair
    self.state = state
    self.metric = metric
    self.comparison = comparison
    self.unpaired = unpaired
    self.smallestDetectable = smallestDetectable
    self.baselineMedian = baselineMedian
    self.candidateMedian = candidateMedian
    self.rule = rule
    self.obstacle = obstacle
  }

  /// Compares the launches of one state.
  ///
  /// - Parameters:
  ///   - pair: The two targets.
  ///   - state: One of the plan's.
  ///   - metric: What `launches` holds.
  ///   - launches: The launches of both targets.
  ///   - rule: When the two are called different.
  package init(
    _ pair: ComparedPair,
    in state: LaunchState,
    of metric: Metric,
    launches: LaunchPairs,
    rule: ComparisonRule
  ) {
    let pairs = launches.pairs(in: state)
    let comparison = launches.ratio(in: state).map {
      PairedComparison($0, tail: launches.tail(in: state), rule: rule)
    }
    self.init(
      pair: pair,
      state: state,
      metric: metric,
      comparison: comparison,
      unpaired: launches.unpaired(in: state),
      smallestDetectable: comparison?.smallestDetectable,
      baselineMedian: (try? Sample(pairs.map(\.baseline)))?.median,
      candidateMedian: (try? Sample(pairs.map(\.candidate)))?.median,
      rule: rule
    )
  }

  /// Inconclusive also without any pair, and where something forbids a verdict.
  package var verdict: Verdict {
    obstacle == nil ? comparison?.verdict ?? .inconclusive : .inconclusive
  }

  /// The verdict on the typical launch alone.
  package var typicalVerdict: Verdict {
    guard obstacle == nil, let comparison else { return .inconclusive }
    return rule.judged(comparison.ratio, comparison.interval).verdict
  }

  /// Why the verdict is inconclusive; nil when it is not.
  package var doubt: PairedComparison.Doubt? {
    guard verdict == .inconclusive else { return nil }
    return obstacle ?? comparison?.doubt ?? .fewPairs
  }

  /// The same as every comparison is shown.
  package var finding: ComparisonFinding {
    ComparisonFinding(
      pair: pair,
      state: state,
      metric: metric,
      baselineMedian: baselineMedian,
      candidateMedian: candidateMedian,
      ratio: comparison?.ratio,
      interval: comparison?.interval,
      interval95: comparison?.pairs.interval(),
      estimator: comparison?.pairs.estimator,
      verdict: verdict,
      doubt: doubt,
      count: comparison?.count ?? 0,
      unpaired: unpaired,
      smallestDetectable: smallestDetectable,
      pairsNeeded: comparison?.pairsNeeded,
      tail: comparison?.tail,
      rule: rule
    )
  }
}

extension Proof {
  /// Says what an interleaved comparison of two builds found, as it is kept with an alert.
  ///
  /// - Parameters:
  ///   - arm: What was concluded.
  ///   - run: The id of the run that holds the launches.
  ///   - good: The commit, or the first digits of the digest, of the baseline.
  ///   - bad: Likewise of the candidate.
  ///   - scope: What the two builds consist of.
  package init(arm: ArmComparison, run: String, good: String, bad: String, scope: Scope) {
    self.init(
      run: run,
      baseline: arm.pair.baseline,
      candidate: arm.pair.candidate,
      good: good,
      bad: bad,
      scope: scope,
      pairs: arm.comparison?.count ?? 0,
      ratio: arm.comparison?.ratio ?? 1,
      low: arm.comparison?.interval?.low,
      high: arm.comparison?.interval?.high,
      confidence: arm.rule.confidence,
      effectLimit: arm.rule.effectLimit,
      verdict: arm.verdict,
      smallestDetectable: arm.smallestDetectable
    )
  }
}

/// The launches of two targets of a run, laid side by side by state and block.
///
/// A launch counts as in the estimates: ready, its state reached or not verifiable, and undisturbed.
/// Of several such launches of an arm in a block, the last one counts, since it was made to replace
/// those before it. A block in which one side has none gives no pair.
///
/// For slow launches the first launch of an arm in a block counts, whatever became of it: what is looked
/// for must not be replaced first. One that never became ready is slower than all others.
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
  private var firstOfBaseline: [Place: Double] = [:]
  private var firstOfCandidate: [Place: Double] = [:]

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
    if let first = firstValue(of: record) {
      let isBaseline = arm.target == baseline
      if isBaseline, firstOfBaseline[place] == nil { firstOfBaseline[place] = first }
      if !isBaseline, firstOfCandidate[place] == nil { firstOfCandidate[place] = first }
    }
    guard let value = value(of: record) else { return }
    if arm.target == baseline { baselineValues[place] = value }
    if arm.target == candidate { candidateValues[place] = value }
  }

  private func value(of record: LaunchRecord) -> Double? {
    guard record.result.outcome == .ready, record.result.disturbances.isEmpty else { return nil }
    if case .notReached = record.stateReached { return nil }
    return positiveValue(of: record)
  }

  private func firstValue(of record: LaunchRecord) -> Double? {
    guard metric.unit == .nanoseconds else { return nil }
    return record.result.outcome == .ready ? positiveValue(of: record) : .infinity
  }

  private func positiveValue(of record: LaunchRecord) -> Double? {
    // A value of 0 has no ratio.
    record.result.reliableValue(of: metric).flatMap { $0 > 0 ? Double($0) : nil }
  }

  /// The pairs of a state, ascending by block.
  package func pairs(in state: LaunchState) -> [Pair] {
    pairs(in: state, of: baselineValues, candidateValues)
  }

  /// The blocks that have a value of both sides, ascending.
  private func pairs(
    in state: LaunchState,
    of baselines: [Place: Double],
    _ candidates: [Place: Double]
  ) -> [Pair] {
    (blocks[state] ?? []).sorted().compactMap { block in
      let place = Place(state: state, block: block)
      guard let baseline = baselines[place], let candidate = candidates[place] else { return nil }
      return Pair(block: block, baseline: baseline, candidate: candidate)
    }
  }

  /// How many blocks of a state gave no pair.
  package func unpaired(in state: LaunchState) -> Int {
    (blocks[state]?.count ?? 0) - pairs(in: state).count
  }

  /// The pairs of a state by which slow launches are counted; nil when there is no pair.
  package func tail(in state: LaunchState) -> PairedTail? {
    try? PairedTail(
      pairs(in: state, of: firstOfBaseline, firstOfCandidate).map { ($0.baseline, $0.candidate) }
    )
  }

  /// The ratios of the pairs of a state; nil when there is no pair.
  package func ratio(in state: LaunchState) -> PairedRatio? {
    try? PairedRatio(pairs(in: state).map { ($0.baseline, $0.candidate) })
  }
}
