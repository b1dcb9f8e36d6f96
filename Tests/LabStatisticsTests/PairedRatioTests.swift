import Foundation
import Testing

@testable import LaunchStatistics

@Suite struct PairedRatioTests {
  /// Pairs, and what NumPy and SciPy say of their ratios.
  struct Expected: Decodable, Sendable, CustomTestStringConvertible {
    let baseline: [Double]
    let candidate: [Double]
    let shape: String
    let estimator: PairedRatio.Estimator
    let ratio: Double
    let low: Double
    let high: Double

    var testDescription: String { "\(baseline.count) \(shape) pairs" }

    func ratio(isExchanged: Bool = false) throws -> PairedRatio {
      let pairs = zip(baseline, candidate)
      return try PairedRatio(pairs.map { isExchanged ? ($1, $0) : ($0, $1) })
    }
  }

  private static let expected = Result { try fixture("paired-ratios", as: [Expected].self) }

  @Test(arguments: try expected.get())
  func `agrees with numpy and scipy`(expected: Expected) throws {
    let found = try expected.ratio()
    let interval = try #require(found.interval())
    #expect(found.estimator == expected.estimator)
    #expect(agree(found.ratio, expected.ratio))
    #expect(agree(interval.low, expected.low))
    #expect(agree(interval.high, expected.high))
  }

  @Test(arguments: try expected.get())
  func `turns over when the sides are exchanged`(expected: Expected) throws {
    let found = try expected.ratio()
    let exchanged = try expected.ratio(isExchanged: true)
    let interval = try #require(found.interval())
    let turned = try #require(exchanged.interval())
    #expect(agree(exchanged.ratio, 1 / found.ratio))
    #expect(agree(turned.low, 1 / interval.high))
    #expect(agree(turned.high, 1 / interval.low))
  }

  @Test func `has no interval for too few pairs`() throws {
    let five = try PairedRatio([(1, 2), (1, 2), (2, 2), (2, 2), (3, 2)])
    #expect(five.interval() == nil)
    #expect(agree(five.ratio, (4.0 / 3).squareRoot()))
    let six = try PairedRatio([(Double, Double)](repeating: (1, 2), count: 6))
    #expect(agree(try #require(six.interval()).low, 2))
    #expect(six.interval(confidence: 0.99) == nil)
  }

  @Test func `refuses values without a logarithm`() {
    #expect(throws: StatisticsError.notFinite(index: 1)) { try PairedRatio([(1, 1), (0, 1)]) }
    #expect(throws: StatisticsError.notFinite(index: 0)) { try PairedRatio([(-1, -1)]) }
    #expect(throws: StatisticsError.noValues) { try PairedRatio([]) }
  }

  @Test func `a slow minute that both sides share leaves the ratio as it is`() throws {
    let pairs = (0..<20).map { block in
      let slowness = block < 10 ? 1.0 : 3.0
      return (baseline: 100 * slowness, candidate: 110 * slowness)
    }
    let found = try PairedRatio(pairs)
    #expect(agree(found.ratio, 1.1, within: 1e-9))
    #expect(agree(try #require(found.interval()).high, 1.1, within: 1e-9))
  }
}
