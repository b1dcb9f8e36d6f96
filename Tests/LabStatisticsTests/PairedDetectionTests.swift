import Foundation
import Testing

@testable import LaunchStatistics

/// The smallest effect that a number of pairs detects.
@Suite struct PairedDetectionTests {
  /// The effect at which 80 % of fresh samples of NumPy detect it.
  struct Expected: Decodable, Sendable, CustomTestStringConvertible {
    let shape: String
    let pairs: Int
    let scale: Double
    let limit: Double
    let effect: Double

    var testDescription: String { "\(shape), scale \(scale), \(pairs) pairs" }

    /// A sample that has the shape almost exactly, in random order.
    var sample: Sample {
      get throws {
        var generator = SeededGenerator(seed: 5)
        let values = (0..<1_001).map { quantile((Double($0) + 0.5) / 1_001) * scale }
        return try Sample(
          values.map { ($0, generator.nextUniform()) }.sorted { $0.1 < $1.1 }.map(\.0)
        )
      }
    }

    private func quantile(_ probability: Double) -> Double {
      switch shape {
      case "uniform": probability - 0.5
      case "laplace":
        probability < 0.5 ? log(2 * probability) : -log(2 * (1 - probability))
      default: normalQuantile(probability)
      }
    }
  }

  /// What an effect adds to the limit is known to the scatter of one series; of few pairs the
  /// interval is wider than the root of their number says.
  @Test(arguments: try fixture("detectable-effects", as: [Expected].self))
  func `agrees with a simulation in numpy`(expected: Expected) throws {
    let found = try PairedRatio(logRatios: expected.sample)
      .detectableEffect(
        pairs: expected.pairs,
        limit: expected.limit
      )
    let beyond = log1p(try #require(found)) - log1p(expected.limit)
    #expect(agree(beyond, log1p(expected.effect) - log1p(expected.limit), within: 0.15))
  }

  /// A shape of noise of log-ratios, launch after launch.
  enum Scatter: String, CaseIterable, Sendable {
    case normal
    case spiky
    case autocorrelated

    func series(_ count: Int, _ generator: inout SeededGenerator) -> [Double] {
      var previous = 0.0
      return (0..<count).map { _ in
        let step = 0.05 * generator.nextNormal()
        switch self {
        case .normal: return step
        case .spiky:
          return step + (generator.nextUniform() < 0.1 ? 0.5 * generator.nextNormal() : 0)
        case .autocorrelated:
          previous = 0.3 * previous + step
          return previous
        }
      }
    }
  }

  /// The effect is found from 60 pairs of a program with itself, and then put into 20 new pairs.
  ///
  /// 80 % is asked for; the two directions of which the worse one counts add a little.
  @Test(arguments: Scatter.allCases)
  func `an effect that is called detectable is detected in about 80 of 100 runs`(
    scatter: Scatter
  ) throws {
    let limit = log1p(0.02)
    var generator = SeededGenerator(seed: 80)
    var detected = 0
    for _ in 0..<60 {
      let own = PairedRatio(logRatios: try Sample(scatter.series(60, &generator)))
      let effect = try #require(
        own.detectableEffect(pairs: 20, limit: 0.02)
      )
      for _ in 0..<20 {
        let run = try Sample(scatter.series(20, &generator).map { $0 + log1p(effect) })
        let interval = try #require(PairedRatio(logRatios: run).interval())
        if interval.low > exp(limit) { detected += 1 }
      }
    }
    let power = Double(detected) / 1_200
    #expect(power > 0.74 && power < 0.9)
  }

  @Test func `grows with the noise and shrinks with the pairs`() throws {
    var generator = SeededGenerator(seed: 2)
    let values = (0..<100).map { _ in generator.nextNormal() }
    let effects = try [0.01, 0.02, 0.05, 0.1].map { scale in
      let ratio = PairedRatio(logRatios: try Sample(values.map { scale * $0 }))
      return try [10, 20, 50, 100].map { pairs in
        try #require(ratio.detectableEffect(pairs: pairs, limit: 0.02))
      }
    }
    for (quieter, louder) in zip(effects, effects.dropFirst()) {
      #expect(zip(quieter, louder).allSatisfy { $0 < $1 })
    }
    #expect(effects.allSatisfy { $0 == $0.sorted(by: >) })
  }

  @Test func `is the limit itself where there is no noise`() throws {
    let still = PairedRatio(logRatios: try Sample([Double](repeating: 0.3, count: 12)))
    let effect = try #require(still.detectableEffect(pairs: 12, limit: 0.02))
    #expect(agree(effect, 0.02))
  }

  @Test func `says nothing of too few pairs`() throws {
    let ratio = PairedRatio(logRatios: try Sample((0..<12).map(Double.init)))
    #expect(ratio.detectableEffect(pairs: 5, limit: 0.02) == nil)
    #expect(ratio.detectableEffect(pairs: 7, limit: 0.02, confidence: 0.99) == nil)
    let few = PairedRatio(logRatios: try Sample([1, 2, 3, 4, 5]))
    #expect(few.detectableEffect(pairs: 50, limit: 0.02) == nil)
  }
}

/// The quantile of the standard normal distribution, by bisecting its error function.
private func normalQuantile(_ probability: Double) -> Double {
  var low = -10.0
  var high = 10.0
  for _ in 0..<60 {
    let middle = (low + high) / 2
    if 0.5 * erfc(-middle / 2.0.squareRoot()) < probability { low = middle } else { high = middle }
  }
  return low
}
