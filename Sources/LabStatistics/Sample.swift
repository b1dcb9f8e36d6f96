/// Numbers that statistics are taken of: at least one, and all of them finite.
///
/// The unit is the caller's. Sums and squares are taken in `Double`, so magnitudes should stay
/// below 1e150.
package struct Sample: Hashable, Sendable {
  /// In the order of collection.
  package let values: [Double]

  /// The same values, ascending.
  package let sorted: [Double]

  /// Takes the values in the order of collection; O(n log n).
  ///
  /// - Throws: ``StatisticsError`` when there are no values, or one is not finite.
  package init(_ values: [Double]) throws(StatisticsError) {
    guard !values.isEmpty else { throw .noValues }
    if let index = values.firstIndex(where: { !$0.isFinite }) { throw .notFinite(index: index) }
    self.values = values
    sorted = values.sorted()
  }

  /// The number of values, at least 1.
  package var count: Int { values.count }

  package var minimum: Double { sorted[0] }

  package var maximum: Double { sorted[count - 1] }

  package var range: Double { maximum - minimum }
}
