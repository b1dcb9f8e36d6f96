import Foundation
import LaunchCore

extension BisectEngine {
  /// The build or the rows with the largest expected information per cost; a build is paid once.
  ///
  /// - Returns: Nil when nothing is worth its launches any more.
  func select(buildsMore: Bool = true) -> BisectAction? {
    let split = splitCandidate.map { (revision: $0, rows: rules.splitRounds - rounds[$0]) }
    guard let (candidate, count) = split ?? bestCandidate(buildsMore) else { return nil }
    if range.status[candidate] == .unknown { return .build(candidate) }
    return .launch(arms: arms(of: candidate), rows: count)
  }

  /// A candidate between the nearest builds that are probably good and bad, or alone.
  func arms(of candidate: Int) -> [Int] {
    if parameters.isExact { return [candidate] }
    let bad = probabilitiesBad
    var lower = segment.lower
    var upper = segment.upper
    for build in range.between(segment.lower, candidate).reversed()
    where range.isBuilt(build) && bad[build] < 0.5 {
      lower = build
      break
    }
    for build in range.between(candidate, segment.upper)
    where range.isBuilt(build) && bad[build] > 0.5 {
      upper = build
      break
    }
    return [lower, candidate, upper]
  }

  /// How likely the change is at a revision or before, for every revision.
  var probabilitiesBad: [Double] {
    var sum = 0.0
    return chances.map { chance in
      sum += chance
      return sum
    }
  }

  /// Whether more rows of a build cannot tell more.
  func isSaturated(_ revision: Int) -> Bool {
    Separation(self).isSaturated(rounds: rounds[revision])
  }

  private func bestCandidate(_ buildsMore: Bool) -> (revision: Int, rows: Int)? {
    let separation = Separation(self)
    let candidates = range.between(segment.lower, segment.upper).filter {
      range.status[$0] != .broken && (buildsMore || range.isBuilt($0))
        && !separation.isSaturated(rounds: rounds[$0])
    }
    let bad = probabilitiesBad
    let odds = candidates.map { InformationGain.logOdds(bad[$0]) }
    let success = chancesOfBuilding()
    let arms = parameters.isExact ? 1.0 : 3.0
    var best: (revision: Int, rows: Int)?
    var bestValue = 0.0
    for count in rules.rounds {
      let fresh = separation.added(count, to: 0)
      for (revision, logOdds) in zip(candidates, odds) {
        let isBuilt = range.isBuilt(revision)
        let have = rounds[revision]
        let distance = have == 0 ? fresh : separation.added(count, to: have)
        let gain = InformationGain.bits(logOdds: logOdds, separation: distance)
        guard gain >= rules.leastGain else { continue }
        let cost = arms * Double(count) * costs.launch + (isBuilt ? 0 : costs.build)
        let value = (isBuilt ? 1 : success[revision]) * gain / cost
        if value > bestValue {
          bestValue = value
          best = (revision, count)
        }
      }
    }
    return best
  }

  /// How likely each revision builds; failures come in runs.
  private func chancesOfBuilding() -> [Double] {
    let broken = range.revisions.filter { range.status[$0] == .broken }
    var chances = [Double](repeating: 1 - costs.brokenShare, count: range.status.count)
    guard !broken.isEmpty else { return chances }
    var next = 0
    for revision in range.revisions where range.status[revision] == .unknown {
      while next < broken.count, broken[next] < revision { next += 1 }
      var distance = Int.max
      if next > 0 { distance = revision - broken[next - 1] }
      if next < broken.count { distance = min(distance, broken[next] - revision) }
      chances[revision] = min(chances[revision], 1 - 0.6 * pow(0.7, Double(distance - 1)))
    }
    return chances
  }
}

/// How far rows of a candidate set good and bad apart, in standard deviations.
private struct Separation {
  private let effect: Double
  private let variance: Double
  private let saturation: Double
  private let jitters: [(chance: Double, square: Double)]

