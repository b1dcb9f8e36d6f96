import Foundation
import LaunchStatistics

/// How likely one change, or two, lies in each gap between builds that were launched.
///
/// Levels are x after one gap, or x₁ and x₂ after two, plus a normal deviation of each build. The
/// sizes have normal priors, so they are integrated exactly; the deviation is summed over a grid.
struct ChangePosterior: Sendable {
  /// The probability that the change, or the larger of two, is in each gap.
  private(set) var gaps: [Double] = []

  /// The probability of two changes.
  private(set) var twoChanges = 0.0

  /// The probability of each deviation of the grid.
  private(set) var jitters: [Double] = []

  /// The share of the probability that each deviation has, by gaps; sums to that of the deviation.
  private(set) var gapsByJitter: [[Double]] = []

  /// The expected size of the change, or of the larger of two.
  private(set) var effect = 0.0

  /// The likeliest two gaps and the sizes of their changes; nil with fewer than two gaps.
  private(set) var likeliestPair: Pair?

  struct Pair: Hashable, Sendable {
    var first: Int
    var second: Int
    var firstEffect: Double
    var secondEffect: Double
  }

  /// Weighs every gap and every two gaps; O(grid · builds³).
  ///
  /// - Parameters:
  ///   - levels: The builds of the segment, at least two.
  ///   - orientation: −1 where improvements count as slowdowns, else 1.
  ///   - priors: How likely a change is in each gap beforehand; need not sum to 1.
  ///   - expected: The difference of the ends of the segment, above 0.
  ///   - rules: The grid and the other priors.
  init(
    _ levels: BuildLevels,
    orientation: Double,
    priors: [Double],
    effect expected: Double,
    rules: BisectRules
  ) {
    let sum = priors.reduce(0, +)
    let gapPriors = priors.map { max($0, 1e-12) / sum }
    let pairs = PairPriors(gapPriors)
    let cases = zip(rules.jitters, rules.jitterPrior).map { jitter, prior in
      JitterCase(levels, orientation: orientation, jitter: jitter, logPrior: log(prior))
    }
    let single = log(1 - rules.twoChangesPrior)
    let double = log(rules.twoChangesPrior)
    var singles = cases.map { $0.singles(expected: expected) }
    // Two changes that nearly cancel out are far larger than what they leave between the ends.
    let span = (levels.levels.max() ?? 0) - (levels.levels.min() ?? 0)
    let size = rules.expectsSpan ? max(expected, span) : expected
    var doubles = cases.map { $0.doubles(pairs.gaps, expected: size) }
    for index in cases.indices {
      for gap in gapPriors.indices {
        singles[index][gap].evidence += log(gapPriors[gap]) + single
      }
      for pair in pairs.gaps.indices {
        doubles[index][pair].evidence += pairs.logPriors[pair] + double
      }
    }
    normalize(&singles, &doubles)
    collect(singles, doubles, pairs.gaps)
  }

  /// The probabilities of jitters and gaps under another prior of the jitter.
  func reweighed(from prior: [Double], to other: [Double]) -> (jitters: [Double], gaps: [Double]) {
    let ratios = zip(prior, other).map { $1 / $0 }
    let sum = zip(jitters, ratios).reduce(0) { $0 + $1.0 * $1.1 }
    let gaps = gaps.indices.map { gap in
      zip(gapsByJitter, ratios).reduce(0) { $0 + $1.0[gap] * $1.1 } / sum
    }
    return (zip(jitters, ratios).map { $0 * $1 / sum }, gaps)
  }

  /// Makes evidences probabilities.
  private func normalize(_ singles: inout [[SingleChange]], _ doubles: inout [[TwoChanges]]) {
    var largest = -Double.infinity
    for row in singles { for change in row { largest = max(largest, change.evidence) } }
    for row in doubles { for change in row { largest = max(largest, change.evidence) } }
    var sum = 0.0
    for row in singles { for change in row { sum += exp(change.evidence - largest) } }
    for row in doubles { for change in row { sum += exp(change.evidence - largest) } }
    let offset = largest + log(sum)
    for row in singles.indices {
      for index in singles[row].indices {
        singles[row][index].evidence = exp(singles[row][index].evidence - offset)
      }
    }
    for row in doubles.indices {
      for index in doubles[row].indices {
        doubles[row][index].evidence = exp(doubles[row][index].evidence - offset)
      }
    }
  }

  /// Sums the probabilities over what is of no interest.
  private mutating func collect(
    _ singles: [[SingleChange]],
    _ doubles: [[TwoChanges]],
    _ pairs: [(Int, Int)]
  ) {
    let none = [Double](repeating: 0, count: singles[0].count)
    gapsByJitter = singles.map { _ in none }
    var pairSums = [Double](repeating: 0, count: pairs.count)
    for grid in singles.indices {
      for (gap, change) in singles[grid].enumerated() {
        gapsByJitter[grid][gap] += change.evidence
        effect += change.evidence * change.effect
      }
      for (pair, change) in doubles[grid].enumerated() {
        // The larger slowdown of the two is the change.
        let isFirst = change.first >= change.second
        gapsByJitter[grid][isFirst ? pairs[pair].0 : pairs[pair].1] += change.evidence
        effect += change.evidence * max(change.first, change.second)
        pairSums[pair] += change.evidence
      }
    }
    jitters = gapsByJitter.map { $0.reduce(0, +) }
    gaps = none.indices.map { gap in gapsByJitter.reduce(0) { $0 + $1[gap] } }
    twoChanges = pairSums.reduce(0, +)
    var best: Int?
    for pair in pairs.indices where pairSums[pair] > (best.map { pairSums[$0] } ?? 0) {
      best = pair
    }
    guard let best else { return }
    let changes = doubles.map { $0[best] }
    likeliestPair = Pair(
      first: pairs[best].0,
      second: pairs[best].1,
      firstEffect: changes.reduce(0) { $0 + $1.evidence * $1.first } / pairSums[best],
      secondEffect: changes.reduce(0) { $0 + $1.evidence * $1.second } / pairSums[best]
    )
  }
}

