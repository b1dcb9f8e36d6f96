import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Measuring

/// When a run has enough launches, and ends at a look.
@Suite struct PrecisionRuleTests {
  private static func plan(
    fewest: Int = 10,
    most: Int = 60,
    targets: [String] = ["x"],
    controls: ControlPlan? = nil,
    timeLimit: Nanoseconds? = nil
  ) -> Plan {
    let named = targets.filter { $0 != Arm.emptyTarget }
    let asked = named.map { Target(name: $0, command: ["/bin/x"], directory: "/") }
    var scenario = Scenario.sample("sample", asked, launches: fewest)
    scenario.controls = controls
    scenario.adaptive = AdaptiveLaunches(most: most, precision: 0.01, timeLimit: timeLimit)
    let arms = targets.map { Arm(target: $0, state: .warm) }
    return Plan(scenario: scenario, seed: 7, arms: arms, blockCount: most)
  }

  private static func record(
    arm: Int = 0,
    launch: Int64,
    block: Int = 0,
    outcome: Outcome = .ready,
    reached: StateReached = .reached,
    disturbances: [Disturbance] = []
  ) -> LaunchRecord {
    let time = Nanoseconds(launch)
    let result = LaunchResult(outcome: outcome, launch: time, disturbances: disturbances)
    return .sample(block: block, position: arm, arm: arm, result, reached: reached)
  }

  /// Values around 1 ms that spread evenly by a share to both sides.
  private static func spread(_ share: Double, count: Int = 21) -> [Int64] {
    (0..<count).map { index in
      Int64(1e6 * (1 + share * (2 * Double(index) / Double(count - 1) - 1)))
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var values: [Int64]
    var isEnough: Bool
  }

  @Test(arguments: [
    Case(testDescription: "narrow", values: spread(0.005), isEnough: true),
    Case(testDescription: "wide", values: spread(0.2), isEnough: false),
    Case(testDescription: "too few", values: [1_000, 1_000, 1_000, 1_000], isEnough: false),
    Case(testDescription: "five equal ones", values: [9, 9, 9, 9, 9], isEnough: true),
    Case(testDescription: "none", values: [], isEnough: false),
  ])
  func `asks for a narrow interval`(example: Case) {
    var stoppingRule = PrecisionRule(plan: Self.plan(), precision: 0.01)
    for value in example.values { stoppingRule.add(Self.record(launch: value)) }
    #expect(stoppingRule.isEnough(atLook: 0) == example.isEnough)
  }

  /// The interval of 95 % would be narrow enough, the one that seven looks share is not.
  @Test func `asks for more confidence the more looks there are`() {
    let values = Self.spread(0.03, count: 31)
    var one = PrecisionRule(plan: Self.plan(fewest: 60), precision: 0.013)
    var seven = PrecisionRule(plan: Self.plan(fewest: 10), precision: 0.013)
    for value in values {
      one.add(Self.record(launch: value))
      seven.add(Self.record(launch: value))
    }
    #expect(Self.plan(fewest: 10).looks == [10, 14, 20, 28, 40, 57, 60])
    #expect(one.isEnough(atLook: 0))
    #expect(!seven.isEnough(atLook: 0))
  }

  @Test func `waits for every target and for the control, not for the floor`() {
    let plan = Self.plan(targets: ["x", Arm.controlTarget, Arm.emptyTarget])
    var stoppingRule = PrecisionRule(plan: plan, precision: 0.01)
    for value in Self.spread(0.5) { stoppingRule.add(Self.record(arm: 2, launch: value)) }
    for value in Self.spread(0.001) { stoppingRule.add(Self.record(arm: 0, launch: value)) }
    #expect(!stoppingRule.isEnough(atLook: 0))
    for value in Self.spread(0.001) { stoppingRule.add(Self.record(arm: 1, launch: value)) }
    #expect(stoppingRule.isEnough(atLook: 0))
  }

  @Test func `leaves out what is not of the result`() {
    var stoppingRule = PrecisionRule(plan: Self.plan(), precision: 0.01)
    for value in Self.spread(0.001) { stoppingRule.add(Self.record(launch: value)) }
    for _ in 0..<100 {
      stoppingRule.add(Self.record(launch: 9_000_000, outcome: .timedOut))
      stoppingRule.add(Self.record(launch: 9_000_000, reached: .notReached(reason: "mapped")))
      stoppingRule.add(
        Self.record(
          launch: 9_000_000,
          disturbances: [Disturbance(kind: .throttling, amount: 1, limit: 0)]
        )
      )
    }
    #expect(stoppingRule.isEnough(atLook: 0))
  }

  // MARK: - The loop

  /// Asks at every look, and has enough at one of them.
  private struct LookingSink: LaunchLoop.Sink {
    var enoughAt: Int?
    var blocks = 0
    let looks = Looks()

    final class Looks {
      var asked: [Int] = []
    }

    mutating func take(_ record: LaunchRecord, at now: Nanoseconds) {}

    mutating func endBlock(at now: Nanoseconds) { blocks += 1 }

    func isEnough(atLook look: Int) -> Bool {
      looks.asked.append(look)
      return look == enoughAt
    }
  }

  struct Ending: Sendable, CustomTestStringConvertible {
    var firstBlock = 0
    var enoughAt: Int?
    var launched: Int
    var asked: [Int]
    var testDescription: String { "from \(firstBlock), enough at \(enoughAt ?? -1)" }
  }

  @Test(arguments: [
    Ending(enoughAt: nil, launched: 60, asked: [0, 1, 2, 3, 4, 5]),
    Ending(enoughAt: 0, launched: 10, asked: [0]),
    Ending(enoughAt: 4, launched: 40, asked: [0, 1, 2, 3, 4]),
    Ending(firstBlock: 10, enoughAt: 0, launched: 0, asked: [0]),
    Ending(firstBlock: 15, enoughAt: 0, launched: 45, asked: [2, 3, 4, 5]),
    Ending(firstBlock: 20, enoughAt: 2, launched: 0, asked: [2]),
  ])
  func `ends a run at the look that has enough`(ending: Ending) throws {
    var laboratory = FakeLaboratory { _, _ in .ready }
    var sink = LookingSink(enoughAt: ending.enoughAt)
    let loop = LaunchLoop(plan: Self.plan(), firstBlock: ending.firstBlock)
    #expect(try loop.run(on: &laboratory, into: &sink).isComplete)
    #expect(sink.blocks == ending.launched)
    #expect(sink.looks.asked == ending.asked)
  }

  /// With a clock that moves at every reading, some blocks fit into every time.
  @Test func `ends a run after its time, not before the first look`() throws {
    func launched(within limit: Nanoseconds?) throws -> Int {
      var laboratory = FakeLaboratory { _, _ in .ready }
      var sink = LookingSink()
      let loop = LaunchLoop(plan: Self.plan(timeLimit: limit))
      #expect(try loop.run(on: &laboratory, into: &sink).isComplete)
      return sink.blocks
    }
    let readings = { () throws in
      var laboratory = FakeLaboratory { _, _ in .ready }
      var sink = LookingSink()
      _ = try LaunchLoop(plan: Self.plan()).run(on: &laboratory, into: &sink)
      return laboratory.now
    }
    #expect(try launched(within: nil) == 60)
    #expect(try launched(within: .zero) == 10)
    #expect((20..<50).contains(try launched(within: Nanoseconds(try readings().count / 2))))
    #expect(try launched(within: .milliseconds(1_000)) == 60)
  }
}
