import Foundation
import Testing

@testable import LaunchStatistics

/// How often a finding is made where there is nothing to find, and where there is.
@Suite struct CalibrationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let noise: Noise
    let count: Int

    /// Few enough for an unoptimised build.
    var samples: Int { min(1_000, 50_000 / count) }

    var testDescription: String { "\(noise.rawValue), n = \(count)" }

    static let all = Noise.allCases.flatMap { noise in
      [12, 20, 50, 200].map { Self(noise: noise, count: $0) }
    }
  }

  /// The dip test is exact for the uniform distribution, at 1 %: only there may the scatter of the
  /// samples, four standard errors of 0.25 %, be added.
  @Test(arguments: Case.all, [Finding.drift, .twoModes])
  func `is silent on independent values with one peak`(test: Case, finding: Finding) throws {
    let alarms = try rate(of: finding, samples: test.samples, count: test.count, seed: 2_026) {
      test.noise.draw(&$1)
    }
    let isWorstCase = test.noise == .uniform && finding == .twoModes
    #expect(alarms <= (isWorstCase ? 0.02 : 0.01))
  }

  /// A lone spike that happens to come first cannot be told from an effect of being first: with a
  /// chance of 3 % per launch that is 0.03 · 0.97^(n − 1) of all samples.
  @Test(arguments: Case.all)
  func `names a first value of independent values rarely`(test: Case) throws {
    let alarms = try rate(of: .firstValue, samples: test.samples, count: test.count, seed: 18) {
      test.noise.draw(&$1)
    }
    let alone = test.noise == .spiky ? 0.03 * pow(0.97, Double(test.count - 1)) : 0
    #expect(alarms <= 0.01 + alone)
  }

  @Test(arguments: Planted.all)
  func `finds what was planted`(planted: Planted) throws {
    let found = try rate(
      of: planted.finding,
      samples: 200,
      count: planted.count,
      seed: 19,
      planted.value
    )
    #expect(found >= planted.power)
  }

  @Test(arguments: [0.0, 10.0])
  func `a planted drift is told with its size and direction`(spread: Double) throws {
    var generator = SeededGenerator(seed: 4)
    let falling = try Sample(
      (0..<1_200).map { 1_000 - 0.1 * Double($0) + spread * generator.nextNormal() }
    )
    let drift = try #require(falling.drift)
    #expect(abs(drift.change + 119.9) < 4)
    #expect(abs(drift.share + 119.9 / 940) < 0.005)
  }

  @Test func `planted modes are told with their centres and shares`() throws {
    var generator = SeededGenerator(seed: 5)
    let sample = try Sample(
      (0..<100).map { (($0 * 7) % 10 < 6 ? 1.2 : 1.9) + 0.05 * generator.nextNormal() }
    )
    let modes = try #require(sample.bimodality)
    #expect(modes.low.share == 0.6)
    #expect(modes.high.share == 0.4)
    #expect(abs(modes.low.center - 1.2) < 0.02)
    #expect(abs(modes.high.center - 1.9) < 0.02)
  }

  @Test func `a first value is told as a multiple of the others`() throws {
    let effect = try #require(
      try Sample([300, 100, 101, 99, 102, 98, 100]).firstValueEffect
    )
    #expect(effect == FirstValueEffect(value: 300, multiple: 3))
  }

  @Test func `one spike in the middle is neither a drift nor a mode nor a first value`() throws {
    var values = (0..<50).map { 100 + Double($0 * 7 % 11) }
    values[20] = 5_000
    let sample = try Sample(values)
    #expect(sample.outliers == Outliers(low: 0, high: 1))
    #expect(Finding.allCases.allSatisfy { !$0.isFound(in: sample) })
  }

  @Test func `a significant change below 2 % is no drift`() throws {
    #expect(try Sample((0..<50).map { 1_000 + 0.3 * Double($0) }).drift == nil)
    #expect(try Sample((0..<50).map { 1_000 + 0.6 * Double($0) }).drift != nil)
  }
}
