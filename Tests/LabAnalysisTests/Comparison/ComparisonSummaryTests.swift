import Foundation
import Testing

@testable import Comparison
@testable import LaunchCore
@testable import LaunchStatistics
@testable import Measuring

@Suite struct ComparisonSummaryTests {
  private let pair = ComparedPair(name: "B", baseline: "A", candidate: "B")

  /// Thirty blocks in which B takes `ratio` times as long.
  private func run(ratio: Double, states: [LaunchState] = [.warm]) -> PairedRun {
    var run = PairedRun(states: states, blocks: 30)
    for block in 0..<30 {
      let wave = 1 + 0.01 * Double(block % 5)
      for state in states {
        run.add("A", 1e6 * wave, block: block, state: state)
        run.add("B", 1e6 * ratio * (1.02 - 0.01 * Double(block % 3)), block: block, state: state)
      }
    }
    return run
  }

  private func summary(
    of run: PairedRun,
    rules: ComparisonRules = ComparisonRules(base: ComparisonRule())
  ) -> ComparisonSummary {
    var accumulator = ComparisonAccumulator(
      plan: run.run.plan,
      pairs: [pair],
      metrics: [.launch]
    )
    var all = RunAccumulator(plan: run.run.plan)
    for record in run.records {
      accumulator.add(record)
      all.add(record)
    }
    return accumulator.summary(of: all.summary(of: run.run), by: rules)
  }

  // MARK: - The outlook

  /// What is told of 40 blocks of 10 ms that scatter by a share, with B longer by a ratio.
  private func told(
    scatter: Double,
    ratio: Double = 1,
    seconds: Int64,
    most: Int = 10_000
  ) -> ComparisonOutlook? {
    var generator = SeededGenerator(seed: 5)
    var run = PairedRun(blocks: 40)
    for block in 0..<40 {
      run.add("A", 1e6 * exp(scatter * generator.nextGauss()), block: block)
      run.add("B", 1e6 * ratio * exp(scatter * generator.nextGauss()), block: block)
    }
    var accumulator = ComparisonAccumulator(plan: run.run.plan, pairs: [pair], metrics: [.launch])
    for record in run.records { accumulator.add(record) }
    return accumulator.outlook(
      by: ComparisonRules(base: ComparisonRule()),
      after: .milliseconds(400),
      within: .milliseconds(1_000 * seconds),
      pairs: most
    )
  }

  @Test func `says early that the noise is too large for the time`() throws {
    let outlook = try #require(told(scatter: 0.2, seconds: 1))
    #expect(outlook.pairs == 100)
    #expect(outlook.detectable > 0.05)
    #expect(outlook.pairsNeeded > 200)
    let pace = Double(outlook.timeNeeded.count) / Double(outlook.pairsNeeded)
    #expect(abs(pace - 10e6) < 1e3)
    #expect(outlook.time == .milliseconds(1_000))
  }

  @Test func `asks for as much time as allows for the pairs`() throws {
    let outlook = try #require(told(scatter: 0.2, seconds: 1, most: 50))
    #expect(outlook.pairs == 50)
    let pace = Double(outlook.timeNeeded.count) / Double(outlook.pairsNeeded)
    #expect(abs(pace - 20e6) < 1e3, "50 pairs are planned for a second")
  }

  @Test func `says nothing where a verdict is likely in time`() {
    #expect(told(scatter: 0.02, seconds: 1) == nil, "the noise is small")
    #expect(told(scatter: 0.2, seconds: 60) == nil, "there is enough time")
    #expect(told(scatter: 0.2, ratio: 1.5, seconds: 1) == nil, "the difference is large")
  }

  // MARK: - The verdict

  struct Case: Sendable {
    let ratio: Double
    let verdict: Verdict
    let exitCode: LabExitCode
  }

  @Test(arguments: [
    Case(ratio: 1, verdict: .same, exitCode: .done),
    Case(ratio: 1.1, verdict: .regression, exitCode: .regression),
    Case(ratio: 0.9, verdict: .improvement, exitCode: .done),
    Case(ratio: 1.03, verdict: .inconclusive, exitCode: .inconclusive),
  ])
  func `ends with the exit code of its verdict`(test: Case) throws {
    let summary = summary(of: run(ratio: test.ratio))
    #expect(summary.verdict == test.verdict)
    #expect(summary.exitCode == test.exitCode)
    let arm = try #require(summary.arms.first)
    #expect(arm.comparison?.count == 30)
    #expect(arm.unpaired == 0)
    #expect(arm.smallestDetectable != nil)
  }

