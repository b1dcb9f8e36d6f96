import LabAnalysis
import LabModel
import LabStore

/// Takes the launches of a run: to the store, to the estimates, and to whoever watches.
///
/// The estimates see a launch when its block is complete, so that they agree with the store.
struct RunSink: LaunchLoop.Sink {
  private(set) var accumulator: RunAccumulator
  private(set) var done: Int

  private let writer: RunWriter
  private let plan: Plan
  private let total: Int
  private let observe: (RunEvent) -> Void
  private var block: [LaunchRecord] = []

  /// - Parameters:
  ///   - accumulator: Holds the launches that are stored already, on resumption.
  ///   - done: How many those are.
  init(
    writer: RunWriter,
    plan: Plan,
    accumulator: RunAccumulator,
    done: Int,
    observe: @escaping (RunEvent) -> Void
  ) {
    self.writer = writer
    self.plan = plan
    self.accumulator = accumulator
    self.done = done
    self.observe = observe
    total = plan.launchCount
  }

  mutating func take(_ record: LaunchRecord, at now: Nanoseconds) throws {
    writer.append(record)
    try writer.commitIfDue(at: now)
    block.append(record)
    done += 1
    observe(
      .launched(
        arm: plan.arms[record.arm],
        outcome: record.result.outcome,
        done: done,
        total: total
      )
    )
  }

  mutating func endBlock(at now: Nanoseconds) throws {
    try writer.endBlock(at: now)
    for record in block { accumulator.add(record) }
    block.removeAll(keepingCapacity: true)
  }
}
