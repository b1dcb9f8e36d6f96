import Testing

@testable import LaunchStatistics

@Suite struct DipTests {
  struct Case: Decodable, CustomTestStringConvertible {
    let name: String
    let values: [Double]
    let dip: Double

    var testDescription: String { name }
  }

  @Test(arguments: try fixture("dips", as: [Case].self))
  func `agrees with a linear programme over all unimodal distributions`(expected: Case) throws {
    #expect(agree(try Sample(expected.values).dip, expected.dip, within: 1e-7))
  }

  struct Quantile: Decodable {
    let count: Int
    let scaledQuantile: Double
  }

  @Test(arguments: try fixture("dip-quantiles", as: [Quantile].self))
  func `the limit is the simulated quantile, rather too high than too low`(expected: Quantile) {
    let limit = Sample.dipLimit(count: expected.count) * Double(expected.count).squareRoot()
    #expect(limit > 0.99 * expected.scaledQuantile)
    #expect(limit < 1.03 * expected.scaledQuantile)
  }

  @Test(arguments: [1, 2, 9])
  func `a constant sample has the smallest dip`(count: Int) throws {
    let sample = try Sample(Array(repeating: 3, count: count))
    #expect(sample.dip == 0.5 / Double(count))
  }

  @Test func `depends neither on the unit nor on the offset`() throws {
    var generator = SeededGenerator(seed: 2)
    let values = (0..<100).map { _ in generator.nextUniform() }
    let dip = try Sample(values).dip
    #expect(agree(try Sample(values.map { 1_000 * $0 - 300 }).dip, dip, within: 1e-9))
    #expect(agree(try Sample(values.map { -$0 }).dip, dip, within: 1e-9))
  }
}
