/// A stretch of a series at one level.
package struct Segment: Hashable, Codable, Sendable {
  /// Indices into the series, at least one.
  package var range: Range<Int>

  /// The median of the values, in their unit.
  package var level: Double

  /// The mean absolute deviation from the level.
  package var error: Double

  package init(range: Range<Int>, level: Double, error: Double) {
    self.range = range
    self.level = level
    self.error = error
  }
}