  @Test func `compares each state by itself, in the order of the plan`() {
    let summary = summary(of: run(ratio: 1.1, states: [.warm, .rebootCold]))
    #expect(summary.arms.map(\.state) == [.warm, .rebootCold])
    #expect(summary.arms.map(\.verdict) == [.regression, .regression])
  }

  @Test func `is inconclusive without pairs`() {
    let summary = summary(of: PairedRun(blocks: 30))
    #expect(summary.arms.map(\.doubt) == [.fewPairs])
    #expect(summary.exitCode >= .inconclusive)
  }

  @Test func `calls nothing different that the host makes up`() {
    let noise = HostNoise(
      run: "r",
      measuredAt: .distantPast,
      fingerprint: "f00d",
      command: ["true"],
      state: .warm,
      pairs: 60,
      median: 1e6,
      coefficientOfVariation: 0.1,
      detectable: [DetectableEffect(pairs: 10, effect: 0.5)],
      comparisons: 1,
      falseAlarms: 0
    )
    var rules = ComparisonRules(base: ComparisonRule(), noise: [noise], commands: ["B": ["true"]])
    #expect(summary(of: run(ratio: 1.1), rules: rules).arms.map(\.doubt) == [.belowNoiseFloor])
    rules.commands = ["B": ["false"]]
    #expect(summary(of: run(ratio: 1.1), rules: rules).verdict == .regression)
  }

  @Test func `the noise of launch times is no floor of other metrics`() {
    let rules = ComparisonRules(base: ComparisonRule(), looks: 5)
    let rule = rules.rule(for: pair, in: .warm, of: .peakRSS, pairs: 50)
    #expect(rule.noiseFloor == nil)
    #expect(abs(rule.confidence - 0.99) < 1e-9)
  }

  @Test func `ends at a look with a verdict or a narrow interval`() {
    let plan = run(ratio: 1).run.plan
    func isDecided(_ ratio: Double, precision: Double) -> Bool {
      var accumulator = ComparisonAccumulator(plan: plan, pairs: [pair], metrics: [.launch])
      for record in run(ratio: ratio).records { accumulator.add(record) }
      return accumulator.isDecided(
        by: ComparisonRules(base: ComparisonRule()),
        precision: precision
      )
    }
    #expect(isDecided(1.1, precision: 0.0001))
    #expect(!isDecided(1.03, precision: 0.0001))
    #expect(isDecided(1.03, precision: 0.05))
    let empty = ComparisonAccumulator(plan: plan, pairs: [pair], metrics: [.launch])
    #expect(!empty.isDecided(by: ComparisonRules(base: ComparisonRule()), precision: 1))
  }

  struct Order: Sendable {
    let verdicts: [Verdict]
    let deciding: Int
  }

  @Test(arguments: [
    Order(verdicts: [.same, .improvement, .inconclusive, .regression], deciding: 3),
    Order(verdicts: [.same, .improvement, .inconclusive], deciding: 2),
    Order(verdicts: [.same, .improvement], deciding: 1), Order(verdicts: [.same], deciding: 0),
    Order(verdicts: [.regression, .regression], deciding: 0),
  ])
  func `the gravest verdict decides`(test: Order) {
    let findings = test.verdicts.enumerated().map { index, verdict in
      ComparisonFinding(
        pair: pair,
        state: .warm,
        metric: .launch,
        ratio: 1.5,
        verdict: verdict,
        count: index,
        rule: ComparisonRule()
      )
    }
    #expect(findings.deciding == findings[test.deciding])
  }

  @Test func `the largest of two regressions decides`() {
    let findings = [1.1, 0.5, 1.2].map { ratio in
      ComparisonFinding(
        pair: pair,
        state: .warm,
        metric: .launch,
        ratio: ratio,
        verdict: .regression,
        count: 9,
        rule: ComparisonRule()
      )
    }
    #expect(findings.deciding?.ratio == 0.5)
    #expect([ComparisonFinding]().verdict == .inconclusive)
  }

  @Test func `a proof carries what was compared`() throws {
    let arm = try #require(summary(of: run(ratio: 1.1)).arms.first)
    let proof = Proof(arm: arm, run: "r", good: "1a2b3c4", bad: "5d6e7f8", scope: .build)
    #expect(proof.verdict == .regression)
    #expect(proof.pairs == 30)
    #expect(proof.baseline == "A" && proof.candidate == "B")
    #expect(proof.low.map { $0 > 1.02 } == true)
  }
}
