import Foundation
import Testing

@testable import LaunchStatistics

@Suite struct IndependentRatioTests {
  struct Case: Decodable {
    let before: [Double]
    let after: [Double]
    let confidence: Double
    let ratio: Double
    let low: Double
    let high: Double
  }

  struct Skewness: Decodable, CustomTestStringConvertible {
    let name: String
    let values: [Double]
    let skewness: Double

    var testDescription: String { name }
  }

  @Test(arguments: try fixture("median-ratios", as: [Case].self))
  func `agrees with the formula in NumPy and SciPy`(expected: Case) throws {
    let ratio = try IndependentRatio(before: expected.before, after: expected.after)
    #expect(agree(ratio.ratio, expected.ratio))
    let interval = try #require(ratio.interval(confidence: expected.confidence))
    #expect(agree(interval.low, expected.low, within: 1e-11))
    #expect(agree(interval.high, expected.high, within: 1e-11))
  }

  @Test func `exchanging the samples turns the ratio over`() throws {
    let (before, after) = ([1.0, 2, 3, 4, 5.5, 6], [2.0, 3, 5, 7, 11])
    let there = try IndependentRatio(before: before, after: after)
    let back = try IndependentRatio(before: after, after: before)
    #expect(agree(there.ratio, 1 / back.ratio))
    #expect(agree(try #require(there.interval()).low, 1 / (try #require(back.interval()).high)))
  }

  @Test func `fewer than five values have a ratio and no interval`() throws {
    let ratio = try IndependentRatio(before: [2, 2, 2, 2], after: [3, 3, 3, 3, 3])
    #expect(agree(ratio.ratio, 1.5))
    #expect(ratio.interval() == nil)
  }

  @Test func `equal values have an interval without width`() throws {
    let ratio = try IndependentRatio(
      before: Array(repeating: 2, count: 5),
      after: Array(repeating: 3, count: 6)
    )
    let interval = try #require(ratio.interval())
    #expect(interval == Interval(low: ratio.ratio, high: ratio.ratio))
  }

  @Test func `values without a logarithm are refused`() {
    #expect(throws: StatisticsError.notFinite(index: 1)) {
      try IndependentRatio(before: [1], after: [1, 0])
    }
    #expect(throws: StatisticsError.noValues) { try IndependentRatio(before: [], after: [1]) }
  }

  /// Four standard errors of 1,000 samples are 2.8 %.
  @Test(arguments: [(5, 5), (7, 28), (30, 30)])
  func `the interval holds the true ratio as often as it says`(counts: (Int, Int)) throws {
    var generator = SeededGenerator(seed: 44)
    var held = 0
    for _ in 0..<1_000 {
      let before = (0..<counts.0).map { _ in 100 * exp(0.05 * generator.nextNormal()) }
      let after = (0..<counts.1).map { _ in 110 * exp(0.05 * generator.nextNormal()) }
      let ratio = try IndependentRatio(before: before, after: after)
      let interval = try #require(ratio.interval())
      if interval.low <= 1.1, 1.1 <= interval.high { held += 1 }
    }
    #expect(Double(held) / 1_000 > 0.95 - 0.028)
  }

  @Test(arguments: try fixture("skewness", as: [Skewness].self))
  func `skewness agrees with scipy`(expected: Skewness) throws {
    let skewness = try #require(try Sample(expected.values).skewness)
    #expect(agree(skewness, expected.skewness, within: 1e-9))
  }

  @Test func `two or equal values have no skewness`() throws {
    #expect(try Sample([1, 2]).skewness == nil)
    #expect(try Sample([3, 3, 3, 3]).skewness == nil)
  }

  @Test func `the robust deviation is 1.4826 MAD`() throws {
    #expect(try Sample([1, 2, 3, 4, 100]).robustDeviation == 1.4826)
  }
}
