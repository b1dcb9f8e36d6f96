import Foundation
import LabTestSupport
import Testing

@testable import Comparison
@testable import History
@testable import LaunchCore
@testable import LaunchStatistics
@testable import Measuring

@Suite(.temporaryDirectory) struct ProofWorkflowTests {
  private static let scenario = Scenario(
    name: "redis",
    targets: ["server", "worker"].map { Target(name: $0, command: ["/new/\($0)"], directory: "/") },
    states: [.reinstallCold, .warm],
    launches: 20,
    includesEmptyBaseline: true,
    directory: "/lab",
    regression: RegressionRule(effect: 0.05, confidence: 0.9, proofLaunches: 160),
    control: .command(["/bin/true"])
  )

  private static func workflow(proofLaunches: Int) -> ProofWorkflow {
    var scenario = scenario
    scenario.regression?.proofLaunches = proofLaunches
    let request = RunRequest(scenario: scenario, store: "/lab/store.sqlite", commandLine: ["run"])
    return ProofWorkflow(
      request: request,
      run: run(scenario),
      night: night("tonight"),
      context: .fake()
    )
  }

  private static func run(
    _ scenario: Scenario = scenario,
    status: RunRecord.Status = .complete
  ) -> RunRecord {
    .sample(scenario, status: status)
  }

  private static func night(_ run: String) -> Night {
    Night(run: run, startedAt: Date(timeIntervalSince1970: 0), fingerprint: "f")
  }

  private static let key = SeriesKey.sample("redis", "server", "f")

  private static let request = ProofRequest(good: night("good"), series: [key], kind: .step)

  private static let builds: ProofBuilds = {
    var old = scenario.targets[0]
    old.command = ["/old/server"]
    return ProofBuilds(
      baseline: [old],
      candidate: [scenario.targets[0]],
      good: "1a2b3c4",
      bad: "5d6e7f8",
      scope: .build
    )
  }()

  private static func summary(
    status: RunRecord.Status = .complete,
    ratios: [Double] = [Double](repeating: 1.2, count: 20)
  ) throws -> ComparisonSummary {
    let pair = ComparedPair(
      name: "server",
      baseline: "server@1a2b3c4",
      candidate: "server@5d6e7f8"
    )
    let pairs = try PairedRatio(ratios.map { (1.0, $0) })
    let arm = ArmComparison(
      pair: pair,
      state: .warm,
      metric: .launch,
      comparison: PairedComparison(pairs),
      unpaired: 0,
      smallestDetectable: 0.01
    )
    let error = Diagnostic(
      .error,
      id: "target-fails",
      problem: "exited with status 3, 3 times in a row\n  x"
    )
    let warnings = status == .failed ? [error] : []
    return ComparisonSummary(
      run: RunSummary(run: run(status: status), arms: [], warnings: warnings),
      arms: [arm]
    )
  }

  @Test func `launches both builds of what is in doubt, and nothing else`() {
    let request = Self.workflow(proofLaunches: 160).comparison(of: Self.builds, for: Self.request)

    #expect(request.scenario.targets.map(\.name) == ["server@1a2b3c4", "server@5d6e7f8"])
    #expect(request.scenario.targets.map(\.command) == [["/old/server"], ["/new/server"]])
    #expect(request.scenario.states == [.warm])
    #expect(request.scenario.launches == 40)
    #expect(request.scenario.adaptive?.most == 160)
    #expect(request.scenario.adaptive?.timeLimit == .seconds(600))
    #expect(!request.scenario.includesEmptyBaseline)
    #expect(request.scenario.control == nil)
    #expect(request.metrics == [.launch])
    #expect(request.rule == ComparisonRule(effectLimit: 0.05, confidence: 0.9))
    #expect(request.purpose == .proof)
  }

  private static let slow: SeriesKey = {
    var slow = key
    slow.metric = .slowShare
    return slow
  }()

  @Test func `settles more slow launches by the launches of both builds`() throws {
    var proof = Self.request
    proof.series = [Self.key, Self.slow]
    let request = Self.workflow(proofLaunches: 160).comparison(of: Self.builds, for: proof)
    #expect(request.metrics == [.launch])
    // A comparison that has not counted slow launches says nothing of them.
    let answer = ProofWorkflow.answer(to: proof, builds: Self.builds, from: try Self.summary())
    guard case .compared(let proofs) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(proofs[Self.key]?.verdict == .regression)
    #expect(proofs[Self.slow]?.verdict == .inconclusive)
  }

