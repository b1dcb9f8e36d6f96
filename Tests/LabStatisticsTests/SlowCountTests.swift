import Testing

@testable import LaunchStatistics

/// Slow launches of nights, and shares, against SciPy.
@Suite struct SlowCountTests {
  struct Case: Decodable {
    var baseline: [[Double]]
    var last: [[Double]]
    var limit: Double
    var share: Double
    var correlation: Double
    var tonight: Double
    var together: Double
  }

  struct Interval: Decodable {
    var count: Int
    var total: Int
    var low: Double
    var high: Double
  }

  @Test func `counts as the reference does`() throws {
    let cases = try fixture("slow-counts", as: [Case].self)
    #expect(cases.count == 20)
    #expect(cases.contains { $0.tonight < 0.01 } && cases.contains { $0.correlation > 0 })
    for wanted in cases {
      let count = try #require(SlowCount(baseline: wanted.baseline))
      #expect(abs(count.limit - wanted.limit) < 1e-9)
      #expect(abs(count.share - wanted.share) < 1e-9)
      #expect(abs(count.correlation - wanted.correlation) < 1e-9)
      let slow = wanted.last.map(count.count)
      let launches = wanted.last[2].count
      #expect(abs(count.upperTail(slow[2], of: launches) - wanted.tonight) < 1e-9)
      let together = count.upperTail(slow.reduce(0, +), of: 3 * launches, nights: 3)
      #expect(abs(together - wanted.together) < 1e-9)
    }
  }

  @Test func `gives the exact interval of a share`() throws {
    for wanted in try fixture("share-intervals", as: [Interval].self) {
      let found = ShareInterval.exact(wanted.count, of: wanted.total)
      #expect(abs(found.low - wanted.low) < 1e-9)
      #expect(abs(found.high - wanted.high) < 1e-9)
    }
  }

  @Test func `counts launches that never came, and compares nights of other lengths`() throws {
    let calm = Array(repeating: 1.0, count: 20)
    let never = Double.greatestFiniteMagnitude
    let baseline = (0..<10).map { Array(calm.prefix($0 % 2 == 0 ? 20 : 10)) }
    let count = try #require(SlowCount(baseline: baseline))
    #expect(count.limit == SlowCount.leastLimit)
    #expect(count.launches == 150)
    #expect(count.count(of: calm.dropLast(2) + [never, 1.11]) == 2)
    #expect(SlowCount(baseline: [calm]) == nil)
    #expect(SlowCount.limit(of: []) == SlowCount.leastLimit)
  }
}
