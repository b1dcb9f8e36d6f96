import Testing

@testable import Bisection

@Suite struct SizingTests {
  private static func sizing(confirming: [Double]) -> Sizing {
    let old = PairTest.interval(confirming, confidence: 0.95, isExact: false)
    return Sizing(
      change: FoundChange(revisions: 1...1, effect: old, probability: 1),
      builds: PairOfBuilds(0, 1),
      confirming: confirming,
      count: 32,
      most: 128
    )
  }

  private static func ratios(around middle: Double) -> [Double] {
    (0..<32).map { middle + 0.001 * Double($0 % 8) }
  }

  @Test func `tells the size of the new pairs`() {
    let sizing = Self.sizing(confirming: Self.ratios(around: 0.101))
    let new = Self.ratios(around: 0.1)
    let interval = PairTest.interval(new, confidence: 0.95, isExact: false)
    #expect(sizing.size(interval, of: new, isExact: false) == interval)
  }

  @Test func `tells both where the confirming pairs say otherwise`() {
    let sizing = Self.sizing(confirming: Self.ratios(around: 0.5))
    let new = Self.ratios(around: 1)
    let interval = PairTest.interval(new, confidence: 0.95, isExact: false)
    let told = sizing.size(interval, of: new, isExact: false)
    #expect(told.lower < 0.51 && told.upper > 1)
    #expect((0.6...0.9).contains(told.estimate))
  }
}