  @Test(arguments: [(0, Verdict.same), (4, .regression), (20, .inconclusive)])
  func `says by their shares whether more launches are slow`(every: Int, expected: Verdict) throws {
    let arm = try #require(Self.summary().arms.first)
    let pairs = (0..<80).map { place -> (Double, Double) in
      let isSlow = every > 0 && place.isMultiple(of: every)
      return (1e6 + Double(place % 5), isSlow ? 2e6 : 1e6 + Double(place % 7))
    }
    let tail = TailComparison(try PairedTail(pairs), rule: ComparisonRule(tailLimit: 0.1))
    var proof = Proof(arm: arm, run: "r", good: "a", bad: "b", scope: .build)
    proof.concludeShares(tail)
    #expect(proof.verdict == expected)
    #expect(proof.ratio == 1 + (every > 0 ? 1 / Double(every) : 0))
    proof.concludeShares(nil)
    #expect(proof.verdict == .inconclusive)
  }

  @Test func `a host proves only slow launches where hosts prove together`() {
    var proof = Self.request
    proof.series = [Self.key, Self.slow]
    var scenario = Self.scenario
    scenario.regression?.proofHosts = 2
    var run = Self.run(scenario)
    #expect(proof.ofOneHost(run).series == [Self.key, Self.slow])
    run.slot = FleetSlot(night: "2026-11-21", host: "bench-1")
    #expect(proof.ofOneHost(run).series == [Self.slow])
    #expect(Self.request.ofOneHost(run).series.isEmpty)
    run.plan.scenario.regression?.proofHosts = 0
    #expect(proof.ofOneHost(run).series == [Self.key, Self.slow])
  }

  @Test func `launches no more often than the scenario allows`() {
    let request = Self.workflow(proofLaunches: 25).comparison(of: Self.builds, for: Self.request)
    #expect(request.scenario.launches == 25)
    #expect(request.scenario.adaptive == nil)
  }

  @Test func `launches more often after an inconclusive comparison`() {
    var proof = Self.request
    proof.effort = 4
    let request = Self.workflow(proofLaunches: 160).comparison(of: Self.builds, for: proof)
    #expect(request.scenario.launches == 40)
    #expect(request.scenario.adaptive?.most == 640)
    #expect(request.scenario.adaptive?.timeLimit == .seconds(2_400))
  }

  @Test func `launches as many pairs as are asked for, without a look before`() {
    var workflow = Self.workflow(proofLaunches: 640)
    workflow.pairCount = 160
    let request = workflow.comparison(of: Self.builds, for: Self.request)
    #expect(request.scenario.launches == 160)
    #expect(request.scenario.adaptive == nil)
  }

  @Test func `says what the comparison has found`() throws {
    let answer = ProofWorkflow.answer(
      to: Self.request,
      builds: Self.builds,
      from: try Self.summary()
    )
    guard case .compared(let proofs) = answer, let proof = proofs[Self.key] else {
      Issue.record("\(answer)")
      return
    }
    #expect(proof.verdict == .regression)
    #expect(proof.ratio == 1.2)
    #expect(proof.pairs == 20)
    #expect([proof.good, proof.bad] == ["1a2b3c4", "5d6e7f8"])
    #expect([proof.baseline, proof.candidate] == ["server@1a2b3c4", "server@5d6e7f8"])
    #expect(proof.scope == .build)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let status: RunRecord.Status
    let reason: String
    var testDescription: String { status.rawValue }
  }

  static let cases = [
    Case(status: .interrupted, reason: "the proof 20261121T043000Z-3fa2 was interrupted"),
    Case(
      status: .failed,
      reason:
        "the launches of the proof 20261121T043000Z-3fa2 failed: exited with status 3, 3 times in a row"
    ),
  ]

  @Test(arguments: cases)
  func `settles nothing with a proof that did not come to its end`(_ test: Case) throws {
    let answer = ProofWorkflow.answer(
      to: Self.request,
      builds: Self.builds,
      from: try Self.summary(status: test.status)
    )
    #expect(answer == .impossible(reason: test.reason))
  }

  @Test func `has no proof where the scenario wants none`() async {
    let result = await Self.workflow(proofLaunches: 0).result(
      of: Self.request
    )
    #expect(result.outcome.answer == .impossible(reason: "`regression.proof` of the scenario is 0"))
    #expect(!result.isInterrupted)
  }

  @Test func `takes as many digits as tell two builds apart`() {
    #expect(ProofBuilds.labels("1a2b3c4d5e", "5d6e7f8a9b") == ("1a2b3c4", "5d6e7f8"))
    #expect(ProofBuilds.labels("1a2b3c4d5e", "1a2b3c4d6f") == ("1a2b3c4d5", "1a2b3c4d6"))
  }
}
