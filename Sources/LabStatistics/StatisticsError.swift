/// Why numbers are no sample.
///
/// This module imports nothing of launchlab, so the caller puts the error into its own words.
package enum StatisticsError: Error, Hashable, Sendable {
  case noValues

  /// A value is infinite or not a number; `index` is its place in the given order.
  case notFinite(index: Int)
}
