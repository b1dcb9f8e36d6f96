package import LaunchCore
import LaunchHost

/// The blocks of a plan, launched in order on a laboratory.
///
/// A launch that was disturbed is kept as it is, and repeated at the end of its block.
/// Nothing is written between the preparation of a launch and its end.
package struct LaunchLoop {
  /// After how many launches in a row that were not ready an arm ends the run; it is the first one
  /// where the time of a target ran out that was never ready.
  package static let toleratedFailures = 3

  package let plan: Plan

  /// The first block that is launched; greater than 0 on resumption.
  package var firstBlock: Int

  /// When no block but the first begins any more, by the clock of the laboratory; nil for no limit.
  package var end: Nanoseconds?

  /// What became of the launches that are stored already, on resumption.
  private let stored: RetryBudget

  private let conclusion: StageConclusion

  /// - Parameters:
  ///   - plan: What is launched.
  ///   - firstBlock: The first block that is launched; greater than 0 on resumption.
  ///   - stored: What became of the launches that are stored already; none when nil.
  package init(plan: Plan, firstBlock: Int = 0, stored: RetryBudget? = nil) {
    self.plan = plan
    self.stored = stored ?? RetryBudget(plan: plan)
    conclusion = StageConclusion(plan.scenario.stages)
    self.firstBlock = firstBlock
  }

  /// How a loop ended.
  package enum Ending: Sendable {
    case complete

    /// An arm was not ready so many times in a row; the last of these launches is given.
    case failed(Arm, LaunchRecord, times: Int)

    /// A command that a target wants beside its launches failed.
    case unprepared(Diagnostic)

    case interrupted
  }

  /// Where the launches of a loop go.
  package protocol Sink {
    /// Takes a launch that has ended.
    mutating func take(_ record: LaunchRecord, at now: Nanoseconds) throws

    /// A block is complete, and may be made durable.
    mutating func endBlock(at now: Nanoseconds) throws

    /// Whether there are enough launches at one of the plan's looks but the last; no by default.
    func isEnough(atLook look: Int) -> Bool
  }

  /// Launches every remaining block, or as many as are enough at one of the plan's looks, or as its
  /// time limit allows after the first look.
  ///
  /// A look comes right before the block that follows it, so that a run that was cut off there is
  /// looked at on resumption.
  ///
  /// - Throws: what the laboratory and the sink throw, except an interruption, which is an ending.
  package func run(
    on laboratory: inout some LaunchLaboratory,
    into sink: inout some Sink
  ) throws -> Ending {
    var course = Course(
      beginning: laboratory.now,
      failures: [Int](repeating: 0, count: plan.arms.count),
      retries: stored,
      ready: firstBlock > 0 ? Set(plan.arms.map(\.target)) : []
    )
    if stored.isHopeless { laboratory.stopWaiting() }
    let looks = plan.looks.dropLast()
    for block in firstBlock..<max(firstBlock, plan.blockCount) {
      if let end, block > firstBlock, laboratory.now >= end { break }
      if let look = looks.firstIndex(of: block), sink.isEnough(atLook: look) { break }
      if let limit = plan.scenario.adaptive?.timeLimit(after: block), block >= plan.looks[0],
        laboratory.now - course.beginning >= limit
      {
        break
      }
      if let ending = try run(block, &course, on: &laboratory, into: &sink) { return ending }
    }
    return .complete
  }

  /// What a loop knows of the launches so far.
  private struct Course {
    let beginning: Nanoseconds
    var failures: [Int]
    var retries: RetryBudget

    /// The targets that were ready at some launch; on resumption all of them count.
    var ready: Set<String>
  }

  /// Launches a block, and keeps what was launched of it when a command beside it fails.
  ///
  /// - Returns: The ending, unless the next block follows.
  private func run(
    _ block: Int,
    _ course: inout Course,
    on laboratory: inout some LaunchLaboratory,
    into sink: inout some Sink
  ) throws -> Ending? {
    do {
      try laboratory.beginBlock()
      let ending = try launchArms(of: block, &course, on: &laboratory, into: &sink)
      if ending == nil { try laboratory.endBlock() }
      if case .interrupted? = ending { return ending }
      try sink.endBlock(at: laboratory.now)
      return ending
    } catch HostError.interrupted {
      return .interrupted
    } catch HostError.commandFailed(let failure) {
      try sink.endBlock(at: laboratory.now)
      return .unprepared(failure.diagnostic)
    }
  }

  /// Launches the arms of a block, and then again those whose launch was disturbed.
  ///
  /// - Returns: The ending, unless the next block follows.
  private func launchArms(
    of block: Int,
    _ course: inout Course,
    on laboratory: inout some LaunchLaboratory,
    into sink: inout some Sink
  ) throws -> Ending? {
    var queue = plan.order(ofBlock: block)
    let planned = queue.count
    var position = 0
    while position < queue.count {
      let index = queue[position]
      let record: LaunchRecord
      do {
        let place = (block, position)
        record = try launch(index, at: place, since: course.beginning, on: &laboratory)
      } catch let error as any LabError where error.exitCode == .interrupted {
        return .interrupted
      }
      try sink.take(record, at: laboratory.now)
      position += 1
      course.failures[index] = record.result.outcome == .ready ? 0 : course.failures[index] + 1
      let arm = plan.arms[index]
      if record.result.outcome == .ready { course.ready.insert(arm.target) }
      let isHopeless = record.result.outcome == .timedOut && !course.ready.contains(arm.target)
      if isHopeless || course.failures[index] == Self.toleratedFailures {
        return .failed(arm, record, times: course.failures[index])
      }
      let hadHope = !course.retries.isHopeless
      course.retries.add(record)
      if course.retries.isHopeless {
        if hadHope { laboratory.stopWaiting() }
        queue.removeSubrange(max(position, planned)...)
      } else if record.isDisturbed {
        let pending = queue.count - max(position, planned)
        if course.retries.allowsRepeat(pending: pending) { queue.append(index) }
      }
    }
    return nil
  }

  private func launch(
    _ index: Int,
    at place: (block: Int, position: Int),
    since beginning: Nanoseconds,
    on laboratory: inout some LaunchLaboratory
  ) throws -> LaunchRecord {
    let arm = plan.arms[index]
    var (launched, losses) = try laboratory.repeatingLost { laboratory in
      let preparation = try laboratory.prepare(arm)
      let startedAt = laboratory.now - beginning
      return (preparation: preparation, startedAt: startedAt, result: try laboratory.launch(arm))
    }
    if losses > 0 { launched.result.flags.append(.relaunched) }
    let readiness = plan.scenario.readiness(of: arm.target)
    let stages = arm.kind.collector.flatMap {
      conclusion.stages(of: launched.result, by: $0, readiness: readiness)
    }
    // The stages have what is kept of it.
    if stages != nil { launched.result.timeline = nil }
    let (preparation, startedAt, result) = launched
    return LaunchRecord(
      block: place.block,
      position: place.position,
      arm: index,
      startedAt: startedAt,
      preparation: preparation,
      result: result,
      stateReached: .judged(
        arm.state,
        preparation: preparation,
        result: result,
        coldShare: plan.scenario.coldShare
      ),
      stages: stages
    )
  }
}

