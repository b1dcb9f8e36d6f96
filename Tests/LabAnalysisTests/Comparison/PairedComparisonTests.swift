import Foundation
import Testing

@testable import Comparison
@testable import LaunchCore
@testable import LaunchStatistics

@Suite struct PairedComparisonTests {
  /// Twenty-one pairs whose ratio is spread evenly by 1 % around a centre, neighbours apart.
  private func pairs(around ratio: Double, spread: Double = 0.01) throws -> PairedRatio {
    try PairedRatio(
      (0...20).map { (100, 100 * ratio * exp(spread * Double($0 * 8 % 21 - 10) / 10)) }
    )
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let ratio: Double
    let verdict: Verdict

    var testDescription: String { "\(ratio) is \(verdict)" }
  }

  @Test(arguments: [
    Case(ratio: 1, verdict: .same), Case(ratio: 1.01, verdict: .same),
    Case(ratio: 1.02, verdict: .inconclusive), Case(ratio: 1.05, verdict: .regression),
    Case(ratio: 0.95, verdict: .improvement), Case(ratio: 1 / 1.02, verdict: .inconclusive),
  ])
  func `the whole interval decides`(test: Case) throws {
    let comparison = PairedComparison(try pairs(around: test.ratio))
    #expect(comparison.verdict == test.verdict)
    #expect((comparison.doubt == .wideInterval) == (test.verdict == .inconclusive))
    #expect(comparison.count == 21)
    #expect(abs(comparison.ratio - test.ratio) < 1e-9)
  }

  @Test func `an interval across the limit is no verdict, however large the effect`() throws {
    let comparison = PairedComparison(try pairs(around: 1.5, spread: 1.5))
    #expect(comparison.effect > 0.4)
    #expect(comparison.verdict == .inconclusive)
  }

  @Test func `less than six pairs are no verdict`() throws {
    let comparison = PairedComparison(
      try PairedRatio([(Double, Double)](repeating: (1, 2), count: 5))
    )
    #expect(comparison.verdict == .inconclusive)
    #expect(comparison.doubt == .fewPairs)
    #expect(comparison.interval == nil)
    #expect(comparison.smallestDetectable == nil)
  }

  @Test(arguments: [1.05, 1 / 1.05])
  func `an effect below the noise floor is no verdict`(ratio: Double) throws {
    let pairs = try pairs(around: ratio)
    let noisy = PairedComparison(pairs, rule: ComparisonRule(noiseFloor: 0.06))
    #expect(noisy.verdict == .inconclusive)
    #expect(noisy.doubt == .belowNoiseFloor)
    #expect(PairedComparison(pairs, rule: ComparisonRule(noiseFloor: 0.04)).isDifference)
  }

  @Test func `a noise floor does not make the same different or doubtful`() throws {
    let rule = ComparisonRule(noiseFloor: 0.06)
    #expect(PairedComparison(try pairs(around: 1), rule: rule).verdict == .same)
  }

  @Test func `more is better where the metric says so`() throws {
    let rule = ComparisonRule(direction: .higherIsBetter)
    #expect(PairedComparison(try pairs(around: 1.05), rule: rule).verdict == .improvement)
    #expect(PairedComparison(try pairs(around: 0.95), rule: rule).verdict == .regression)
  }

  @Test(arguments: [0.9, 0.98, 1, 1.03, 1.2])
  func `exchanging the sides turns the verdict over`(ratio: Double) throws {
    let series = try pairs(around: ratio)
    let turned = PairedRatio(logRatios: try Sample(series.logRatios.values.map { -$0 }))
    let opposite: [Verdict: Verdict] = [
      .regression: .improvement, .improvement: .regression,
    ]
    let verdict = PairedComparison(series).verdict
    #expect(PairedComparison(turned).verdict == opposite[verdict, default: verdict])
  }

  @Test func `the smallest detectable effect does not depend on the effect`() throws {
    let same = try #require(PairedComparison(try pairs(around: 1)).smallestDetectable)
    let slower = try #require(PairedComparison(try pairs(around: 1.3)).smallestDetectable)
    #expect(abs(same - slower) < 1e-9)
    #expect(same > 0.02 && same < 0.04)
  }
}
