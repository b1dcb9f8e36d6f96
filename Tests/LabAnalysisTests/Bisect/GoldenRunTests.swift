import Testing

@testable import Bisection

@Suite struct GoldenRunTests {
  @Test(arguments: [
    "single_5pct_cv3", "single_broken30", "two_equal", "null", "not_established", "inconclusive",
  ])
  func `the same results give the same actions and beliefs`(name: String) throws {
    let run = try GoldenRun(name)
    var engine = run.engine
    for (index, event) in run.events.enumerated() {
      let action = engine.next()
      try #require(GoldenRun.Action(action) == event.action, "event \(index)")
      switch action {
      case .build(let revision):
        engine.built(revision, isUsable: event.ok == true, digest: nil, seconds: nil)
      case .launch: engine.measured(try #require(event.y), seconds: nil)
      case .done(let answer):
        #expect(
          answer.culprits.map { Array($0.revisions) }.sorted { $0[0] < $1[0] } == run.culprits
        )
      }
      if let belief = event.after { expect(engine, belief, index) }
    }
    #expect(engine.builds == run.builds)
    #expect(engine.launches == run.launches)
  }

  private func expect(_ engine: BisectEngine, _ belief: GoldenRun.Belief, _ index: Int) {
    let best = engine.bestClass
    let found = [best.revisions.lowerBound, best.revisions.upperBound]
    #expect(found == belief.best, "event \(index)")
    #expect(abs(best.probability - belief.mass) < 1e-4, "event \(index)")
    #expect(abs(engine.effect - belief.delta) < 1e-4, "event \(index)")
    #expect(abs(engine.buildNoise - belief.tau) < 1e-4, "event \(index)")
    #expect(abs(engine.twoChanges - belief.two) < 1e-4, "event \(index)")
    #expect(abs((engine.noise ?? 0) - belief.s1) < 1e-4, "event \(index)")
  }
}
