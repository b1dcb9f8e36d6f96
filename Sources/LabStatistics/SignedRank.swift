import Foundation

/// The signed-rank test of whether values lie symmetrically around 0.
package enum SignedRank {
  /// The probability, under symmetry, of ranks as one-sided as these in either direction.
  ///
  /// - Parameter values: Finite numbers in any order; zeros are left out.
  /// - Returns: From 0 to 1; 1 when fewer than six values are not 0. By the normal approximation with
  ///   a correction for continuity, and mean ranks for equal magnitudes; O(n log n).
  ///
  /// Source: Wilcoxon, Biometrics Bulletin 1 (1945), 80-83.
  package static func probability(_ values: [Double]) -> Double {
    let ordered = values.filter { $0 != 0 }.sorted { abs($0) < abs($1) }
    guard ordered.count >= 6 else { return 1 }
    let count = Double(ordered.count)
    let mean = count * (count + 1) / 4
    let deviation = (count * (count + 1) * (2 * count + 1) / 24).squareRoot()
    let distance = max(0, abs(positiveRankSum(ordered) - mean) - 0.5) / deviation
    return min(1, 2 * StudentT.upperTail(distance, degreesOfFreedom: .infinity))
  }

  /// The sum of the ranks of the positive values among values in the order of their magnitudes.
  private static func positiveRankSum(_ ordered: [Double]) -> Double {
    var sum = 0.0
    var first = 0
    while first < ordered.count {
      var last = first
      while last + 1 < ordered.count, abs(ordered[last + 1]) == abs(ordered[first]) { last += 1 }
      let rank = Double(first + last) / 2 + 1
      sum += rank * Double(ordered[first...last].count { $0 > 0 })
      first = last + 1
    }
    return sum
  }
}
