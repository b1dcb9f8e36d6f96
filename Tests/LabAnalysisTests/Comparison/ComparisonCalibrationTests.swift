import Foundation
import Testing

@testable import Comparison
@testable import LaunchCore
@testable import LaunchStatistics

/// How often two programs are called different that are not, and that are.
///
/// Each case prints its line of the table in Tests/CALIBRATION.md, there with more comparisons.
@Suite struct ComparisonCalibrationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let noise: ComparisonNoise
    var effect = 0.0
    var looks = [50]

    /// The most, or with an effect the least, that may be called different.
    var bound = 0.01

    var testDescription: String {
      "\(noise.rawValue), effect \(effect), looks \(looks.map(String.init).joined(separator: " "))"
    }

    /// With the confidence of each look.
    var rule: ComparisonRule {
      ComparisonRules(base: ComparisonRule(), looks: looks.count).rule(
        for: ComparedPair(name: "", baseline: "A", candidate: "B"),
        in: .warm,
        of: .launch,
        pairs: 0
      )
    }
  }

  /// A multiple of what is fast enough for an unoptimised build; more show the rates better.
  static let scale = Int(ProcessInfo.processInfo.environment["CALIBRATION_SCALE"] ?? "") ?? 1

  static let several = [20, 28, 40, 57, 80, 113, 160, 200]

  private func share(of test: Case, comparisons: Int) throws -> Double {
    let found = try test.noise.rate(
      comparisons: comparisons * Self.scale,
      effect: test.effect,
      looks: test.looks,
      rule: test.rule,
      seed: 2_027
    ) { $0.isDifference }
    let called = String(format: "%5.1f %% different", 100 * found.share)
    print("calibration: \(test): \(called), \(Int(found.pairs.rounded())) pairs each")
    return found.share
  }

  /// With 20 pairs of launches that have two modes the interval is too narrow: 2 of 100.
  static let same =
    ComparisonNoise.allCases.flatMap { noise in
      [[20], [50], [100], several].map { looks in
        Case(noise: noise, looks: looks, bound: noise == .twoModes && looks == [20] ? 0.03 : 0.01)
      }
    }

  @Test(arguments: same)
  func `calls a program different from itself in at most 1 of 100 comparisons`(
    test: Case
  ) throws {
    #expect(try share(of: test, comparisons: 300) <= test.bound)
  }

  static let different = [
    Case(noise: .normal, effect: 0.1, bound: 0.95),
    Case(noise: .outliers, effect: 0.1, bound: 0.9),
    Case(noise: .drift, effect: 0.1, bound: 0.9), Case(noise: .blocks, effect: 0.1, bound: 0.9),
    Case(noise: .outliers, effect: 0.1, looks: [20], bound: 0.8),
    Case(noise: .twoModes, effect: 0.1, looks: [100], bound: 0.3),
    Case(noise: .outliers, effect: 0.05, bound: 0.4),
    Case(noise: .outliers, effect: 0.05, looks: [100], bound: 0.8),
    Case(noise: .outliers, effect: 0.03, bound: 0),
    Case(noise: .outliers, effect: 0.03, looks: [100], bound: 0),
    Case(noise: .outliers, effect: 0.1, looks: several, bound: 0.95),
    Case(noise: .outliers, effect: 0.05, looks: several, bound: 0.9),
    Case(noise: .twoModes, effect: 0.1, looks: several, bound: 0.5),
  ]

  @Test(arguments: different)
  func `finds what was planted`(test: Case) throws {
    #expect(try share(of: test, comparisons: 100) >= test.bound)
  }

  /// Without an effect limit the interval alone decides, which lets 5 of 100 through at each look.
  ///
  /// Of 1,000 comparisons 5 % are known to 0.7 %, of which three are allowed for.
  @Test(arguments: [ComparisonNoise.normal, .outliers])
  func `looking eight times makes no more false alarms than looking once`(
    noise: ComparisonNoise
  ) throws {
    let once = ComparisonRule(effectLimit: 0)
    func alarms(_ rule: ComparisonRule) throws -> Double {
      try noise.rate(
        comparisons: 1_000 * Self.scale,
        effect: 0,
        looks: Self.several,
        rule: rule,
        seed: 7
      ) { $0.isDifference }.share
    }
    let naive = try alarms(once)
    let adjusted = try alarms(
      once.confident(
        by: BonferroniCorrection.confidence(once.confidence, looks: Self.several.count)
      )
    )
    print("calibration: looks without limit, \(noise): naive \(naive), adjusted \(adjusted)")
    #expect(naive > 0.12)
    #expect(adjusted <= 0.07)
  }

  // MARK: - As few pairs as the best estimator

  /// Those of `compare` without `--launches`, up to 320 pairs.
  static let adaptive = [10, 14, 20, 28, 40, 57, 80, 113, 160, 226, 320]

  static let shapes: [ComparisonNoise] = [
    .normal, .outliers, .twoModes, .farModes, .skewed, .laplace,
  ]

  /// An interval of the location of log-ratios, by a single estimator.
  typealias Rival = @Sendable (Sample, Double) -> Interval

  static let rivals: [(name: String, interval: Rival)] = [
    ("median", { $0.signInterval(confidence: $1) }),
    (
      "Hodges-Lehmann",
      { sample, confidence in
        let averages = HodgesLehmann(sample.values, confidence: confidence)
        return Interval(low: averages.lower, high: averages.upper)
      }
    ),
    (
      "t",
      { sample, confidence in
        let score = StudentT.quantile(
          (1 + confidence) / 2,
          degreesOfFreedom: Double(sample.count - 1)
        )
        let half = score * (sample.standardDeviation ?? 0) / Double(sample.count).squareRoot()
        return Interval(low: sample.mean - half, high: sample.mean + half)
      }
    ),
  ]

  /// After how many pairs an interval has a verdict.
  private func pairs(of ratio: PairedRatio, until interval: (PairedRatio) -> Interval?) -> Int {
    let limit = log(1.02)
    return Self.adaptive.first { look in
      guard let bounds = ratio.part(0..<look).flatMap(interval) else { return false }
      return bounds.low > limit || bounds.high < -limit
        || (bounds.low >= -limit && bounds.high <= limit)
    } ?? Self.adaptive[Self.adaptive.count - 1]
  }

  /// The goal is a tenth more than the best; of 100 comparisons means are known to some 5 %.
  @Test(arguments: shapes)
  func `decides with hardly more pairs than the best estimator`(noise: ComparisonNoise) throws {
    let confidence = BonferroniCorrection.confidence(0.95, looks: Self.adaptive.count)
    var generator = SeededGenerator(seed: 320)
    var ours = 0
    var theirs = [Int](repeating: 0, count: Self.rivals.count)
    let comparisons = 100 * Self.scale
    for _ in 0..<comparisons {
      let ratio = try PairedRatio(noise.pairs(320, effect: 0.05, &generator))
      ours += pairs(of: ratio) { part in
        part.interval(confidence: confidence)
          .map { Interval(low: log($0.low), high: log($0.high)) }
      }
      for (index, rival) in Self.rivals.enumerated() {
        theirs[index] += pairs(of: ratio) { rival.interval($0.logRatios, confidence) }
      }
    }
    let means = zip(Self.rivals, theirs).map { "\($0.name) \($1 / comparisons)" }
    print("calibration: pairs, \(noise.rawValue): \(ours / comparisons), \(means)")
    #expect(Double(ours) <= 1.15 * Double(theirs.min() ?? 0))
  }

  /// Of 1,000 intervals 95 % are known to 0.7 %.
  @Test(arguments: shapes, [10, 20, 50])
  func `holds the true ratio in 95 of 100 comparisons`(noise: ComparisonNoise, n: Int) throws {
    var generator = SeededGenerator(seed: 95)
    let comparisons = 1_000 * Self.scale
    var held = 0
    for _ in 0..<comparisons {
      let ratio = try PairedRatio(noise.pairs(n, effect: 0, &generator))
      let interval = try #require(ratio.interval())
      if interval.low <= 1, interval.high >= 1 { held += 1 }
    }
    let share = Double(held) / Double(comparisons)
    print("calibration: coverage, \(noise.rawValue), \(n) pairs: \(share)")
    #expect(share > 0.92 && share < 0.98)
  }
}
