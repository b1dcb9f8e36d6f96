import Foundation

@testable import Comparison
@testable import LaunchCore
@testable import LaunchStatistics

/// How launch times come about of which some may be slow, after the study of slow launches.
enum TailNoise: String, CaseIterable, Sendable {
  case normal2 = "CV 2 %"
  case normal5 = "CV 5 %"
  case normal10 = "CV 10 %"
  case skewed
  case outliers3 = "3 % outliers"
  case outliers8 = "8 % outliers"
  case bursts
  case drift
  case modes
  case correlated
  case sticky

  /// The six that changes are planted in.
  static let usual: [Self] = [.normal2, .normal5, .normal10, .outliers3, .bursts, .modes]

  /// Factors of so many launches, in the order of launching.
  private func launches(_ count: Int, _ generator: inout SeededGenerator) -> [Double] {
    var state = 0.0
    var isSlow = generator.nextUniform() < 0.5
    var left = 0
    var height = 1.0
    return (0..<count).map { place in
      let normal = generator.nextGauss()
      switch self {
      case .normal2: return exp(0.02 * normal)
      case .normal5: return exp(0.05 * normal)
      case .normal10: return exp(0.1 * normal)
      case .skewed: return exp(0.01 * normal - 0.06 * log(1 - generator.nextUniform()))
      case .outliers3: return exp(0.05 * normal) * generator.nextOutlier(0.03)
      case .outliers8: return exp(0.05 * normal) * generator.nextOutlier(0.08)
      case .bursts:
        if generator.nextUniform() < 0.08 / 12.5 {
          left = 5 + Int(generator.nextUniform() * 16)
          height = 1.2 + 0.8 * generator.nextUniform()
        }
        left -= 1
        return exp(0.03 * normal) * (left >= 0 ? height : 1)
      case .drift:
        let course = 1 + 0.2 * Double(place) / Double(count)
        return exp(0.03 * normal) * course * generator.nextOutlier(0.03)
      case .modes: return exp(0.03 * normal) * (generator.nextUniform() < 0.4 ? 1.2 : 1)
      case .correlated:
        state = 0.6 * state + 0.04 * normal
        return exp(state)
      case .sticky:
        if generator.nextUniform() < 1.0 / 30 { isSlow.toggle() }
        return exp(0.03 * normal) * (isSlow ? 1.2 : 1)
      }
    }
  }

  /// Blocks of two launches in random order.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - change: What is different of the candidate.
  ///   - generator: The source of all randomness.
  /// - Returns: The pairs, in the order of the blocks.
  func pairs(
    _ count: Int,
    _ change: TailChange,
    _ generator: inout SeededGenerator
  ) -> [(baseline: Double, candidate: Double)] {
    let launches = launches(2 * count, &generator)
    return (0..<count).map { block in
      var sides = [launches[2 * block], launches[2 * block + 1]]
      if generator.nextUniform() < 0.5 { sides.swapAt(0, 1) }
      sides[1] *= 1 + change.shift
      if generator.nextUniform() < change.share {
        sides[1] *= 1 + change.extra * (0.8 + 0.4 * generator.nextUniform())
      }
      return (1e8 * sides[0], 1e8 * sides[1])
    }
  }
}

/// What is different of the candidate: a share of its launches takes longer, or all do.
struct TailChange: Hashable, Sendable {
  var share = 0.0
  var extra = 0.0
  var shift = 0.0
}

/// Comparisons that end at the first look with a verdict, and what came of them.
struct TailTrial: Sendable {
  static let looks = [
    10, 14, 20, 28, 40, 57, 80, 113, 160, 226, 320, 453, 640, 905, 1_280,
  ]

  let noise: TailNoise
  var change = TailChange()
  var tailLimit: Double? = 0.1

  /// With the confidence of each look.
  var rule: ComparisonRule {
    ComparisonRules(base: ComparisonRule(tailLimit: tailLimit), looks: Self.looks.count).rule(
      for: ComparedPair(name: "", baseline: "A", candidate: "B"),
      in: .warm,
      of: .launch,
      pairs: 0
    )
  }

  func outcomes(_ comparisons: Int, seed: UInt64) throws -> TailOutcomes {
    var generator = SeededGenerator(seed: seed)
    var outcomes = TailOutcomes()
    for _ in 0..<comparisons {
      let pairs = noise.pairs(Self.looks.last ?? 0, change, &generator)
      for look in Self.looks {
        let part = Array(pairs.prefix(look))
        let comparison = PairedComparison(
          try PairedRatio(part),
          tail: try PairedTail(part),
          rule: rule
        )
        guard comparison.verdict != .inconclusive || look == Self.looks.last else { continue }
        outcomes.add(comparison, of: change)
        break
      }
    }
    return outcomes
  }
}

/// How many comparisons ended in each way.
struct TailOutcomes: Sendable {
  private var verdicts: [Verdict: Int] = [:]
  private var pairs = 0

  /// Of regressions by slow launches: how many intervals of the share hold the truth, and by how much the
  /// difference of shares is too large on average.
  private var stops = 0
  private var covered = 0
  private var excess = 0.0

  mutating func add(_ comparison: PairedComparison, of change: TailChange) {
    verdicts[comparison.verdict, default: 0] += 1
    pairs += comparison.count
    guard let tail = comparison.tail, tail.isWorse, change.share > 0 else { return }
    let shares = tail.shares
    stops += 1
    excess += shares.candidate - shares.baseline - change.share
    if shares.difference.low <= change.share, change.share <= shares.difference.high {
      covered += 1
    }
  }

  private var count: Double { Double(verdicts.values.reduce(0, +)) }

  func share(of verdict: Verdict) -> Double { Double(verdicts[verdict] ?? 0) / count }

  var isDifferent: Double { share(of: .regression) + share(of: .improvement) }
  var meanPairs: Double { Double(pairs) / count }
  var coverage: Double { Double(covered) / Double(max(1, stops)) }
  var bias: Double { excess / Double(max(1, stops)) }
}

extension SeededGenerator {
  /// With this chance a factor from 2 to 4, else 1.
  fileprivate mutating func nextOutlier(_ chance: Double) -> Double {
    nextUniform() < chance ? 2 + 2 * nextUniform() : 1
  }
}
