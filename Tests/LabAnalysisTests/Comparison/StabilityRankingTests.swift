import Foundation
import Testing

@testable import LabChecks
@testable import LaunchCore

@Suite struct StabilityRankingTests {
  private func noise(
    _ state: LaunchState,
    _ effects: [Int: Double],
    variation: Double = 0.1
  ) -> HostNoise {
    HostNoise(
      run: "r",
      measuredAt: Date(timeIntervalSince1970: 0),
      fingerprint: "f",
      command: ["true"],
      state: state,
      pairs: 60,
      median: 1e6,
      coefficientOfVariation: variation,
      detectable: effects.sorted { $0.key < $1.key }
        .map { DetectableEffect(pairs: $0.key, effect: $0.value) },
      comparisons: 42,
      falseAlarms: 1
    )
  }

  private func host(
    _ name: String,
    _ noise: [HostNoise],
    command: [String] = ["true"]
  ) -> HostStability {
    HostStability(name: name, cpuModel: nil, fingerprint: "f", command: command, noise: noise)
  }

  @Test func `orders hosts by their worst state`() throws {
    let rankings = StabilityRanking.rankings(of: [
      host("uneven", [noise(.warm, [20: 0.03]), noise(.rebootCold, [20: 0.5])]),
      host("even", [noise(.warm, [20: 0.1]), noise(.rebootCold, [20: 0.2])]),
    ])
    let ranking = try #require(rankings.first)
    #expect(ranking.places.map(\.host.name) == ["even", "uneven"])
    #expect(ranking.places.map(\.state) == [.rebootCold, .rebootCold])
    #expect(ranking.places.map(\.effect) == [0.2, 0.5])
    #expect(ranking.places.map(\.falseAlarms) == [2, 2])
    #expect(ranking.places.map(\.comparisons) == [84, 84])
  }

  @Test func `compares at the most pairs that all have`() throws {
    let ranking = try #require(
      StabilityRanking.rankings(of: [
        host("a", [noise(.warm, [10: 0.3, 20: 0.2, 50: 0.01])]),
        host("b", [noise(.warm, [10: 0.2, 20: 0.1])]),
      ]).first
    )
    #expect(ranking.pairs == 20)
    #expect(ranking.places.map(\.host.name) == ["b", "a"])
  }

  @Test func `compares only states that all have`() throws {
    let ranking = try #require(
      StabilityRanking.rankings(of: [
        host("a", [noise(.warm, [20: 0.1])]),
        host("b", [noise(.warm, [20: 0.05]), noise(.rebootCold, [20: 0.9])]),
      ]).first
    )
    #expect(ranking.states == [.warm])
    #expect(ranking.places.map(\.host.name) == ["b", "a"])
    #expect(ranking.places.map(\.comparisons) == [42, 42])
  }

  @Test func `the coefficient of variation decides between equals`() throws {
    let ranking = try #require(
      StabilityRanking.rankings(of: [
        host("a", [noise(.warm, [20: 0.1], variation: 0.2)]),
        host("b", [noise(.warm, [20: 0.1], variation: 0.1)]),
      ]).first
    )
    #expect(ranking.places.map(\.host.name) == ["b", "a"])
  }

  @Test func `ranks hosts that launched another command apart`() {
    let rankings = StabilityRanking.rankings(of: [
      host("a", [noise(.warm, [20: 0.1])]),
      host("b", [noise(.warm, [20: 0.05])], command: ["node"]),
      host("c", [noise(.warm, [20: 0.01])]),
    ])
    #expect(rankings.map(\.command) == [["true"], ["node"]])
    #expect(rankings.map { $0.places.map(\.host.name) } == [["c", "a"], ["b"]])
  }

  @Test(arguments: [LaunchState.warm, .rebootCold])
  func `does not rank hosts that share no state or no number of pairs`(state: LaunchState) throws {
    let ranking = try #require(
      StabilityRanking.rankings(of: [
        host("a", [noise(.warm, [20: 0.1])]), host("b", [noise(state, [10: 0.1])]),
      ]).first
    )
    #expect(ranking.places.isEmpty)
    #expect(ranking.pairs == nil)
    #expect(ranking.unranked == ["a", "b"])
  }
}
