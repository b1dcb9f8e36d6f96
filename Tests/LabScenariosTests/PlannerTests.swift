import Foundation
import Testing

@testable import LaunchCore
@testable import Scenarios

struct PlannerTests {
  @Test func `puts targets, then the floor, then counters, each in every state`() {
    let plan = Planner.plan(scenario(launches: 4, counters: ["cycles"]), seed: 1)
    let names = plan.arms.map { "\($0.target) \($0.state.rawValue) \($0.kind.rawValue)" }
    #expect(
      names == [
        "a reinstall-cold plain", "a warm plain", "b reinstall-cold plain", "b warm plain",
        "empty reinstall-cold plain", "empty warm plain", "b reinstall-cold counters",
        "b warm counters",
      ]
    )
    #expect(plan.blockCount == 4)
    #expect(plan.launchCount == 6 * 4 + 2 * 3)
  }

  @Test func `films three launches of each state of targets that are filmed`() {
    var scenario = scenario(launches: 4, counters: [])
    scenario.targets[1].isFilmed = true
    let plan = Planner.plan(scenario, seed: 1)
    let filmed = plan.arms.filter { $0.kind == .film }.map { "\($0.target) \($0.state.rawValue)" }
    #expect(filmed == ["b reinstall-cold", "b warm"])
    #expect(plan.launchCount == 6 * 4 + 2 * 3)
  }

  @Test func `launches each plain arm once in each block`() {
    let plan = Planner.plan(scenario(launches: 200, counters: []), seed: 7)
    let orders = (0..<plan.blockCount).map { plan.order(ofBlock: $0) }
    #expect(orders.allSatisfy { $0.sorted() == Array(plan.arms.indices) })
    #expect(orders.reduce(0) { $0 + $1.count } == plan.launchCount)
  }

  struct Spread: Sendable {
    var launches: Int
    var blocks: [Int]
  }

  @Test(arguments: [
    Spread(launches: 1, blocks: [0]),
    Spread(launches: 2, blocks: [0, 1]),
    Spread(launches: 3, blocks: [0, 1, 2]),
    Spread(launches: 30, blocks: [4, 14, 24]),
    Spread(launches: 1_000_000, blocks: [166_666, 499_999, 833_333]),
  ])
  func `spreads counter launches over the run`(expected: Spread) {
    let plan = Planner.plan(scenario(launches: expected.launches, counters: ["cycles"]), seed: 3)
    let candidates = Set(expected.blocks.flatMap { [$0 - 1, $0, $0 + 1] })
    let found = candidates.filter { (0..<plan.blockCount).contains($0) }.sorted().filter { block in
      plan.order(ofBlock: block).contains { plan.arms[$0].kind == .counters }
    }
    #expect(found == expected.blocks)
    #expect(plan.launchCount == 6 * expected.launches + 2 * expected.blocks.count)
  }

  /// Computed by a second implementation in Python.
  @Test func `gives the recorded order for a seed`() {
    let plan = Planner.plan(scenario(launches: 3, counters: []), seed: 42)
    #expect(
      (0..<3).map { plan.order(ofBlock: $0) } == [
        [2, 4, 0, 3, 5, 1], [0, 5, 3, 2, 4, 1], [4, 5, 2, 0, 1, 3],
      ]
    )
  }

  @Test func `keeps the looks of a plan that was stored when they doubled`() throws {
    var scenario = scenario(launches: 40, counters: [])
    scenario.adaptive = AdaptiveLaunches(most: 160, precision: 0.01)
    let plan = Planner.plan(scenario, seed: 1)
    #expect(plan.looks == [40, 57, 80, 113, 160])
    let stored = try JSONEncoder().encode(plan)
    #expect(try JSONDecoder().decode(Plan.self, from: stored).looks == plan.looks)
    var former = try #require(try JSONSerialization.jsonObject(with: stored) as? [String: Any])
    #expect(former.removeValue(forKey: "looksPerDoubling") != nil)
    let data = try JSONSerialization.data(withJSONObject: former)
    #expect(try JSONDecoder().decode(Plan.self, from: data).looks == [40, 80, 160])
  }

  /// 36 cells with 25 degrees of freedom: the 99.99 % quantile of chi-square is 60.1.
  @Test(arguments: [0, 1, 2, 1 << 63] as [UInt64])
  func `puts every arm in every position equally often`(seed: UInt64) {
    let plan = Planner.plan(scenario(launches: 6000, counters: []), seed: seed)
    let cells = counts(
      of: (0..<6000).flatMap { block in
        plan.order(ofBlock: block).enumerated().map { $0.offset * 6 + $0.element }
      },
      cells: 36
    )
    #expect(chiSquare(cells) < 60.1)
  }

  /// 720 orders of 6 arms; the 99.99 % quantile of chi-square with 719 degrees is 872.
  @Test func `draws every order equally often`() {
    let plan = Planner.plan(scenario(launches: 36_000, counters: []), seed: 5)
    var counts: [[Int]: Int] = [:]
    for block in 0..<36_000 { counts[plan.order(ofBlock: block), default: 0] += 1 }
    #expect(counts.count == 720)
    #expect(chiSquare(Array(counts.values)) < 872)
  }

  /// Where the first arm stands under one seed must say nothing of where it stands under the
  /// next: 36 cells with 25 degrees of freedom.
  @Test func `relates neither neighbouring seeds nor neighbouring blocks`() {
    func position(_ seed: UInt64, _ block: Int) -> Int {
      let plan = Planner.plan(scenario(launches: 6000, counters: []), seed: seed)
      return plan.order(ofBlock: block).firstIndex(of: 0) ?? 0
    }
    let seeds = (0..<6000).map { position($0, 0) }
    let blocks = (0..<6000).map { position(9, $0) }
    for sequence in [seeds, blocks] {
      let pairs = zip(sequence, sequence.dropFirst()).map { $0 * 6 + $1 }
      #expect(chiSquare(counts(of: pairs, cells: 36)) < 70)
    }
  }

  private func counts(of values: [Int], cells: Int) -> [Int] {
    values.reduce(into: Array(repeating: 0, count: cells)) { $0[$1] += 1 }
  }

  private func chiSquare(_ counts: [Int]) -> Double {
    let expected = Double(counts.reduce(0, +)) / Double(counts.count)
    return counts.reduce(0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
  }

  private func scenario(launches: Int, counters: [String]) -> Scenario {
    Scenario(
      name: "s",
      targets: [
        Target(name: "a", command: ["a"], directory: "/"),
        Target(name: "b", command: ["b"], directory: "/", counters: counters),
      ],
      states: [.reinstallCold, .warm],
      launches: launches,
      includesEmptyBaseline: true,
      directory: "/"
    )
  }
}
