import Foundation

/// How the CPU times of good and bad compare, in the pairs of launches whose times were measured.
package struct ProcessorTimeDifference: Hashable, Sendable {
  /// How many pairs there were.
  package var pairs: Int

  /// The log ratio of bad to good, with its 99 % interval.
  package var difference: LogInterval

  package init(pairs: Int, difference: LogInterval) {
    self.pairs = pairs
    self.difference = difference
  }

  /// The fewest pairs that are compared.
  static let fewestPairs = 8

  /// Compares the times of pairs; nil for fewer than 8 pairs of which both times are above 0.
  ///
  /// - Parameters:
  ///   - good: In nanoseconds, one per pair.
  ///   - bad: As many, in the same order.
  package init?(good: [Double], bad: [Double]) {
    let ratios = zip(good, bad).filter { $0 > 0 && $1 > 0 }.map { log($1 / $0) }
    guard ratios.count >= Self.fewestPairs else { return nil }
    self.init(
      pairs: ratios.count,
      difference: PairTest.interval(ratios, confidence: 0.99, isExact: false)
    )
  }

  /// Whether the times tell good from bad by some effect and more.
  package func isClear(_ effect: Double) -> Bool {
    difference.lower * difference.upper > 0 && abs(difference.estimate) >= effect
  }

  /// Whether the times are the same within an effect.
  package func isSame(within effect: Double) -> Bool {
    max(abs(difference.lower), abs(difference.upper)) < effect
  }
}