  init(_ engine: BisectEngine) {
    let effect = max(engine.effect, engine.parameters.minimumEffect)
    let noise = engine.noise ?? 0.02
    self.effect = effect * effect
    variance = 2 * noise * noise
    saturation = engine.rules.saturation
    jitters = zip(engine.jitterChances, engine.rules.jitters).map { ($0, $1 * $1) }
  }

  func isSaturated(rounds: Int) -> Bool { Double(rounds) * effect / variance >= saturation }

  /// The separation that more rows add to those that are there.
  func added(_ count: Int, to have: Int) -> Double {
    max(0, square(have + count) - (have > 0 ? square(have) : 0)).squareRoot()
  }

  private func square(_ rounds: Int) -> Double {
    jitters.reduce(0) { sum, jitter in
      sum + jitter.chance * effect / (variance / Double(rounds) + 1.5 * jitter.square)
    }
  }
}

extension BisectEngine {
  /// Revisions that are not built and likely to be needed after one that is built now.
  ///
  /// They are the middles of the parts that it leaves, the likeliest part first, then of theirs.
  ///
  /// - Parameters:
  ///   - revision: The one that is built now.
  ///   - count: The most that are given.
  /// - Returns: Revisions, the likeliest first, without `revision`.
  package func ahead(of revision: Int, count: Int) -> [Int] {
    var result = [0, range.last].filter { $0 != revision && range.status[$0] == .unknown }
    let unknown = range.revisions.filter {
      range.status[$0] == .unknown && chances[$0] > 0 && $0 != 0 && $0 != range.last
    }
    // The revisions strictly between two builds, with the chance that the change is there.
    var parts = parts(of: unknown, at: revision)
    while result.count < count {
      guard let index = parts.indices.max(by: { chance(parts[$0]) < chance(parts[$1]) }) else {
        break
      }
      let part = parts.remove(at: index)
      guard let middle = middle(of: part) else { continue }
      result.append(middle)
      parts += self.parts(of: part, at: middle)
    }
    return Array(result.prefix(max(0, count)))
  }

  private func parts(of revisions: [Int], at middle: Int) -> [[Int]] {
    var parts: [[Int]] = [[]]
    for revision in revisions {
      if revision == middle {
        parts.append([])
        continue
      }
      // Builds divide what is not built.
      if let last = parts[parts.count - 1].last,
        range.between(last, revision).contains(where: { $0 == middle || range.isBuilt($0) })
      {
        parts.append([])
      }
      parts[parts.count - 1].append(revision)
    }
    return parts.filter { !$0.isEmpty }
  }

  private func chance(_ revisions: [Int]) -> Double { revisions.reduce(0) { $0 + chances[$1] } }

  /// The revision at which half of the chance of a part is reached.
  private func middle(of revisions: [Int]) -> Int? {
    let half = chance(revisions) / 2
    var sum = 0.0
    return revisions.first { revision in
      sum += chances[revision]
      return sum >= half
    }
  }
}

/// How much a measurement tells of whether a build is bad.
///
/// The log odds of a measurement are normal around ±d²/2 with the variance d², where d is how far
/// good and bad are apart in standard deviations. The gain is the expected drop of the entropy; it is
/// read from a table that is computed once, by Gauss-Hermite quadrature with 48 nodes.
enum InformationGain {
  /// The bits that are gained.
  ///
  /// - Parameters:
  ///   - logOdds: Of the build being bad, before the measurement; clamped to ±14.
  ///   - separation: The d, at least 0; clamped to 12.
  /// - Returns: From 0 to 1, interpolated between the values of the table.
  static func bits(logOdds: Double, separation: Double) -> Double {
    let table = InformationTable.shared
    let distance = min(max(separation, 0), 12)
    // Steps of 1/8 up to 6, of 1/4 after that.
    let row = distance < 6 ? distance * 8 : 48 + (distance - 6) * 4
    let first = min(Int(row), InformationTable.rows - 2)
    let column = min(max((logOdds + 14) * 4, 0), Double(InformationTable.columns) - 1.000001)
    let left = Int(column)
    let down = row - Double(first)
    let right = column - Double(left)
    let start = first * InformationTable.columns + left
    let next = start + InformationTable.columns
    let upper = (1 - right) * table.bits[start] + right * table.bits[start + 1]
    let lower = (1 - right) * table.bits[next] + right * table.bits[next + 1]
    return (1 - down) * upper + down * lower
  }

