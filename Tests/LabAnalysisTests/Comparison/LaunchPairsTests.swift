import Testing

@testable import Comparison
@testable import LaunchCore

@Suite struct LaunchPairsTests {
  @Test func `pairs the launches of a block, whatever their order`() {
    var run = PairedRun()
    run.add("B", 110, block: 1)
    run.add("A", 100, block: 1)
    run.add("A", 200, block: 0)
    run.add("B", 210, block: 0)
    #expect(
      run.pairs.pairs(in: .warm) == [
        .init(block: 0, baseline: 200, candidate: 210),
        .init(block: 1, baseline: 100, candidate: 110),
      ]
    )
  }

  @Test func `keeps states apart`() {
    var run = PairedRun(states: [.warm, .rebootCold])
    run.add("A", 100, block: 0)
    run.add("B", 900, block: 0, state: .rebootCold)
    #expect(run.pairs.pairs(in: .warm).isEmpty)
    #expect(run.pairs.pairs(in: .rebootCold).isEmpty)
    #expect(run.pairs.unpaired(in: .warm) == 1)
    #expect(run.pairs.unpaired(in: .firstRun) == 0)
    #expect(run.pairs.ratio(in: .warm) == nil)
  }

  @Test func `leaves out launches that were not ready, not as cold, or disturbed`() {
    var run = PairedRun()
    let steal = Disturbance(kind: .steal, amount: 9, limit: 1)
    for block in 0..<5 { run.add("A", 100, block: block) }
    run.add("B", 100, block: 0, outcome: .exited(code: 1))
    run.add("B", 100, block: 1, reached: .notReached(reason: "major faults"))
    run.add("B", 100, block: 2, disturbances: [steal])
    run.add("B", 100, block: 3, reached: .notVerified(reason: "no right"))
    run.add("B", 0, block: 4)
    #expect(run.pairs.pairs(in: .warm).map(\.block) == [3])
    #expect(run.pairs.unpaired(in: .warm) == 4)
  }

  @Test func `a repeated launch takes the place of the disturbed one`() {
    var run = PairedRun()
    let steal = Disturbance(kind: .steal, amount: 9, limit: 1)
    run.add("A", 500, block: 0, disturbances: [steal])
    run.add("B", 101, block: 0)
    run.add("A", 100, block: 0)
    #expect(
      run.pairs.pairs(in: .warm) == [.init(block: 0, baseline: 100, candidate: 101)]
    )
  }

  @Test func `passes over other targets`() {
    var pairs = LaunchPairs(plan: PairedRun().run.plan, baseline: "A", candidate: "C")
    var run = PairedRun()
    run.add("A", 100, block: 0)
    run.add("B", 100, block: 0)
    for record in run.records { pairs.add(record) }
    #expect(pairs.pairs(in: .warm).isEmpty)
  }
}
