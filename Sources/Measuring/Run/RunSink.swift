import Foundation
package import LaunchCore
import LaunchStatistics
import LaunchStore
import Stages

/// Takes the launches of a run: to the store, to the estimates, and to whoever watches.
///
/// The estimates see a launch when its block is complete, so that they agree with the store; so does
/// what tells whether there are enough launches.
struct RunSink: LaunchLoop.Sink {
  private(set) var accumulator: RunAccumulator
  private(set) var done: Int

  /// What became of the launches so far, those of before a resumption included.
  private(set) var retries: RetryBudget

  private let writer: RunWriter
  private let plan: Plan
  private let observe: (RunEvent) -> Void

  /// Whether short parts are summed for the estimates too, as in the launches that were read back.
  private let isFolding: Bool

  /// Tells whether there are enough launches; nil when the plan says how many there are.
  private var stoppingRule: (any StoppingRule)?

  private var block: [LaunchRecord] = []

  /// Begins a run in the store, or goes on where a stored one was cut off.
  init(
    run: RunRecord,
    isResumption: Bool,
    store: Store,
    stoppingRule: (any StoppingRule)? = nil,
    observe: @escaping (RunEvent) -> Void
  ) throws {
    plan = run.plan
    var accumulator = RunAccumulator(plan: plan)
    var done = 0
    var retries = RetryBudget(plan: run.plan)
    var stoppingRule = stoppingRule
    if isResumption {
      try store.forEachLaunch(of: run.id) {
        accumulator.add($0)
        retries.add($0)
        stoppingRule?.add($0)
        done += 1
      }
    }
    writer = try isResumption ? store.resume(run.id) : store.begin(run)
    self.accumulator = accumulator
    self.done = done
    self.retries = retries
    self.stoppingRule = stoppingRule
    self.observe = observe
    isFolding = isResumption
  }

  mutating func take(_ record: LaunchRecord, at now: Nanoseconds) throws {
    // Thousands of initializers are too many to keep of every launch.
    var kept = record
    kept.stages = record.stages?.folded()
    writer.append(kept)
    try writer.commitIfDue(at: now)
    block.append(isFolding ? kept : record)
    done += 1
    retries.add(record)
    observe(
      .launched(
        arm: plan.arms[record.arm],
        outcome: record.result.outcome,
        done: done,
        total: plan.launchCount + retries.repeated,
        repeated: retries.repeated
      )
    )
  }

  mutating func endBlock(at now: Nanoseconds) throws {
    try writer.endBlock(at: now)
    for record in block {
      accumulator.add(record)
      stoppingRule?.add(record)
    }
    block.removeAll(keepingCapacity: true)
  }

  /// Whether there are enough launches; never while so many were disturbed that nothing could be
  /// concluded.
  func isEnough(atLook look: Int) -> Bool {
    guard let stoppingRule, !retries.isTooDisturbed else { return false }
    let isEnough = stoppingRule.isEnough(atLook: look)
    if !isEnough, let outlook = stoppingRule.outlook(atLook: look) { observe(.hopeless(outlook)) }
    return isEnough
  }

  /// Commits every complete block.
  func flush() throws { try writer.flush() }

  /// Commits every complete block, and closes the run.
  func finish(_ status: RunRecord.Status, at date: Date) throws {
    try writer.finish(status: status, at: date)
  }
}

extension MetricRow {
  /// The version of the method that makes the rows; raise it when the method changes.
  static let currentVersion = 1

  /// The rows that trends read, one per plain arm and metric; none of a run that was disturbed too
  /// much, since nothing may be concluded from it.
  package static func rows(of summary: RunSummary) -> [MetricRow] {
    guard !summary.isTooDisturbed else { return [] }
    return summary.arms.filter { $0.arm.kind == .plain && !$0.isDoubtful }.flatMap { arm in
      arm.metrics.map { row($0, of: arm.arm, in: summary.run.id) }
    }
  }

  private static func row(_ metric: MetricSummary, of arm: Arm, in run: String) -> MetricRow {
    let estimates = metric.estimates
    return MetricRow(
      run: run,
      arm: arm,
      metric: metric.metric,
      version: currentVersion,
      n: estimates.n,
      mean: estimates.mean,
      variance: estimates.variance,
      median: estimates.median,
      medianAbsoluteDeviation: estimates.medianAbsoluteDeviation,
      minimum: estimates.minimum,
      maximum: estimates.maximum,
      p90: estimates.p90,
      p95: estimates.p95,
      intervalLow: estimates.medianInterval?.low,
      intervalHigh: estimates.medianInterval?.high
    )
  }
}

extension CollectorRow {
  /// Raised when the same launches would give other rows.
  static let newestVersion = 1

  /// The rows of every collector of a run that saw a ready launch; none of a run that was disturbed
  /// too much.
  static func rows(of summary: RunSummary) -> [Self] {
    guard !summary.isTooDisturbed else { return [] }
    return summary.arms.filter { $0.arm.kind.collector != nil && !$0.isDoubtful }.flatMap { arm in
      arm.stages.compactMap { stages in
        guard stages.launches > 0, let launch = stages.launch.median else { return nil }
        return Self(
          arm: arm.arm,
          collector: stages.collector,
          version: newestVersion,
          launches: stages.launches,
          launch: launch,
          preMain: stages.preMain?.median,
          sum: stages.check?.sum,
          worstLaunch: stages.check?.worstLaunch,
          plain: stages.check?.plain,
          cost: stages.cost?.median,
          stages: stages.launch.children.flatMap { StageMedian.medians(of: $0, below: "") }
        )
      }
    }
  }
}

extension StageMedian {
  /// The stage and its parts, but for single functions, whose addresses change with every build.
  fileprivate static func medians(of stage: StageSummary, below parent: String) -> [Self] {
    guard stage.kind == .part, stage.place?.offset == nil else { return [] }
    let path = parent.isEmpty ? stage.name : "\(parent) > \(stage.name)"
    let own = stage.median.map { median in
      Self(
        path: path,
        n: stage.n,
        median: median,
        intervalLow: stage.interval?.low,
        intervalHigh: stage.interval?.high,
        share: stage.share
      )
    }
    return [own].compactMap(\.self) + stage.children.flatMap { medians(of: $0, below: path) }
  }
}