  /// The log odds of a probability, which is kept off 0 and 1.
  static func logOdds(_ probability: Double) -> Double {
    log(min(max(probability, 1e-12), 1)) - log(min(max(1 - probability, 1e-12), 1))
  }
}

/// The gains at log odds of −14 to 14 by quarters, and separations of 0 to 12.
private struct InformationTable: Sendable {
  static let rows = 73
  static let columns = 113
  static let shared = InformationTable()

  let bits: [Double]

  private init() {
    let quadrature = NormalQuadrature(count: 48)
    var bits: [Double] = []
    bits.reserveCapacity(Self.rows * Self.columns)
    for row in 0..<Self.rows {
      let distance = row <= 48 ? Double(row) / 8 : 6 + Double(row - 48) / 4
      for column in 0..<Self.columns {
        bits.append(Self.gain(logOdds: Double(column) / 4 - 14, distance, quadrature))
      }
    }
    self.bits = bits
  }

  private static func gain(
    logOdds: Double,
    _ distance: Double,
    _ quadrature: NormalQuadrature
  ) -> Double {
    let prior = probability(logOdds)
    let shift = distance * distance / 2
    var bad = 0.0
    var good = 0.0
    for (node, weight) in zip(quadrature.nodes, quadrature.weights) {
      bad += weight * entropy(probability(logOdds + shift + distance * node))
      good += weight * entropy(probability(logOdds - shift + distance * node))
    }
    return max(0, entropy(prior) - prior * bad - (1 - prior) * good)
  }

  private static func probability(_ logOdds: Double) -> Double {
    1 / (1 + exp(-min(max(logOdds, -60), 60)))
  }

  private static func entropy(_ probability: Double) -> Double {
    let other = 1 - probability
    return -(probability * log2(max(probability, 1e-300)) + other * log2(max(other, 1e-300)))
  }
}

/// The nodes and weights that give means under the standard normal distribution.
///
/// Source: Golub and Welsch, Mathematics of Computation 23 (1969), 221-230; the nodes are the
/// eigenvalues of a matrix with three diagonals, found by counting those below a value.
private struct NormalQuadrature {
  private(set) var nodes: [Double] = []
  private(set) var weights: [Double] = []

  init(count: Int) {
    let bound = 2 * Double(count).squareRoot()
    for rank in 0..<count {
      var low = -bound
      var high = bound
      for _ in 0..<60 {
        let middle = (low + high) / 2
        if Self.countBelow(middle, count: count) > rank { high = middle } else { low = middle }
      }
      nodes.append((low + high) / 2)
      weights.append(Self.weight((low + high) / 2, count: count))
    }
  }

  private static func countBelow(_ value: Double, count: Int) -> Int {
    var below = 0
    var pivot = -value
    for step in 0..<count {
      if step > 0 { pivot = -value - Double(step) / (pivot == 0 ? 1e-300 : pivot) }
      if pivot < 0 { below += 1 }
    }
    return below
  }

  /// One over the sum of the squared orthonormal polynomials.
  private static func weight(_ node: Double, count: Int) -> Double {
    var before = 0.0
    var value = 1.0
    var sum = 1.0
    for degree in 1..<count {
      let next =
        (node * value - Double(degree - 1).squareRoot() * before) / Double(degree).squareRoot()
      before = value
      value = next
      sum += value * value
    }
    return 1 / sum
  }
}
