import Foundation

/// The location of symmetric values by the median of all averages of two of them.
///
/// It bears outliers nearly as well as the median, and wastes little where there are none.
///
/// Source: Hodges and Lehmann, The Annals of Mathematical Statistics 34 (1963), 598-611; the interval
/// is that of the signed-rank test, exact for up to 15 values and by its normal approximation beyond.
package struct HodgesLehmann: Hashable, Sendable {
  /// The median of the averages of every two values, each with itself included.
  package let estimate: Double

  /// The ends of the interval, averages of two values themselves.
  package let lower: Double
  package let upper: Double

  /// Estimates the location; O(n log n), without keeping the averages.
  ///
  /// - Parameters:
  ///   - values: At least one finite number, in any order.
  ///   - confidence: From 0 to 1, both excluded. With few values the interval is all averages, and
  ///     holds less than that.
  package init(_ values: [Double], confidence: Double) {
    precondition(!values.isEmpty, "a location is that of values")
    let averages = PairAverages(values)
    let cut = SignedRank.excluded(count: values.count, confidence: confidence)
    let total = averages.count
    let middle = averages.value(at: total / 2)
    estimate =
      total.isMultiple(of: 2) ? (averages.value(at: total / 2 - 1) + middle) / 2 : middle
    lower = averages.value(at: cut)
    upper = averages.value(at: total - 1 - cut)
  }
}

/// The averages of every two of some values, counted without being written down.
private struct PairAverages {
  private let sorted: [Double]

  init(_ values: [Double]) { sorted = values.sorted() }

  var count: Int { sorted.count * (sorted.count + 1) / 2 }

  /// The average with so many before it in ascending order.
  ///
  /// It is the smallest number that enough averages do not exceed, found by halving the range of
  /// representable numbers, so it is exact.
  func value(at rank: Int) -> Double {
    var low = Self.order(sorted[0])
    var high = Self.order(sorted[sorted.count - 1])
    while low < high {
      let middle = (low >> 1) + (high >> 1) + (low & high & 1)
      if countNotAbove(Self.number(middle)) > rank { high = middle } else { low = middle + 1 }
    }
    return Self.number(low)
  }

  private func countNotAbove(_ limit: Double) -> Int {
    var total = 0
    var last = sorted.count
    for first in sorted.indices {
      while last > first, (sorted[first] + sorted[last - 1]) / 2 > limit { last -= 1 }
      guard last > first else { break }
      total += last - first
    }
    return total
  }

  /// The place of a number among all representable ones; 0 and −0 share theirs.
  private static func order(_ number: Double) -> Int64 {
    let bits = Int64(bitPattern: number.bitPattern)
    return bits >= 0 ? bits : Int64.min - bits
  }

  private static func number(_ order: Int64) -> Double {
    Double(bitPattern: UInt64(bitPattern: order >= 0 ? order : Int64.min - order))
  }
}

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

  /// How many of the smallest averages of two values, and of the largest, an interval leaves out.
  ///
  /// - Parameters:
  ///   - count: The number of values, at least 1.
  ///   - confidence: From 0 to 1, both excluded.
  /// - Returns: 0 also where all of them hold less than the confidence.
  static func excluded(count: Int, confidence: Double) -> Int {
    guard count > largestExact else {
      let sums = Double(1 << count)
      var below = 0.0
      let cut = ways(count).firstIndex { number in
        below += Double(number)
        return below / sums > (1 - confidence) / 2
      }
      return cut ?? 0
    }
    let n = Double(count)
    let z = StudentT.quantile(0.5 + confidence / 2, degreesOfFreedom: .infinity)
    let deviation = (n * (n + 1) * (2 * n + 1) / 24).squareRoot()
    return max(0, Int((n * (n + 1) / 4 - z * deviation).rounded(.down)))
  }

  private static let largestExact = 15

  /// In how many ways some of the ranks from 1 to `count` have each sum, from 0 up.
  private static func ways(_ count: Int) -> [Int] {
    var ways = [1] + [Int](repeating: 0, count: count * (count + 1) / 2)
    for rank in 1...count {
      for sum in ways.indices.reversed() where sum >= rank { ways[sum] += ways[sum - rank] }
    }
    return ways
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
