/// Decides which of many probabilities are small when so many are looked at.
///
/// Among those accepted, on average at most the given share are accepted by chance, for tests that
/// are independent or depend on each other positively.
///
/// Source: Benjamini and Hochberg, Journal of the Royal Statistical Society B 57 (1995), 289-300.
package enum BenjaminiHochberg {
  /// Whether each probability is small enough.
  ///
  /// - Parameters:
  ///   - probabilities: Those of the results if nothing had changed, from 0 to 1, in any order; one
  ///     that is not a number is never accepted but counts.
  ///   - rate: The share of false ones that is borne, such as 0.05.
  /// - Returns: In the order of the probabilities. All up to the largest one that is not above its
  ///   limit are accepted. O(n log n).
  package static func accepted(_ probabilities: [Double], rate: Double) -> [Bool] {
    let ordered = probabilities.filter { !$0.isNaN }.sorted()
    let limits = limits(count: probabilities.count, rate: rate)
    let largest = ordered.indices.last { ordered[$0] <= limits[$0] }.map { ordered[$0] }
    return probabilities.map { probability in largest.map { probability <= $0 } ?? false }
  }

  /// What the smallest probability is held against, the second smallest, and so on.
  ///
  /// - Parameters:
  ///   - count: The number of probabilities that are looked at.
  ///   - rate: The share of false ones that is borne.
  /// - Returns: `rate` · i / `count` for i from 1 to `count`, ascending.
  package static func limits(count: Int, rate: Double) -> [Double] {
    (0..<max(0, count)).map { rate * Double($0 + 1) / Double(count) }
  }
}

/// How sure each look must be when there are several, and the first that decides ends it.
package enum BonferroniCorrection {
  /// The confidence of each of several looks at growing data.
  ///
  /// By the inequality of Bonferroni the chances that a look errs add up at most, however much the
  /// looks have in common: 1 − (1 − overall) / looks.
  ///
  /// - Parameters:
  ///   - overall: The confidence of all looks together, from 0 to 1.
  ///   - looks: How many there are at most, fixed in advance; fewer than 1 count as 1.
  /// - Returns: From `overall` to 1.
  package static func confidence(_ overall: Double, looks: Int) -> Double {
    looks > 1 ? 1 - (1 - overall) / Double(looks) : overall
  }
}
