import Testing

@testable import LaunchStatistics

@Suite struct SampleTests {
  @Test func `rejects an empty sample`() {
    #expect(throws: StatisticsError.noValues) { try Sample([]) }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `rejects a value that is not finite and says which`(value: Double) {
    #expect(throws: StatisticsError.notFinite(index: 1)) { try Sample([1, value, 2]) }
  }

  @Test func `keeps the order of collection beside the sorted values`() throws {
    let sample = try Sample([3, 1, 2])
    #expect(sample.values == [3, 1, 2])
    #expect(sample.sorted == [1, 2, 3])
    #expect(sample.range == 2)
  }

  @Test func `a single value has a median but no spread and no interval`() throws {
    let estimates = try Sample([42]).estimates
    #expect(estimates.mean == 42)
    #expect(estimates.median == 42)
    #expect(estimates.p95 == 42)
    #expect(estimates.medianAbsoluteDeviation == 0)
    #expect(estimates.variance == nil)
    #expect(estimates.standardDeviation == nil)
    #expect(estimates.coefficientOfVariation == nil)
    #expect(estimates.medianInterval == nil)
  }

  @Test func `four values get no interval and five do`() throws {
    #expect(try Sample([1, 2, 3, 4]).estimates.medianInterval == nil)
    #expect(try Sample([1, 2, 3, 4, 5]).estimates.medianInterval == Interval(low: 1, high: 5))
  }

  @Test func `a mean of zero has no coefficient of variation`() throws {
    #expect(try Sample([-1, 1]).estimates.coefficientOfVariation == nil)
  }

  @Test func `a constant sample has no spread and a point for an interval`() throws {
    let sample = try Sample(Array(repeating: 0.1, count: 1_000))
    #expect(sample.mean == 0.1)
    #expect(sample.variance == 0)
    #expect(sample.medianInterval() == Interval(low: 0.1, high: 0.1))
    #expect(sample.outliers.count == 0)
    #expect(sample.drift == nil)
    #expect(sample.firstValueEffect == nil)
    #expect(sample.bimodality == nil)
  }

  @Test func `a probability outside 0 to 1 is clamped`() throws {
    let sample = try Sample([1, 2, 3])
    #expect(sample.quantile(-1) == 1)
    #expect(sample.quantile(2) == 3)
  }
}
