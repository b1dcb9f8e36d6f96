import Foundation
import LabModel
import LabStatistics
import Testing

@testable import LabAnalysis

@Suite struct BisectOracleTests {
  struct Oracle: Decodable {
    let pairs: [Double]
    let hodges_lehmann_99: [Double]
    let signed_rank_p: Double
    let fit_t_scale_nu4: [Double]
    let round_update: RoundUpdate
    let mutual_information: [String: Double]
  }

  struct RoundUpdate: Decodable {
    let s1_start: Double
    let delta0: Double
    let pairs_0_8: [[Double]]
    let rounds_0_4_8: [[Double]]
    let posterior_k1_to_n: [Double]
    let s1_after: Double
    let levels: [Double]
    let p_two: Double
    let p_tau: [Double]
    let delta_after: Double
  }

  let oracle: Oracle

  init() throws { oracle = try JSONDecoder().decode(Oracle.self, from: bisectFixture("oracle")) }

  @Test func `tests of two builds agree with the reference`() {
    let location = HodgesLehmann(oracle.pairs, confidence: 0.99)
    let found = [location.estimate, location.lower, location.upper]
    #expect(zip(found, oracle.hodges_lehmann_99).allSatisfy { abs($0 - $1) < 1e-12 })
    #expect(abs(SignedRank.probability(oracle.pairs) - oracle.signed_rank_p) < 1e-12)
    let scale = StudentScale(oracle.pairs, degreesOfFreedom: 4)
    #expect(abs(scale.location - oracle.fit_t_scale_nu4[0]) < 1e-12)
    #expect(abs(scale.scale - oracle.fit_t_scale_nu4[1]) < 1e-12)
  }

  @Test func `gains of information agree with the reference`() throws {
    for (key, expected) in oracle.mutual_information {
      let numbers = key.split(separator: ",").compactMap { Double($0) }
      let odds = InformationGain.logOdds(try #require(numbers.first))
      let bits = InformationGain.bits(logOdds: odds, separation: try #require(numbers.last))
      #expect(abs(bits - expected) < 2e-6)
    }
  }

  @Test func `levels and posterior of one batch agree with the reference`() {
    let expected = oracle.round_update
    let batches = [
      MeasuredBatch(arms: [0, 8], rows: expected.pairs_0_8),
      MeasuredBatch(arms: [0, 4, 8], rows: expected.rounds_0_4_8),
    ]
    // The reference begins from the scale that it has after the first batch.
    let first = BuildLevels(
      [batches[0]],
      segment: 0...8,
      startScale: expected.s1_start,
      rules: .reference
    )
    let levels = BuildLevels(
      batches,
      segment: 0...8,
      startScale: first.scale,
      rules: .reference
    )
    #expect(levels.revisions == [0, 4, 8])
    #expect(abs(levels.scale - expected.s1_after) < 1e-5)
    #expect(zip(levels.levels, expected.levels).allSatisfy { abs($0 - $1) < 1e-6 })
    let posterior = ChangePosterior(
      levels,
      orientation: 1,
      priors: [4, 4],
      effect: expected.delta0,
      rules: .reference
    )
    #expect(abs(posterior.gaps[0] / 4 - expected.posterior_k1_to_n[0]) < 1e-5)
    #expect(abs(posterior.gaps[1] / 4 - expected.posterior_k1_to_n[7]) < 1e-5)
    #expect(abs(posterior.twoChanges - expected.p_two) < 1e-5)
    #expect(zip(posterior.jitters, expected.p_tau).allSatisfy { abs($0 - $1) < 1e-5 })
    #expect(abs(posterior.effect - expected.delta_after) < 1e-5)
  }
}
