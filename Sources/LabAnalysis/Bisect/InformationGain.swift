import Foundation

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
