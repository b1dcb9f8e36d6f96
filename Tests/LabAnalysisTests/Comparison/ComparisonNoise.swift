import Foundation

@testable import Comparison
@testable import LaunchStatistics

/// How launch times come about in a simulated comparison; most shapes scatter by 5 %.
enum ComparisonNoise: String, CaseIterable, Sendable {
  case normal

  /// 3 % of the launches take two to four times as long.
  case outliers

  /// As `outliers`, and both sides slow down by 20 % from the first block to the last.
  case drift

  /// As `outliers`, and each block slows both sides down by a factor of its own, with memory.
  case blocks

  /// 40 % of the launches take 20 % longer.
  case twoModes = "two modes"

  /// 20 % of the launches take 50 % longer, and all scatter by 2 %.
  case farModes = "modes far apart"

  /// As `normal`, and delays of half as much on average, with an exponential distribution.
  case skewed

  /// The logarithms have the distribution of Laplace.
  case laplace

  /// Draws the pairs of a comparison.
  ///
  /// - Parameters:
  ///   - count: How many pairs.
  ///   - effect: What the candidate takes longer, as a share.
  ///   - generator: The source of all randomness.
  /// - Returns: The pairs, in the order of the blocks.
  func pairs(
    _ count: Int,
    effect: Double,
    _ generator: inout SeededGenerator
  ) -> [(baseline: Double, candidate: Double)] {
    var slow = 0.0
    return (0..<count).map { block in
      slow = 0.8 * slow + 0.05 * generator.nextGauss()
      let common = common(to: block, of: count, slow)
      let baseline = 100 * common * factor(&generator)
      let candidate = 100 * (1 + effect) * common * factor(&generator)
      return (baseline: baseline, candidate: candidate)
    }
  }

  /// What both sides of a block have in common.
  private func common(to block: Int, of count: Int, _ slow: Double) -> Double {
    switch self {
    case .normal, .outliers, .twoModes, .farModes, .skewed, .laplace: 1
    case .drift: 1 + 0.2 * Double(block) / Double(count)
    case .blocks: exp(slow)
    }
  }

  private func factor(_ generator: inout SeededGenerator) -> Double {
    let usual = exp((self == .farModes ? 0.02 : 0.05) * generator.nextGauss())
    let chance = generator.nextUniform()
    switch self {
    case .normal: return usual
    case .twoModes: return chance < 0.4 ? 1.2 * usual : usual
    case .farModes: return chance < 0.2 ? 1.5 * usual : usual
    case .skewed: return usual - 0.05 * log(1 - chance)
    case .laplace:
      let size = -0.05 / 2.0.squareRoot() * log(1 - abs(2 * chance - 1))
      return exp(chance < 0.5 ? -size : size)
    case .outliers, .drift, .blocks:
      return chance < 0.03 ? usual * (2 + 2 * generator.nextUniform()) : usual
    }
  }

  /// The share of simulated comparisons that end in some way.
  ///
  /// - Parameters:
  ///   - comparisons: How many comparisons are simulated.
  ///   - effect: What the candidate takes longer.
  ///   - looks: After how many pairs the comparison is looked at, and may end.
  ///   - rule: With the confidence of each look.
  ///   - seed: The same seed gives the same share.
  ///   - isCounted: Whether a comparison that has ended counts.
  /// - Returns: The share, and how many pairs a comparison took on average.
  /// - Throws: Nothing, for there is at least one look.
  func rate(
    comparisons: Int,
    effect: Double,
    looks: [Int],
    rule: ComparisonRule,
    seed: UInt64,
    of isCounted: (PairedComparison) -> Bool
  ) throws -> (share: Double, pairs: Double) {
    var generator = SeededGenerator(seed: seed)
    var counted = 0
    var launched = 0
    for _ in 0..<comparisons {
      let all = try PairedRatio(pairs(looks.last ?? 0, effect: effect, &generator))
      for look in looks {
        guard let part = all.part(0..<look) else { continue }
        let comparison = PairedComparison(part, rule: rule)
        guard look == looks.last || comparison.isDecided(precision: 0.001) else { continue }
        if isCounted(comparison) { counted += 1 }
        launched += look
        break
      }
    }
    return (Double(counted) / Double(comparisons), Double(launched) / Double(comparisons))
  }
}
