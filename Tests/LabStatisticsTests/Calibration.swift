import Foundation

@testable import LaunchStatistics

/// A shape of independent launch times, in milliseconds.
enum Noise: String, CaseIterable, Sendable {
  case normal
  case lognormal
  case exponentialTail = "exponential tail"
  case spiky
  case discrete
  case uniform

  /// Draws one value.
  func draw(_ generator: inout SeededGenerator) -> Double {
    switch self {
    case .normal: 100 + 5 * generator.nextNormal()
    case .lognormal: 100 * exp(0.3 * generator.nextNormal())
    case .exponentialTail: 100 - 20 * log(1 - generator.nextUniform())
    case .spiky: 100 + 3 * generator.nextNormal() + generator.nextSpike(chance: 0.03)
    case .discrete: 100 + (1.3 * generator.nextNormal()).rounded()
    case .uniform: 80 + 40 * generator.nextUniform()
    }
  }
}

extension SeededGenerator {
  /// A number of the standard normal distribution, by the method of Box and Muller.
  mutating func nextNormal() -> Double {
    let radius = (-2 * log(1 - nextUniform())).squareRoot()
    return radius * cos(2 * .pi * nextUniform())
  }

  /// With this chance the delay of another process taking the core, else 0.
  mutating func nextSpike(chance: Double) -> Double {
    nextUniform() < chance ? 50 + 450 * nextUniform() : 0
  }
}

/// What is looked for in a sample beside its estimates.
enum Finding: String, CaseIterable, Sendable {
  case drift
  case firstValue = "first value"
  case twoModes = "two modes"

  func isFound(in sample: Sample) -> Bool {
    switch self {
    case .drift: sample.drift != nil
    case .firstValue: sample.firstValueEffect != nil
    case .twoModes: sample.bimodality != nil
    }
  }
}

/// The share of seeded samples in which a finding is made.
func rate(
  of finding: Finding,
  samples: Int,
  count: Int,
  seed: UInt64,
  _ value: (Int, inout SeededGenerator) -> Double
) throws -> Double {
  var generator = SeededGenerator(seed: seed)
  var found = 0
  for _ in 0..<samples {
    let sample = try Sample((0..<count).map { value($0, &generator) })
    if finding.isFound(in: sample) { found += 1 }
  }
  return Double(found) / Double(samples)
}

/// An effect put into noise on purpose.
struct Planted: Sendable, CustomStringConvertible {
  let description: String
  let finding: Finding
  let count: Int

  /// The share of samples in which it must be found.
  let power: Double

  let value: @Sendable (Int, inout SeededGenerator) -> Double

  static let all = drifts + firstValues + modes

  private static let drifts = [
    drift(0.3, count: 12, power: 0.8), drift(0.2, count: 20, power: 0.9),
    drift(0.1, count: 50, power: 0.7), drift(0.05, count: 200, power: 0.7),
  ]

  private static let firstValues = [12, 50].map { count in
    Self(
      description: "first value doubled, normal with sd 5 %",
      finding: .firstValue,
      count: count,
      power: 0.8
    ) { index, generator in Noise.normal.draw(&generator) * (index == 0 ? 2 : 1) }
  }

  private static let modes = [
    modes(0.4, count: 12, power: 0.2), modes(0.4, count: 20, power: 0.4),
    modes(0.4, count: 50, power: 0.9), modes(0.2, count: 200, power: 0.8),
  ]

  private static func drift(_ share: Double, count: Int, power: Double) -> Self {
    Self(
      description: "+\(Int(100 * share)) % from first to last, normal with sd 5 %",
      finding: .drift,
      count: count,
      power: power
    ) { index, generator in
      Noise.normal.draw(&generator) + 100 * share * Double(index) / Double(count - 1)
    }
  }

  private static func modes(_ share: Double, count: Int, power: Double) -> Self {
    Self(
      description: "\(Int(100 * share)) % near 160, the others near 100, lognormal with sd 5 %",
      finding: .twoModes,
      count: count,
      power: power
    ) { _, generator in
      let center = generator.nextUniform() < share ? 160.0 : 100
      return center * exp(0.05 * generator.nextNormal())
    }
  }
}
