import Testing

@testable import LaunchStatistics

@Suite struct SampleFixtureTests {
  struct Quantile: Decodable {
    let p: Double
    let value: Double
  }

  struct Case: Decodable, CustomTestStringConvertible {
    let name: String
    let values: [Double]
    let mean: Double
    let variance: Double
    let median: Double
    let mad: Double
    let quantiles: [Quantile]
    let lowOutliers: Int
    let highOutliers: Int
    let trendScore: Double
    let slope: Double?

    var testDescription: String { name }
  }

  @Test func `there are cases`() throws {
    #expect(try fixture("estimates", as: [Case].self).count >= 10)
  }

  @Test(arguments: try fixture("estimates", as: [Case].self))
  func `moments agree with exact fractions`(expected: Case) throws {
    let sample = try Sample(expected.values)
    #expect(agree(sample.mean, expected.mean))
    #expect(agree(try #require(sample.variance), expected.variance))
    let estimates = sample.estimates
    let deviation = expected.variance.squareRoot()
    #expect(agree(try #require(estimates.standardDeviation), deviation))
    #expect(agree(try #require(estimates.coefficientOfVariation), deviation / expected.mean))
  }

  @Test(arguments: try fixture("estimates", as: [Case].self))
  func `order statistics agree with numpy`(expected: Case) throws {
    let sample = try Sample(expected.values)
    #expect(agree(sample.median, expected.median))
    #expect(agree(sample.medianAbsoluteDeviation, expected.mad))
    let found = expected.quantiles.map { sample.quantile($0.p) }
    #expect(zip(found, expected.quantiles).allSatisfy { agree($0, $1.value) })
  }

  @Test(arguments: try fixture("estimates", as: [Case].self))
  func `outliers agree with the formula in numpy`(expected: Case) throws {
    let found = try Sample(expected.values).outliers
    #expect(found == Outliers(low: expected.lowOutliers, high: expected.highOutliers))
  }

  @Test(arguments: try fixture("estimates", as: [Case].self))
  func `the trend agrees with scipy`(expected: Case) throws {
    let sample = try Sample(expected.values)
    #expect(agree(sample.trendScore, expected.trendScore))
    if let slope = expected.slope { #expect(agree(sample.slope, slope)) }
  }
}
