import Foundation
import LabAnalysis
import LabModel
import LabStore

/// Takes the launches of a run: to the store, to the estimates, and to whoever watches.
///
/// The estimates see a launch when its block is complete, so that they agree with the store; so does
/// what tells whether there are enough launches.
struct RunSink: LaunchLoop.Sink {
  private(set) var accumulator: RunAccumulator
  private(set) var done: Int

  /// What became of the launches so far, those of before a resumption included.
  private(set) var repetition: Repetition

  private let writer: RunWriter
  private let plan: Plan
  private let observe: (RunEvent) -> Void

  /// Whether short parts are summed for the estimates too, as in the launches that were read back.
  private let isFolding: Bool

  /// Tells whether there are enough launches; nil when the plan says how many there are.
  private var sufficiency: (any Sufficiency)?

  private var block: [LaunchRecord] = []

  /// Begins a run in the store, or goes on where a stored one was cut off.
  init(
    run: RunRecord,
    isResumption: Bool,
    store: Store,
    sufficiency: (any Sufficiency)? = nil,
    observe: @escaping (RunEvent) -> Void
  ) throws {
    plan = run.plan
    var accumulator = RunAccumulator(plan: plan)
    var done = 0
    var repetition = Repetition(plan: run.plan)
    var sufficiency = sufficiency
    if isResumption {
      try store.forEachLaunch(of: run.id) {
        accumulator.add($0)
        repetition.add($0)
        sufficiency?.add($0)
        done += 1
      }
    }
    writer = try isResumption ? store.resume(run.id) : store.begin(run)
    self.accumulator = accumulator
    self.done = done
    self.repetition = repetition
    self.sufficiency = sufficiency
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
    repetition.add(record)
    observe(
      .launched(
        arm: plan.arms[record.arm],
        outcome: record.result.outcome,
        done: done,
        total: plan.launchCount + repetition.repeated,
        repeated: repetition.repeated
      )
    )
  }

  mutating func endBlock(at now: Nanoseconds) throws {
    try writer.endBlock(at: now)
    for record in block {
      accumulator.add(record)
      sufficiency?.add(record)
    }
    block.removeAll(keepingCapacity: true)
  }

  /// Whether there are enough launches; never while so many were disturbed that nothing could be
  /// concluded.
  func isEnough(atLook look: Int) -> Bool {
    guard let sufficiency, !repetition.isTooDisturbed else { return false }
    return sufficiency.isEnough(atLook: look)
  }

  /// Commits every complete block.
  func flush() throws { try writer.flush() }

  /// Commits every complete block, and closes the run.
  func finish(_ status: RunRecord.Status, at date: Date) throws {
    try writer.finish(status: status, at: date)
  }
}
