import Testing

@testable import LaunchStatistics

@Suite struct BenjaminiHochbergTests {
  struct Case: Decodable {
    let p: [Double]
    let rate: Double
    let accepted: [Bool]
  }

  @Test(arguments: try fixture("discovery-rates", as: [Case].self))
  func `accepts what scipy accepts`(expected: Case) {
    #expect(BenjaminiHochberg.accepted(expected.p, rate: expected.rate) == expected.accepted)
  }

  @Test func `limits grow with the rank`() {
    #expect(BenjaminiHochberg.limits(count: 4, rate: 0.2) == [0.05, 0.1, 0.2 * 3 / 4, 0.2])
    #expect(BenjaminiHochberg.limits(count: 0, rate: 0.2).isEmpty)
  }

  @Test func `a probability that is no number counts but is not accepted`() {
    #expect(BenjaminiHochberg.accepted([.nan, 0.03], rate: 0.05) == [false, false])
    #expect(BenjaminiHochberg.accepted([.nan, 0.02], rate: 0.05) == [false, true])
    #expect(BenjaminiHochberg.accepted([], rate: 0.05).isEmpty)
  }

  @Test func `several looks share what may go wrong`() {
    #expect(BonferroniCorrection.confidence(0.95, looks: 1) == 0.95)
    #expect(BonferroniCorrection.confidence(0.95, looks: 0) == 0.95)
    #expect(agree(BonferroniCorrection.confidence(0.95, looks: 5), 0.99))
  }
}
