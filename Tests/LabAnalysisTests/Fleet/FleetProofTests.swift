import Foundation
import Testing

@testable import Comparison
@testable import History
@testable import LaunchCore
@testable import LaunchStatistics

@Suite struct FleetProofTests {
  /// A host whose interval is a factor wide on both sides.
  static func host(
    _ host: Int,
    _ ratio: Double,
    factor: Double = 1.01,
    pairs: Int = 40
  ) -> HostRatio {
    HostRatio(
      host: "h\(host)",
      pairs: pairs,
      ratio: ratio,
      interval: Interval(low: ratio / factor, high: ratio * factor)
    )
  }

  static func isClose(_ value: Double?, _ other: Double) -> Bool {
    abs((value ?? .nan) - other) < 1e-12
  }

  @Test func `equal intervals give the mean, and half the width for four hosts`() throws {
    let ratios = [1.03, 1.05, 1.04, 1.06]
    let proof = try #require(FleetProof(ratios.enumerated().map { Self.host($0, $1) }))
    let mean = ratios.reduce(0) { $0 + log($1) } / 4
    #expect(Self.isClose(proof.ratio, exp(mean)))
    #expect(Self.isClose(proof.interval.low, exp(mean - log(1.01) / 2)))
    #expect(Self.isClose(proof.interval.high, exp(mean + log(1.01) / 2)))
    #expect(proof.verdict == .regression)
    #expect(proof.pairs == 160)
    // With equal weights tau² is the variance between hosts less that of one host.
    let variance = try #require(try Sample(ratios.map { log($0) }).variance)
    let error = log(1.01) / StudentT.quantile(0.975, degreesOfFreedom: .infinity)
    #expect(Self.isClose(proof.tau, (variance - error * error).squareRoot()))
  }

  @Test func `a host with a wider interval counts for less, a sharper one not for more`() throws {
    let wide = [Self.host(0, 1), Self.host(1, 1), Self.host(2, 1.1, factor: 1.01 * 1.01)]
    #expect(Self.isClose(log(try #require(FleetProof(wide)?.ratio)), log(1.1) / 9))
    let sharp = [Self.host(0, 1), Self.host(1, 1), Self.host(2, 1.1, factor: 1)]
    #expect(Self.isClose(log(try #require(FleetProof(sharp)?.ratio)), log(1.1) / 3))
  }

  @Test func `hosts without scatter count the same`() throws {
    let proof = try #require(
      FleetProof([1, 1.01, 1.02].enumerated().map { Self.host($0, $1, factor: 1) })
    )
    #expect(Self.isClose(proof.interval.low, proof.ratio))
    #expect(Self.isClose(proof.ratio, exp((log(1.01) + log(1.02)) / 3)))
    #expect(Self.isClose(proof.tau, try Sample([0, log(1.01), log(1.02)]).standardDeviation ?? 0))
    let equal = try #require(FleetProof((0..<4).map { Self.host($0, 1.03, factor: 1) }))
    #expect(equal.verdict == .regression)
    #expect(equal.tau == 0)
  }

  @Test func `hosts without an interval are left out`() {
    let none = HostRatio(host: "h9", pairs: 3, ratio: 2, interval: nil)
    let zero = HostRatio(host: "h8", pairs: 40, ratio: 0, interval: Interval(low: 0, high: 0))
    #expect(FleetProof([none, zero]) == nil)
    #expect(FleetProof([]) == nil)
    let one = FleetProof([none, Self.host(1, 1.01), zero])
    #expect(one?.hosts.map(\.host) == ["h1"])
    #expect(one?.tau == nil)
    #expect(Self.isClose(one?.interval.low, 1))
    #expect(one?.verdict == .inconclusive)
  }

  @Test func `takes the comparisons of hosts, and the direction of the metric`() throws {
    let pairs = try PairedRatio((0..<40).map { (1, 1.1 + 0.001 * Double($0 % 5)) })
    var arm = ArmComparison(
      pair: ComparedPair(name: "a@b", baseline: "a@b@1a2b3c4", candidate: "a@b@5d6e7f8"),
      state: .warm,
      metric: .launch,
      comparison: PairedComparison(pairs),
      unpaired: 0,
      smallestDetectable: nil
    )
    let ratio = HostRatio(host: "h0", arm: arm)
    #expect(ratio.interval == pairs.interval())
    #expect([ratio.good, ratio.bad] == ["1a2b3c4", "5d6e7f8"])
    let higher = ComparisonRule(direction: .higherIsBetter)
    #expect(FleetProof([ratio], rule: higher)?.verdict == .improvement)
    arm.obstacle = .disturbed
    #expect(HostRatio(host: "h0", arm: arm).interval == nil)
  }

  struct Case: Sendable {
    let pairs: Int
    let deviations: [Double]
    var most = FleetLimits.proofHosts
    let shares: [Int]
  }

  @Test(arguments: [
    Case(pairs: 640, deviations: [], shares: []),
    Case(pairs: 640, deviations: [1], shares: [640]),
    Case(pairs: 640, deviations: [1, 5], shares: [320, 320]),
    Case(pairs: 160, deviations: [1, 1, 1, 1, 1, 1], shares: [40, 40, 40, 40]),
    Case(pairs: 160, deviations: [1, 1.5, 2.1, 2.2], shares: [80, 80]),
    Case(pairs: 162, deviations: [1, 1, 2, 2], shares: [41, 41, 40, 40]),
    Case(pairs: 20, deviations: [0, 0, 0, 0], shares: [7, 7, 6]),
    Case(pairs: 160, deviations: [1, 1, 1, 1], most: 3, shares: [54, 53, 53]),
    Case(pairs: 160, deviations: [1, 1, 1, 1], most: 0, shares: []),
    Case(pairs: 5, deviations: [1, 1], shares: []),
  ])
  func `divides pairs among the steadiest hosts`(test: Case) {
    let ranking = test.deviations.enumerated().map {
      HostStability(host: "h\($0)", deviation: $1, disturbed: 0)
    }
    let plan = ProofPlan(pairs: test.pairs, on: ranking, atMost: test.most)
    #expect((plan?.shares.map(\.pairs) ?? []) == test.shares)
    #expect((plan?.shares.map(\.host) ?? []) == test.shares.indices.map { "h\($0)" })
  }
}
