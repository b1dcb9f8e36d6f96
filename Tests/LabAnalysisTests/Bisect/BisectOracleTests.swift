import Foundation
import Testing

@testable import Bisection
@testable import LaunchStatistics

@Suite struct BisectOracleTests {
  struct Oracle: Decodable {
    let pairs: [Double]
    let hodgesLehmann99: [Double]
    let signedRankP: Double
    let fitTScaleNu4: [Double]
    let roundUpdate: RoundUpdate
    let mutualInformation: [String: Double]

    enum CodingKeys: String, CodingKey {
      case pairs
      case hodgesLehmann99 = "hodges_lehmann_99"
      case signedRankP = "signed_rank_p"
      case fitTScaleNu4 = "fit_t_scale_nu4"
      case roundUpdate = "round_update"
      case mutualInformation = "mutual_information"
    }
  }

  struct RoundUpdate: Decodable {
    let s1Start: Double
    let delta0: Double
    let pairs08: [[Double]]
    let rounds048: [[Double]]
    let posteriorK1ToN: [Double]
    let s1After: Double
    let levels: [Double]
    let pTwo: Double
    let pTau: [Double]
    let deltaAfter: Double

    enum CodingKeys: String, CodingKey {
      case s1Start = "s1_start"
      case delta0
      case pairs08 = "pairs_0_8"
      case rounds048 = "rounds_0_4_8"
      case posteriorK1ToN = "posterior_k1_to_n"
      case s1After = "s1_after"
      case levels
      case pTwo = "p_two"
      case pTau = "p_tau"
      case deltaAfter = "delta_after"
    }
  }

  let oracle: Oracle

  init() throws { oracle = try JSONDecoder().decode(Oracle.self, from: bisectFixture("oracle")) }

  @Test func `tests of two builds agree with the reference`() {
    let location = HodgesLehmann(oracle.pairs, confidence: 0.99)
    let found = [location.estimate, location.lower, location.upper]
    #expect(zip(found, oracle.hodgesLehmann99).allSatisfy { abs($0 - $1) < 1e-12 })
    #expect(abs(SignedRank.probability(oracle.pairs) - oracle.signedRankP) < 1e-12)
    let scale = StudentScale(oracle.pairs, degreesOfFreedom: 4)
    #expect(abs(scale.location - oracle.fitTScaleNu4[0]) < 1e-12)
    #expect(abs(scale.scale - oracle.fitTScaleNu4[1]) < 1e-12)
  }

  @Test func `gains of information agree with the reference`() throws {
    for (key, expected) in oracle.mutualInformation {
      let numbers = key.split(separator: ",").compactMap { Double($0) }
      let odds = InformationGain.logOdds(try #require(numbers.first))
      let bits = InformationGain.bits(logOdds: odds, separation: try #require(numbers.last))
      #expect(abs(bits - expected) < 2e-6)
    }
  }

  @Test func `levels and posterior of one batch agree with the reference`() {
    let expected = oracle.roundUpdate
    let batches = [
      MeasuredBatch(arms: [0, 8], rows: expected.pairs08),
      MeasuredBatch(arms: [0, 4, 8], rows: expected.rounds048),
    ]
    // The reference begins from the scale that it has after the first batch.
    let first = BuildLevels(
      [batches[0]],
      segment: 0...8,
      startScale: expected.s1Start,
      rules: .reference
    )
    let levels = BuildLevels(
      batches,
      segment: 0...8,
      startScale: first.scale,
      rules: .reference
    )
    #expect(levels.revisions == [0, 4, 8])
    #expect(abs(levels.scale - expected.s1After) < 1e-5)
    #expect(zip(levels.levels, expected.levels).allSatisfy { abs($0 - $1) < 1e-6 })
    let posterior = ChangePosterior(
      levels,
      orientation: 1,
      priors: [4, 4],
      effect: expected.delta0,
      rules: .reference
    )
    #expect(abs(posterior.gaps[0] / 4 - expected.posteriorK1ToN[0]) < 1e-5)
    #expect(abs(posterior.gaps[1] / 4 - expected.posteriorK1ToN[7]) < 1e-5)
    #expect(abs(posterior.twoChanges - expected.pTwo) < 1e-5)
    #expect(zip(posterior.jitters, expected.pTau).allSatisfy { abs($0 - $1) < 1e-5 })
    #expect(abs(posterior.effect - expected.deltaAfter) < 1e-5)
  }
}

extension BisectRules {
  /// The rules as they were simulated first, which the oracle follows.
  fileprivate static var reference: BisectRules {
    var rules = BisectRules()
    rules.expectsSpan = false
    rules.jitters = [0, 0.001, 0.0025, 0.006, 0.015]
    rules.jitterPrior = [0.50, 0.20, 0.15, 0.10, 0.05]
    rules.pairShare = 0.30
    rules.heavyDegreesOfFreedom = nil
    rules.doubtfulPrior = nil
    rules.besideShare = 0.25
    rules.spareJitteryBuilds = rules.spareBuilds
    return rules
  }
}

/// Reads a file of `Fixtures/bisect`.
private func bisectFixture(_ name: String) throws -> Data {
  let file = Bundle.module.bundleURL.appending(components: "Fixtures", "bisect", "\(name).json")
  return try Data(contentsOf: file)
}
