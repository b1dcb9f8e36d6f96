import LabAnalysis
package import LabModel

/// The blocks of a plan, launched in order on a laboratory.
///
/// Nothing is written between the preparation of a launch and its end.
package struct LaunchLoop {
  /// After how many launches in a row that were not ready an arm ends the run.
  package static let toleratedFailures = 3

  package let plan: Plan

  /// The first block that is launched; greater than 0 on resumption.
  package var firstBlock: Int

  private let conclusion: StageConclusion

  package init(plan: Plan, firstBlock: Int = 0) {
    self.plan = plan
    conclusion = StageConclusion(plan.scenario.stages)
    self.firstBlock = firstBlock
  }

  /// How a loop ended.
  package enum Ending: Sendable {
    case complete

    /// An arm was not ready several times in a row; the last of these launches is given.
    case failed(Arm, LaunchRecord)

    case interrupted
  }

  /// Where the launches of a loop go.
  package protocol Sink {
    /// Takes a launch that has ended.
    mutating func take(_ record: LaunchRecord, at now: Nanoseconds) throws

    /// A block is complete, and may be made durable.
    mutating func endBlock(at now: Nanoseconds) throws
  }

  /// Launches every remaining block.
  ///
  /// - Throws: what the laboratory and the sink throw, except an interruption, which is an ending.
  package func run(
    on laboratory: inout some LaunchLaboratory,
    into sink: inout some Sink
  ) throws -> Ending {
    let beginning = laboratory.now
    var failures = [Int](repeating: 0, count: plan.arms.count)
    for block in firstBlock..<max(firstBlock, plan.blockCount) {
      for (position, index) in plan.order(ofBlock: block).enumerated() {
        let record: LaunchRecord
        do {
          record = try launch(index, at: (block, position), since: beginning, on: &laboratory)
        } catch let error as any LabError where error.exitCode == .interrupted {
          return .interrupted
        }
        try sink.take(record, at: laboratory.now)
        failures[index] = record.result.outcome == .ready ? 0 : failures[index] + 1
        if failures[index] == Self.toleratedFailures {
          try sink.endBlock(at: laboratory.now)
          return .failed(plan.arms[index], record)
        }
      }
      try sink.endBlock(at: laboratory.now)
    }
    return .complete
  }

  private func launch(
    _ index: Int,
    at place: (block: Int, position: Int),
    since beginning: Nanoseconds,
    on laboratory: inout some LaunchLaboratory
  ) throws -> LaunchRecord {
    let arm = plan.arms[index]
    let preparation = try laboratory.prepare(arm)
    let startedAt = laboratory.now - beginning
    let result = try laboratory.launch(arm)
    let stages = arm.kind.collector.flatMap { conclusion.stages(of: result, by: $0) }
    return LaunchRecord(
      block: place.block,
      position: place.position,
      arm: index,
      startedAt: startedAt,
      preparation: preparation,
      result: result,
      stateReached: .judged(arm.state, preparation: preparation, result: result),
      stages: stages
    )
  }
}
