import Foundation

@testable import LaunchStatistics

/// A shape of nightly medians around 400 ms, as in the fixtures `synthetic_launch`.
enum NightNoise: String, CaseIterable, Sendable {
  case gauss
  case spiky
  case bimodal
  case ar1
  case drift

  /// Student's distribution with 3 degrees of freedom.
  case heavyTails = "heavy tails"

  /// Up to 2 % slower on some days of the week.
  case weekly

  /// Delays with an exponential distribution.
  case skewed

  /// A scatter of 0.5 %, and of 4 %.
  case quiet
  case loud

  /// Seeded nights with a step.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - step: By how much the level rises, as a share.
  ///   - night: The first night of the new level.
  ///   - seed: The same seed gives the same nights.
  /// - Returns: Medians in milliseconds.
  func nights(_ count: Int, step: Double, at night: Int, seed: UInt64) -> [Double] {
    var generator = SeededGenerator(seed: seed)
    var neighbour = generator.nextGauss()
    return (0..<count).map { index in
      let level = index < night ? 400.0 : 400 * (1 + step)
      return level * draw(index, &neighbour, &generator) / 400
    }
  }

  private func draw(
    _ index: Int,
    _ neighbour: inout Double,
    _ generator: inout SeededGenerator
  ) -> Double {
    let normal = generator.nextGauss()
    switch self {
    case .gauss: return 400 + 6 * normal
    case .spiky:
      let isSpike = generator.nextUniform() < 0.05
      return 400 + 6 * normal + (isSpike ? 400 * (0.15 + 0.25 * generator.nextUniform()) : 0)
    case .bimodal: return (generator.nextUniform() < 0.3 ? 424 : 400) + 3 * normal
    case .ar1:
      neighbour = 0.6 * neighbour + 0.8 * normal
      return 400 + 6 * neighbour
    case .drift: return 400 + 40 * Double(index) / 80 + 6 * normal
    case .heavyTails:
      let squares = (0..<3).reduce(0.0) { sum, _ in
        let part = generator.nextGauss()
        return sum + part * part
      }
      return 400 + 6 * normal / squares.squareRoot()
    case .weekly: return 400 + 6 * normal + 4 * sin(2 * .pi * Double(index) / 7)
    case .skewed: return 397 + 3 * normal - 6 * log(1 - generator.nextUniform())
    case .quiet: return 400 + 2 * normal
    case .loud: return 400 + 16 * normal
    }
  }
}

extension SeededGenerator {
  /// A number of the standard normal distribution, by the method of Box and Muller.
  mutating func nextGauss() -> Double {
    let radius = (-2 * log(1 - nextUniform())).squareRoot()
    return radius * cos(2 * .pi * nextUniform())
  }

  /// The ratio of two launches of 5 % scatter each, 3 % of which take two to four times as long.
  mutating func nextRatio(_ truth: Double) -> (baseline: Double, candidate: Double) {
    (nextLaunch(), nextLaunch() * truth)
  }

  private mutating func nextLaunch() -> Double {
    let value = 100 * (1 + 0.05 * nextGauss())
    return nextUniform() < 0.03 ? value * (2 + 2 * nextUniform()) : value
  }
}
