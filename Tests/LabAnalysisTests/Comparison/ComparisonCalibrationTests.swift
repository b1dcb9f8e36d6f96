import Foundation
import LabAnalysis
import LabModel
import LabStatistics
import Testing

/// How often two programs are called different that are not, and that are.
///
/// Each case prints its line of the table in docs/methodology.md, there with more comparisons.
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

  static let several = [20, 40, 80, 160, 200]

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
  func `looking five times makes no more false alarms than looking once`(
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
}