/// Every two gaps, the first one before the second, and how likely they are beforehand.
private struct PairPriors {
  private(set) var gaps: [(Int, Int)] = []
  private(set) var logPriors: [Double] = []

  init(_ priors: [Double]) {
    var products: [Double] = []
    for first in priors.indices {
      for second in (first + 1)..<max(priors.count, first + 1) {
        gaps.append((first, second))
        products.append(priors[first] * priors[second])
      }
    }
    let sum = products.reduce(0, +)
    logPriors = products.map { log($0 / sum) }
  }
}

/// The logarithm of the evidence of a change in one gap, later its probability, and its size.
private struct SingleChange {
  var evidence: Double
  var effect: Double
}

/// The same for changes in two gaps.
private struct TwoChanges {
  var evidence: Double
  var first: Double
  var second: Double
}

/// The evidence under one deviation of the levels of builds.
private struct JitterCase {
  /// Sums over the builds after each gap, and after both of every two gaps.
  private var totals: [Double] = []
  private var products: [Double] = []
  private var base: Double
  private let count: Int

  init(_ levels: BuildLevels, orientation: Double, jitter: Double, logPrior: Double) {
    let builds = levels.revisions.count
    count = builds - 1
    base = logPrior
    var matrix = levels.information
    var vector = levels.weighted.map { $0 * orientation }
    let square = jitter * jitter
    var spread = matrix.map { $0 * square }
    for row in 0..<builds { spread[row * builds + row] += 1 }
    if square > 0, let factor = CholeskyFactor(spread, count: builds) {
      // With B = I + τ²A: A·B⁻¹ = (I − B⁻¹) / τ², and the rest follows from it.
      let inverse = factor.inverse()
      for index in matrix.indices {
        let unit: Double = index % (builds + 1) == 0 ? 1 : 0
        matrix[index] = (unit - inverse[index]) / square
      }
      let shrunk = factor.solve(vector)
      let gain = zip(vector, shrunk).reduce(0) { $0 + $1.0 * $1.1 }
      base += square * gain / 2 - factor.logDeterminant / 2
      vector = shrunk
    }
    sumTails(matrix, vector, builds)
  }

  private mutating func sumTails(_ matrix: [Double], _ vector: [Double], _ builds: Int) {
    totals = [Double](repeating: 0, count: builds + 1)
    products = [Double](repeating: 0, count: (builds + 1) * (builds + 1))
    let width = builds + 1
    for row in (0..<builds).reversed() {
      totals[row] = totals[row + 1] + vector[row]
      for column in (0..<builds).reversed() {
        products[row * width + column] =
          matrix[row * builds + column] + products[(row + 1) * width + column]
          + products[row * width + column + 1] - products[(row + 1) * width + column + 1]
      }
    }
  }

  private func total(after gap: Int) -> Double { totals[gap + 1] }

  private func product(after first: Int, _ second: Int) -> Double {
    products[(first + 1) * (count + 2) + second + 1]
  }

  private func precision(after gap: Int) -> Double { max(0, product(after: gap, gap)) }

  /// One change in each gap, whose size is near the expected one.
  func singles(expected: Double) -> [SingleChange] {
    let variance = 0.25 * expected * expected
    return (0..<count).map { gap in
      let precision = precision(after: gap) + 1 / variance
      let effect = (total(after: gap) + expected / variance) / precision
      let fit = effect * effect * precision - expected * expected / variance
      return SingleChange(
        evidence: base + fit / 2 - log(precision * variance) / 2,
        effect: effect
      )
    }
  }

  /// Changes in both gaps of every two, whose sizes are around 0.
  func doubles(_ pairs: [(Int, Int)], expected: Double) -> [TwoChanges] {
    let variance = expected * expected
    return pairs.map { first, second in
      let p11 = precision(after: first) + 1 / variance
      let p22 = precision(after: second) + 1 / variance
      let p12 = product(after: first, second)
      let determinant = max(p11 * p22 - p12 * p12, 1e-300)
      let a1 = total(after: first)
      let a2 = total(after: second)
      let x1 = (p22 * a1 - p12 * a2) / determinant
      let x2 = (p11 * a2 - p12 * a1) / determinant
      let fit = (a1 * x1 + a2 * x2) / 2
      return TwoChanges(
        evidence: base + fit - log(determinant * variance * variance) / 2,
        first: x1,
        second: x2
      )
    }
  }
}
