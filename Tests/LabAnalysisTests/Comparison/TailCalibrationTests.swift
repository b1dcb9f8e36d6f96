import Foundation
import Testing

@testable import Comparison
@testable import LaunchCore
@testable import LaunchStatistics

/// How often slow launches are found, and said not to be there.
///
/// Each case prints its line of the table in Tests/CALIBRATION.md, there with `CALIBRATION_SCALE=25`. The
/// bounds leave room for the chance of fewer comparisons.
@Suite struct TailCalibrationTests {
  private static let scale = ComparisonCalibrationTests.scale

  private func outcomes(
    _ trial: TailTrial,
    _ comparisons: Int,
    seed: UInt64 = 48
  ) throws -> TailOutcomes {
    let found = try trial.outcomes(comparisons * Self.scale, seed: seed)
    let shares = [Verdict.regression, .same, .improvement].map {
      String(format: "%5.2f %% \($0.rawValue)", 100 * found.share(of: $0))
    }
    print(
      "tail: \(trial.noise.rawValue), \(trial.change), limit \(trial.tailLimit ?? 0): "
        + shares.joined(separator: ", ")
        + String(format: ", %.0f pairs", found.meanPairs)
        + String(format: ", coverage %.3f, bias %.3f", found.coverage, found.bias)
    )
    return found
  }

  @Test(arguments: TailNoise.allCases)
  func `a program is not called different from itself`(noise: TailNoise) throws {
    let found = try outcomes(TailTrial(noise: noise), 150)
    #expect(found.isDifferent <= (Self.scale == 1 ? 0.02 : 0.01))
    let most: [TailNoise: Double] = [.normal2: 65, .normal5: 260, .outliers3: 350]
    if let most = most[noise] {
      #expect(found.share(of: .same) >= (Self.scale == 1 ? 0.95 : 0.98))
      #expect(found.meanPairs <= most * (Self.scale == 1 ? 1.1 : 1))
    }
  }

  @Test(arguments: TailNoise.usual, [0.5, 1, 3])
  func `a quarter of slow launches is a regression`(noise: TailNoise, extra: Double) throws {
    let found = try outcomes(
      TailTrial(noise: noise, change: TailChange(share: 0.25, extra: extra)),
      30
    )
    #expect(found.share(of: .regression) >= (Self.scale == 1 ? 0.96 : 0.99))
    #expect(found.share(of: .same) <= (Self.scale == 1 ? 0 : 0.005))
    #expect(found.meanPairs <= 85)
    #expect(found.coverage >= (Self.scale == 1 ? 0.93 : 0.96))
    #expect(abs(found.bias) <= 0.04)
  }

  @Test(arguments: TailNoise.usual + [.outliers8], [0.5, 1, 3])
  func `a tenth of slow launches is a regression`(noise: TailNoise, extra: Double) throws {
    let found = try outcomes(
      TailTrial(noise: noise, change: TailChange(share: 0.1, extra: extra)),
      20
    )
    #expect(found.share(of: .regression) >= (Self.scale == 1 ? 0.9 : 0.97))
    #expect(found.share(of: .same) <= (Self.scale == 1 ? 0.1 : 0.02))
    #expect(found.meanPairs <= (noise == .outliers8 ? 420 : 260) * (Self.scale == 1 ? 1.15 : 1))
  }

  @Test(arguments: TailNoise.usual + [.outliers8])
  func `a twentieth of slow launches is seen by a limit of 5 %`(noise: TailNoise) throws {
    var trial = TailTrial(noise: noise, change: TailChange(share: 0.05, extra: 1))
    trial.tailLimit = 0.05
    let found = try outcomes(trial, 12)
    #expect(found.share(of: .same) <= (Self.scale == 1 ? 0.17 : 0.05))
    let least = noise == .outliers8 ? 0.65 : 0.95
    #expect(found.share(of: .regression) >= (Self.scale == 1 ? least - 0.2 : least))
  }

  @Test(arguments: TailNoise.usual + [.outliers8])
  func `what exceeds by just the limit is seldom called the same`(noise: TailNoise) throws {
    let found = try outcomes(
      TailTrial(noise: noise, change: TailChange(share: 0.1, extra: 2)),
      12,
      seed: 7
    )
    #expect(
      found.share(of: .same) <= (noise == .outliers8 ? 0.08 : 0.05) + (Self.scale == 1 ? 0.05 : 0)
    )
  }

  @Test(arguments: [TailNoise.normal2, .normal5, .normal10, .skewed, .outliers3, .bursts, .modes])
  func `shifts cost hardly more pairs than before`(noise: TailNoise) throws {
    let change = TailChange(shift: 0.05)
    let found = try outcomes(TailTrial(noise: noise, change: change), 40)
    let before = try outcomes(TailTrial(noise: noise, change: change, tailLimit: nil), 40)
    #expect(found.share(of: .regression) >= before.share(of: .regression) - 0.03)
    #expect(found.meanPairs <= 1.08 * before.meanPairs + (Self.scale == 1 ? 5 : 0))
  }

  @Test func `a regression one way is never the same the other way`() throws {
    var generator = SeededGenerator(seed: 3)
    for noise in TailNoise.allCases {
      let pairs = noise.pairs(200, TailChange(share: 0.2, extra: 0.5), &generator)
      let rule = TailTrial(noise: noise).rule
      let forth = PairedComparison(try PairedRatio(pairs), tail: try PairedTail(pairs), rule: rule)
      let turned = pairs.map { ($0.candidate, $0.baseline) }
      let back = PairedComparison(try PairedRatio(turned), tail: try PairedTail(turned), rule: rule)
      #expect(!(forth.verdict == .regression && back.verdict == .same))
      #expect(forth.tail?.worse == back.tail?.better)
      #expect(forth.tail?.atMost == back.tail?.atMostOfBaseline)
    }
  }
}