/// Keeps the launches of a loop that were ready, and tells of each one.
package struct ReadyLaunches: LaunchLoop.Sink {
  package private(set) var records: [LaunchRecord] = []

  private let plan: Plan
  private let observe: (RunEvent) -> Void
  private var done = 0

  package init(of plan: Plan, observe: @escaping (RunEvent) -> Void) {
    self.plan = plan
    self.observe = observe
  }

  package mutating func take(_ record: LaunchRecord, at now: Nanoseconds) {
    done += 1
    let (arm, outcome) = (plan.arms[record.arm], record.result.outcome)
    observe(
      .launched(arm: arm, outcome: outcome, done: done, total: plan.blockCount * plan.arms.count)
    )
    if outcome == .ready { records.append(record) }
  }

  package mutating func endBlock(at now: Nanoseconds) {}
}

extension LaunchLoop.Sink {
  package func isEnough(atLook look: Int) -> Bool { false }
}

extension LaunchLoop.Ending {
  var status: RunRecord.Status {
    switch self {
    case .complete: .complete
    case .failed, .unprepared: .failed
    case .interrupted: .interrupted
    }
  }

  /// What a person should know of an ending that is not complete.
  ///
  /// - Parameters:
  ///   - scenario: What was run.
  ///   - resumption: The command that goes on after an interruption, where there is one.
  /// - Returns: Nil for a complete run.
  package func diagnostic(in scenario: Scenario, resumption: String? = nil) -> Diagnostic? {
    switch self {
    case .complete:
      nil
    case .failed(let arm, let record, let times):
      FailureDiagnostic.make(
        arm: arm,
        ready: scenario.readiness(of: arm.target),
        record: record,
        times: times
      )
    case .unprepared(let diagnostic):
      diagnostic
    case .interrupted:
      Diagnostic(
        .warning,
        id: "interrupted",
        problem: "interrupted; the complete blocks are stored",
        remedy: resumption.map { "go on with `\($0)`" }
      )
    }
  }
}

/// A target failed, so that nothing can be said of its launches.
package struct TargetFailure: LabError {
  package let diagnostics: [Diagnostic]
  package var exitCode: LabExitCode { .couldNotMeasure }

  package init(_ diagnostic: Diagnostic) { diagnostics = [diagnostic] }
}
