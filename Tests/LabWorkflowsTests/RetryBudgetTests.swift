import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Measuring

@Suite struct RetryBudgetTests {
  private static let quarter = ControlPlan(
    settle: SettleLimits(cpuIdle: 0.9),
    steal: DisturbanceLimits(share: 0.25)
  )

  /// A laboratory whose launches of these numbers, counted from 0, are disturbed.
  private func laboratory(disturbing numbers: Set<Int>) -> FakeLaboratory {
    FakeLaboratory { _, number in numbers.contains(number) ? .disturbed : .ready }
  }

  /// Launches eight blocks of two arms, of which four launches may be repeated.
  private func run(
    _ laboratory: inout FakeLaboratory,
    _ plan: Plan = .sample(blocks: 8, controls: quarter),
    firstBlock: Int = 0,
    stored: RetryBudget? = nil
  ) throws -> RecordingSink {
    var sink = RecordingSink()
    let loop = LaunchLoop(plan: plan, firstBlock: firstBlock, stored: stored)
    let ending = try loop.run(on: &laboratory, into: &sink)
    #expect(ending.isComplete)
    return sink
  }

  private func record(
    _ plan: Plan,
    block: Int,
    position: Int,
    isDisturbed: Bool = false
  ) -> LaunchRecord {
    let arm = plan.order(ofBlock: block)[position % 2]
    return .sample(block: block, position: position, arm: arm, isDisturbed ? .disturbed : .ready)
  }

  @Test func `a disturbed launch is kept, and repeated at the end of its block`() throws {
    var laboratory = laboratory(disturbing: [2])
    let sink = try run(&laboratory)

    #expect(sink.blocks.map(\.count) == [2, 3, 2, 2, 2, 2, 2, 2])
    let block = sink.blocks[1]
    #expect(block.map(\.position) == [0, 1, 2])
    #expect(block.map(\.block) == [1, 1, 1])
    #expect(block.map(\.arm) == Plan.sample(blocks: 8).order(ofBlock: 1) + [block[0].arm])
    #expect(block.map { !$0.result.disturbances.isEmpty } == [true, false, false])
    #expect(!laboratory.log.contains("stop waiting"))
  }

  @Test func `a repeat is prepared like any launch`() throws {
    var laboratory = laboratory(disturbing: [1])
    _ = try run(&laboratory)
    let repeated = laboratory.log[4...5]
    #expect(repeated.first?.hasPrefix("prepare ") == true)
    #expect(repeated.last?.hasPrefix("launch ") == true)
    #expect(laboratory.log[2].dropFirst(8) == laboratory.log[4].dropFirst(8))
  }

  @Test func `a repeat that is disturbed is repeated again`() throws {
    var laboratory = laboratory(disturbing: [0, 2, 3])
    let sink = try run(&laboratory)
    #expect(sink.blocks[0].map(\.position) == [0, 1, 2, 3, 4])
    #expect(Set(sink.blocks[0].dropFirst(2).map(\.arm)).count == 1)
  }

  @Test func `no more is repeated than the share of what is planned`() throws {
    var laboratory = laboratory(disturbing: [0, 1, 2, 3])
    let sink = try run(&laboratory)
    // Both of block 0, then both repeats; the share of 16 launches is 4.
    #expect(sink.blocks.map(\.count) == [6, 2, 2, 2, 2, 2, 2, 2])
    #expect(!laboratory.log.contains("stop waiting"))
  }

  @Test func `once too many were disturbed nothing is repeated and nothing waited for`() throws {
    var laboratory = FakeLaboratory { _, _ in .disturbed }
    let sink = try run(&laboratory)
    // The fifth disturbed launch is one too many, and the repeats after it are dropped.
    #expect(sink.blocks.map(\.count) == [5, 2, 2, 2, 2, 2, 2, 2])
    #expect(laboratory.log.count { $0 == "stop waiting" } == 1)
    #expect(laboratory.log.firstIndex(of: "stop waiting") == 10)
  }

  @Test func `unsettled launches are not repeated, but count`() throws {
    let settling = Settling(waited: .seconds(30), obstacle: "cpu idle 12 % (limit 90 %)")
    var laboratory = FakeLaboratory(
      preparation: { _ in Preparation(settling: settling) },
      result: { _, _ in .ready }
    )
    let sink = try run(&laboratory)
    #expect(sink.blocks.allSatisfy { $0.count == 2 })
    #expect(laboratory.log.firstIndex(of: "stop waiting") == 10)
    #expect(laboratory.log.count { $0 == "stop waiting" } == 1)
  }

  @Test func `without the control nothing is repeated`() throws {
    var laboratory = FakeLaboratory { _, _ in .disturbed }
    let sink = try run(&laboratory, .sample(blocks: 8))
    #expect(sink.blocks.allSatisfy { $0.count == 2 })
    #expect(!laboratory.log.contains("stop waiting"))
  }

  @Test func `three failures in a row end the run, repeats included`() throws {
    let failed = LaunchResult(
      outcome: .exited(code: 3),
      disturbances: LaunchResult.disturbed.disturbances
    )
    var laboratory = FakeLaboratory { arm, _ in arm.state == .warm ? failed : .ready }
    var sink = RecordingSink()
    let plan = Plan.sample(blocks: 8, controls: Self.quarter)
    let ending = try LaunchLoop(plan: plan).run(on: &laboratory, into: &sink)
    #expect(!ending.isComplete)
    #expect(sink.blocks.map(\.count) == [4])
  }

  // MARK: - Resumption

  @Test func `stored repeats count on resumption`() throws {
    let plan = Plan.sample(blocks: 8, controls: Self.quarter)
    var stored = RetryBudget(plan: plan)
    for position in 0..<5 {
      stored.add(record(plan, block: 0, position: position, isDisturbed: position < 2))
    }
    #expect(stored.repeated == 3)
    var laboratory = laboratory(disturbing: [0, 1])
    let sink = try run(&laboratory, plan, firstBlock: 6, stored: stored)
    #expect(sink.blocks.map(\.count) == [3, 2])
  }

  @Test func `a run that was hopeless does not wait when it is resumed`() throws {
    let plan = Plan.sample(blocks: 8, controls: Self.quarter)
    var stored = RetryBudget(plan: plan)
    for position in 0..<5 {
      stored.add(record(plan, block: 0, position: position, isDisturbed: true))
    }
    #expect(stored.isHopeless)
    var laboratory = laboratory(disturbing: [0])
    let sink = try run(&laboratory, plan, firstBlock: 6, stored: stored)
    #expect(laboratory.log.first == "stop waiting")
    #expect(laboratory.log.count { $0 == "stop waiting" } == 1)
    #expect(sink.blocks.map(\.count) == [2, 2])
  }
}

extension LaunchResult {
  fileprivate static let disturbed = LaunchResult(
    outcome: .ready,
    launch: .milliseconds(9),
    figures: Figures(majorFaults: 0),
    disturbances: [Disturbance(kind: .foreignCPU, amount: 4_000_000, limit: 200_000)]
  )
}
