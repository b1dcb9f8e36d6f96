import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost
@testable import Measuring

@Suite struct LaunchLoopTests {
  @Test func `launches every arm once per block, each right after its preparation`() throws {
    var laboratory = FakeLaboratory { _, _ in .ready }
    var sink = RecordingSink()

    let ending = try LaunchLoop(plan: .sample(blocks: 3)).run(on: &laboratory, into: &sink)

    #expect(ending.isComplete)
    #expect(sink.blocks.map(\.count) == [2, 2, 2])
    #expect(sink.blocks.allSatisfy { Set($0.map(\.arm)) == [0, 1] })
    let pairs = stride(from: 0, to: laboratory.log.count, by: 2)
      .map { (laboratory.log[$0], laboratory.log[$0 + 1]) }
    #expect(
      pairs.allSatisfy {
        $0.0.dropFirst("prepare ".count) == $0.1.dropFirst("launch ".count)
      }
    )
  }

  @Test func `keeps the order of the plan`() throws {
    let plan = Plan.sample(blocks: 8)
    var laboratory = FakeLaboratory { _, _ in .ready }
    var sink = RecordingSink()

    _ = try LaunchLoop(plan: plan).run(on: &laboratory, into: &sink)

    #expect(sink.blocks.map { $0.map(\.arm) } == (0..<8).map(plan.order(ofBlock:)))
  }

  @Test func `goes on at a later block`() throws {
    var laboratory = FakeLaboratory { _, _ in .ready }
    var sink = RecordingSink()

    _ = try LaunchLoop(plan: .sample(blocks: 5), firstBlock: 3).run(on: &laboratory, into: &sink)

    #expect(sink.blocks.map { $0.map(\.block) } == [[3, 3], [4, 4]])
  }

  @Test func `prepares and launches again when the spawner was killed`() throws {
    var laboratory = FakeLaboratory { _, number in
      if number == 1 || number == 2 { throw HostError.spawnerLost(status: "signal 9") }
      return .ready
    }
    var sink = RecordingSink()

    let ending = try LaunchLoop(plan: .sample(blocks: 2)).run(on: &laboratory, into: &sink)

    #expect(ending.isComplete)
    #expect(sink.all.map(\.result.outcome) == Array(repeating: .ready, count: 4))
    #expect(sink.all.map { $0.result.flags } == [[], [.relaunched], [], []])
    let words = laboratory.log.map { $0.split(separator: " ")[0] }
    #expect(words == (0..<6).flatMap { _ in ["prepare", "launch"] })
  }

  @Test func `gives up when the spawner is killed at every try`() throws {
    var laboratory = FakeLaboratory { _, number in
      if number >= 2 { throw HostError.spawnerLost(status: "signal 9") }
      return .ready
    }
    var sink = RecordingSink()

    let error = HostError.spawnerLost(status: "signal 9", times: Spawner.toleratedLosses)
    #expect(throws: error) {
      try LaunchLoop(plan: .sample(blocks: 2)).run(on: &laboratory, into: &sink)
    }
    #expect(sink.all.count == 2)
    #expect(laboratory.log.count == 2 * (2 + Spawner.toleratedLosses))
    #expect(error.diagnostics[0].problem.contains("5 times in a row"))
    #expect(error.diagnostics[0].remedy?.contains("--resume last") == true)
  }

  @Test func `stops when an arm was not ready three times in a row`() throws {
    var laboratory = FakeLaboratory { arm, _ in
      arm.state == .warm ? .exited : .ready
    }
    var sink = RecordingSink()

    let ending = try LaunchLoop(plan: .sample(blocks: 9)).run(on: &laboratory, into: &sink)

    guard case .failed(let arm, let record, times: 3) = ending else {
      Issue.record("the loop did not fail")
      return
    }
    #expect(arm.state == .warm)
    #expect(record.result.outcome == .exited(code: 3))
    #expect(sink.all.count { $0.result.outcome == .exited(code: 3) } == 3)
  }

  @Test func `stops at the first launch whose time runs out, of a target that was never ready`()
    throws
  {
    var laboratory = FakeLaboratory { _, _ in LaunchResult(outcome: .timedOut) }
    var sink = RecordingSink()

    let ending = try LaunchLoop(plan: .sample(blocks: 9)).run(on: &laboratory, into: &sink)

    guard case .failed(_, let record, times: 1) = ending else {
      Issue.record("the loop did not fail")
      return
    }
    #expect(record.result.outcome == .timedOut)
    #expect(sink.all.count == 1)
  }

  @Test(arguments: [0, 3])
  func `tolerates times that run out of a target that was ready before`(firstBlock: Int) throws {
    var laboratory = FakeLaboratory { _, number in
      number == (firstBlock == 0 ? 4 : 0) ? LaunchResult(outcome: .timedOut) : .ready
    }
    var sink = RecordingSink()
    let loop = LaunchLoop(plan: .sample(blocks: 9), firstBlock: firstBlock)

    #expect(try loop.run(on: &laboratory, into: &sink).isComplete)
    #expect(sink.all.count { $0.result.outcome == .timedOut } == 1)
  }

  @Test func `leaves a launch out that follows one which was killed, unless it is killed too`()
    throws
  {
    let flags: [[LaunchFlag]] = [
      [.killed], [.afterKill], [], [.killed], [.afterKill, .killed], [],
    ]
    var laboratory = FakeLaboratory { _, number in
      var result = LaunchResult.ready
      result.flags = flags[number]
      return result
    }
    var sink = RecordingSink()
    _ = try LaunchLoop(plan: .sample(blocks: 3)).run(on: &laboratory, into: &sink)

    let reason = "the launch before had to be killed, so this one may have recovered"
    #expect(sink.all[1].stateReached == .notReached(reason: reason))
    #expect(sink.all.count { $0.stateReached == .notReached(reason: reason) } == 1)
  }

  @Test func `tolerates failures that are not in a row`() throws {
    var laboratory = FakeLaboratory { _, number in (number / 2) % 3 < 2 ? .exited : .ready }
    var sink = RecordingSink()

    let ending = try LaunchLoop(plan: .sample(blocks: 20)).run(on: &laboratory, into: &sink)

    #expect(ending.isComplete)
    #expect(sink.all.count == 40)
  }

  @Test func `ends on an interruption and keeps no half block`() throws {
    var laboratory = FakeLaboratory { _, number in
      guard number < 3 else { throw FakeInterruption() }
      return .ready
    }
    var sink = RecordingSink()

    let ending = try LaunchLoop(plan: .sample(blocks: 5)).run(on: &laboratory, into: &sink)

    guard case .interrupted = ending else {
      Issue.record("the loop was not interrupted")
      return
    }
    #expect(sink.blocks.count == 1)
  }

  @Test func `judges whether the state was reached`() throws {
    var laboratory = FakeLaboratory(
      preparation: { arm in
        let pages = arm.state.isCold ? 7 : 90
        return Preparation(residency: [
          FileResidency(
            path: "/bin/x",
            isOwn: true,
            residentPages: pages,
            totalPages: 90,
            pinnedBy: "mapped by pid 1"
          )
        ])
      },
      result: { _, _ in .ready }
    )
    var sink = RecordingSink()

    _ = try LaunchLoop(plan: .sample(blocks: 1)).run(on: &laboratory, into: &sink)

    let reached = Dictionary(uniqueKeysWithValues: sink.all.map { ($0.arm, $0.stateReached) })
    #expect(
      reached[0] == .notReached(reason: "pages of /bin/x stayed (mapped by pid 1)")
    )
    #expect(reached[1] == .reached)
  }
}

struct FakeInterruption: LabError {
  var diagnostics: [Diagnostic] { [Diagnostic(.error, id: "interrupted", problem: "interrupted")] }
  var exitCode: LabExitCode { .interrupted }
}

extension LaunchLoop.Ending {
  var isComplete: Bool {
    guard case .complete = self else { return false }
    return true
  }
}

extension LaunchResult {
  static let ready = LaunchResult(
    outcome: .ready,
    launch: .milliseconds(2),
    figures: Figures(majorFaults: 0)
  )

  fileprivate static let exited = LaunchResult(
    outcome: .exited(code: 3),
    figures: Figures(majorFaults: 0)
  )
}

extension Plan {
  static func sample(blocks: Int, controls: ControlPlan? = nil) -> Plan {
    let target = Target(name: "x", command: ["/bin/x"], directory: "/")
    let states: [LaunchState] = [.reinstallCold, .warm]
    var scenario = Scenario.sample("sample", [target], states: states, launches: blocks)
    scenario.controls = controls
    let arms = states.map { Arm(target: "x", state: $0) }
    return Plan(scenario: scenario, seed: 7, arms: arms, blockCount: blocks)
  }
}
