import Foundation
import Testing

@testable import Comparison
@testable import LabChecks
@testable import LaunchCore
@testable import LaunchStatistics

@Suite struct SelfTestSummaryTests {
  private func noise(_ kind: PairedRun.Noise, seed: UInt64 = 11) throws -> StateNoise {
    try #require(kind.run(seed: seed).summary.states.first)
  }

  @Test(arguments: PairedRun.Noise.allCases)
  func `does not call a program different from itself`(kind: PairedRun.Noise) throws {
    let summary = kind.run(seed: 11).summary
    let state = try #require(summary.states.first)
    #expect(!state.comparison.isDifference)
    #expect(summary.deceptive.isEmpty)
    #expect(summary.exitCode == .done)
    #expect(state.noise.pairs == 60)
    #expect(state.noise.detectable.map(\.pairs) == [10, 20, 50, 60])
    #expect(state.noise.comparisons == 42)
    #expect(state.alarms.independent(of: 60) == 3)
  }

  @Test func `what both launches of a block share does not raise the detectable effect`() throws {
    let quiet = try noise(.quiet)
    let drifting = try noise(.drifting)
    let slow = try noise(.autocorrelated)
    #expect(quiet.comparison.verdict == .same)
    #expect(drifting.noise.coefficientOfVariation > 10 * quiet.noise.coefficientOfVariation)
    for pairs in [10, 20, 50, 60] {
      let floor = try #require(quiet.noise.effect(pairs: pairs))
      #expect(try #require(drifting.noise.effect(pairs: pairs)) < floor + 0.005)
      #expect(try #require(slow.noise.effect(pairs: pairs)) < floor + 0.005)
    }
  }

  @Test func `noise of single launches raises the detectable effect`() throws {
    let effects = try [PairedRun.Noise.quiet, .normal, .twoModes].map { kind in
      try #require(try noise(kind, seed: 12).noise.effect(pairs: 20))
    }
    #expect(effects == effects.sorted())
    #expect(effects[0] < 0.03)
    #expect(effects[1] > 0.08)
    #expect(effects[2] > 0.2)
  }

  @Test func `counts the windows that call a program different from itself`() throws {
    // B is 5 % slower in the first 30 of 60 blocks.
    let ratios = (0..<60).map { (block: Int) -> Double in
      (block < 30 ? 1.05 : 1.0) * (1 + 0.001 * Double(block % 5))
    }
    let pairs = try PairedRatio(ratios.map { (1, $0) })
    let alarms = FalseAlarms(of: pairs)
    #expect(alarms.window == 20)
    #expect(alarms.comparisons == 42)
    #expect(alarms.alarms > 10 && alarms.alarms < 30)
    let small = FalseAlarms(of: try PairedRatio(ratios.map { (1, 1 + ($0 - 1) / 5) }))
    #expect(small.alarms == 0)
    #expect(small.alarmsWithoutLimit >= alarms.alarms)
  }

  @Test(arguments: [5, 19, 20, 21])
  func `few pairs make few windows`(count: Int) throws {
    let alarms = FalseAlarms(of: try PairedRatio((0..<count).map { (1, 1 + Double($0)) }))
    #expect(alarms.window == min(count, 20))
    #expect(alarms.comparisons == (count == 21 ? 3 : 1))
  }

  @Test func `a host that calls a program different from itself is not trusted`() throws {
    var run = PairedRun(states: [.warm, .rebootCold])
    for block in 0..<60 {
      run.add("A", 1_000 + Double(block % 7), block: block)
      run.add("B", 1_100 + Double(block % 5), block: block)
      run.add("A", 9_000, block: block, state: .rebootCold)
      run.add("B", 9_000, block: block, state: .rebootCold)
    }
    let summary = run.summary
    #expect(summary.deceptive.map(\.noise.state) == [.warm])
    #expect(summary.exitCode == .inconclusive)
    #expect(summary.noise.map(\.falseAlarms) == [42, 0])
    // The scatter alone would let 2 % through, and the host makes 10 % up.
    let effects = try summary.noise.map { try #require($0.effect(pairs: 20)) }
    #expect(effects[0] > 0.12 && effects[0] < 0.13)
    #expect(effects[1] == 0.02)
  }

  @Test func `too few pairs are said to be too few`() {
    var run = PairedRun()
    for block in 0..<4 {
      run.add("A", 100, block: block)
      run.add("B", 100, block: block)
    }
    let summary = run.summary
    #expect(summary.states.isEmpty)
    #expect(
      summary.missing == [
        MissingState(
          state: .warm,
          reason: "4 pairs of launches are too few to compare",
          isRefused: false
        )
      ]
    )
    #expect(summary.exitCode == .inconclusive)
  }

  @Test func `a state that the host refuses does not make the others doubtful`() {
    let run = PairedRun.Noise.quiet.run(seed: 3)
    let refused = MissingState(state: .rebootCold, reason: "no right")
    let summary = SelfTestSummary(
      run: run.summary.run,
      pairs: run.pairs,
      command: ["true"],
      refused: [refused]
    )
    #expect(summary.missing == [refused])
    #expect(summary.exitCode == .done)
  }

  @Test func `the noise floor is that of the most pairs that are not too many`() throws {
    let noise = try noise(.normal).noise
    let floors = [9, 10, 19, 20, 49, 50, 500].map { noise.floor(pairs: $0) }
    #expect(floors[0] == floors[1] && floors[1] == floors[2])
    #expect(floors[3] == floors[4] && floors[5] != floors[6])
    #expect(try #require(floors[1]) > #require(floors[3]))
    var unknown = noise
    unknown.detectable = []
    #expect(unknown.floor(pairs: 20) == nil)
  }

  @Test func `the noise floor lies between the effect limit and what is detected`() throws {
    var noise = try noise(.normal).noise
    noise.detectable = [DetectableEffect(pairs: 20, effect: 0.062)]
    let floor = try #require(noise.floor(pairs: 20))
    #expect(abs(floor - 0.0492) < 0.0001)
    noise.detectable = [DetectableEffect(pairs: 20, effect: 0.02)]
    #expect(abs(try #require(noise.floor(pairs: 20)) - 0.02) < 1e-12)
  }

  @Test func `the noise floor leaves what is detectable detectable`() throws {
    let noise = try noise(.normal).noise
    let effect = try #require(noise.effect(pairs: 20))
    let rule = ComparisonRule(noiseFloor: noise.floor(pairs: 20))
    var found = 0
    for seed in UInt64(100)..<300 {
      let series = try #require(PairedRun.Noise.normal.run(seed: seed).pairs.ratio(in: .warm))
      let slower = series.logRatios.values.prefix(20).map { $0 + log1p(effect) }
      let comparison = PairedComparison(PairedRatio(logRatios: try Sample(slower)), rule: rule)
      if comparison.verdict == .regression { found += 1 }
    }
    // Half of them where the detectable effect itself were the floor.
    #expect(found > 110, "\(found) of 200")
  }
}
