import Testing

@testable import LaunchStatistics

/// Slow launches of pairs.
@Suite struct PairedTailTests {
  /// What the reference found: the probability, the threshold, and the pairs of which only one is slow.
  struct Expected: Decodable, Sendable {
    let worse: [Double]
    let better: [Double]
    let most: Double
    let mostOfBaseline: Double
    let difference: [Double]
  }

  @Test func `agrees with the reference on random inputs`() throws {
    let inputs = try fixture("paired-tails", as: [Expected].self)
    #expect(inputs.count == 200)
    let wrong = try inputs.enumerated().filter { seed, expected in
      let tail = try Self.input(UInt64(seed))
      let worse = tail.moreSlow(beyond: 0.02)
      let shares = tail.shares(beyond: worse.threshold, score: 1.96)
      let found =
        Self.numbers(worse) + Self.numbers(tail.exchanged.moreSlow(beyond: 0.02))
        + [tail.mostMoreSlow(score: 2.5), tail.exchanged.mostMoreSlow(score: 1.645)]
        + [shares.candidate - shares.baseline, shares.difference.low, shares.difference.high]
      let wanted =
        expected.worse + expected.better + [expected.most, expected.mostOfBaseline]
        + expected.difference
      // Several thresholds may have one pair more on one side, which are as likely as each other.
      guard worse.probability < 0.49 else { return abs(worse.probability - wanted[0]) > 1e-9 }
      return !zip(found, wanted).allSatisfy { abs($0 - $1) <= 1e-9 * max(1, abs($1)) }
    }
    #expect(wrong.map(\.offset) == [])
  }

  private static func numbers(_ evidence: PairedTail.Evidence) -> [Double] {
    [
      evidence.probability, evidence.threshold, Double(evidence.onlyCandidate),
      Double(evidence.onlyBaseline),
    ]
  }

  /// The same numbers as `Fixtures/make_tail_fixtures.py` draws.
  private static func input(_ seed: UInt64) throws -> PairedTail {
    var generator = SeededGenerator(seed: seed)
    let count = 14 + Int(generator.nextUniform() * 300)
    let scatter = 0.3 * generator.nextUniform()
    let extra = 2 * generator.nextUniform()
    let lost = generator.nextUniform() < 0.3 ? 0.1 * generator.nextUniform() : 0
    func side(share: Double, lost: Double) -> [Double] {
      (0..<count).map { _ in
        let noise = generator.nextUniform() + generator.nextUniform() + generator.nextUniform()
        var value = 1e6 * (1 + scatter * noise)
        if generator.nextUniform() < share { value *= 1 + extra }
        return generator.nextUniform() < lost ? .infinity : value
      }
    }
    let baseline = side(share: 0.1 * generator.nextUniform(), lost: 0)
    let candidate = side(share: 0.4 * generator.nextUniform(), lost: lost)
    return try PairedTail(Array(zip(baseline, candidate)))
  }

  @Test func `turns over when the sides are exchanged, and knows no unit`() throws {
    let tail = try Self.input(7)
    let scaled = try PairedTail(zip(tail.candidate, tail.baseline).map { (8 * $0, 8 * $1) })
    #expect(
      scaled.exchanged.moreSlow(beyond: 0.02).probability == tail.moreSlow(beyond: 0.02).probability
    )
    #expect(
      scaled.moreSlow(beyond: 0.02).onlyCandidate
        == tail.exchanged.moreSlow(beyond: 0.02).onlyCandidate
    )
    #expect(scaled.exchanged.mostMoreSlow(score: 2) == tail.mostMoreSlow(score: 2))
  }

  @Test func `launches that never came are slow`() throws {
    let pairs = (0..<57).map { place -> (Double, Double) in
      let time = Double(1_000_000 + place % 7)
      return (Double(1_000_000 + place), place < 12 ? Double.infinity : time)
    }
    let evidence = try PairedTail(pairs).moreSlow(beyond: 0.02)
    #expect(evidence.onlyCandidate == 12)
    #expect(evidence.onlyBaseline == 0)
    #expect(agree(evidence.probability, 1.0 / 4096))
    let none = try PairedTail(pairs.map { ($0.0, Double.infinity) })
    #expect(none.moreSlow(beyond: 0.02).probability < 1e-9)
    #expect(none.mostMoreSlow(score: 2.5) == 1)
  }

  @Test func `refuses what is no time`() {
    #expect(throws: StatisticsError.self) { _ = try PairedTail([]) }
    #expect(throws: StatisticsError.self) { _ = try PairedTail([(1, 0)]) }
    #expect(throws: StatisticsError.self) { _ = try PairedTail([(-1, 1)]) }
    #expect(throws: StatisticsError.self) { _ = try PairedTail([(.nan, 1)]) }
  }

  /// With values of SciPy: the delta method on the logarithmic scale with Student's t.
  @Test func `bounds the ratio of means`() throws {
    let pairs = [(10.0, 12.0), (11, 11), (9, 13), (10, 10), (12, 15)]
    let mean = try #require(try PairedTail(pairs).meanRatio(confidence: 0.95))
    #expect(agree(mean.ratio, 61.0 / 52))
    #expect(agree(mean.interval.low, 0.972961858330507, within: 1e-9))
    #expect(agree(mean.interval.high, 1.4143508871117207, within: 1e-9))
  }
}
