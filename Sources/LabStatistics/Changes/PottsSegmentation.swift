import Foundation

/// Cuts a series into stretches of one level each, with as few cuts as the noise warrants.
///
/// A step function x is fitted to the values y so that γ · (number of jumps) + Σ|y − x| is least.
/// Absolute deviations make the level of a stretch its median, so that single spikes neither move it
/// nor make a stretch of their own unless they are as expensive as a jump. The penalty γ is chosen
/// from the values themselves, see ``segments(of:)``.
///
/// Values must be finite; with others the result is one segment that means nothing. Magnitudes
/// should stay below 1e150.
///
/// Sources: Friedrich, Kempe, Liebscher and Winkler, Journal of Computational and Graphical
/// Statistics 17 (2008), 201-224; the choice of γ and its constants as in airspeed velocity's step
/// detection, after Yao, Statistics & Probability Letters 6 (1988), 181-189.
package enum PottsSegmentation {
  /// The most values that are cut in one piece; more are cut in overlapping windows.
  package static let exactCount = 500

  /// The fewest values of a level: what lasted for fewer nights is no level yet.
  package static let minimumLength = 3

  /// The segments of a series with the penalty that suits it.
  ///
  /// The penalty is the one that minimises 4 ln(n) / n · (segments) + ln(σ₀ + S), where S is the sum
  /// of the deviations after a correlation of neighbours is taken out of them, and σ₀ keeps perfect
  /// fits finite. Beyond 500 values the cuts are found in overlapping windows of 480 values; then
  /// cuts that do not pay in the sight of 480 values on either side are taken out again.
  ///
  /// A series of two or three values may be cut into single ones;
  /// ``levels(of:minimumLength:effect:)`` does not do so.
  ///
  /// - Parameter values: Finite numbers in the order of time, in any unit.
  /// - Returns: Segments that cover the indices without gaps, ascending; empty for no values. O(n²)
  ///   up to 500 values, O(n) beyond.
  package static func segments(of values: [Double]) -> [Segment] {
    partition(of: values).segments
  }

  /// The segments of a series with a given penalty, by the exact method whatever the length.
  ///
  /// - Parameters:
  ///   - values: Finite numbers in the order of time.
  ///   - gamma: The cost of one jump, in the unit of the values.
  /// - Returns: Segments that cover the indices without gaps; empty for no values. Of solutions that
  ///   cost the same, the one with the latest last cut. O(n²) in time and memory.
  package static func segments(of values: [Double], gamma: Double) -> [Segment] {
    guard isUsable(values) else { return Partition(values, starts: [0]).segments }
    let costs = SegmentCosts(values[...])
    return Partition(values, starts: costs.cheapestStarts(gamma: gamma)).segments
  }

  /// The segments of a series that last, and that differ by as much as matters.
  ///
  /// A segment below the minimum length is joined to the neighbour where that costs less, the
  /// shortest first; after each join, cuts that no longer pay their penalty are taken out. So a
  /// spike of one or two values vanishes, and the levels before and after it become one again. Then
  /// the smallest jump below the effect limit is taken out, until there is none.
  ///
  /// - Parameters:
  ///   - values: Finite numbers in the order of time.
  ///   - minimumLength: The fewest values of a segment; a shorter series is one segment.
  ///   - effect: The smallest jump, as a share of the level before it.
  /// - Returns: Segments that cover the indices without gaps; empty for no values.
  package static func levels(
    of values: [Double],
    minimumLength: Int = Self.minimumLength,
    effect: Double = 0
  ) -> [Segment] {
    var partition = partition(of: values)
    partition.joinShort(minimumLength: minimumLength)
    partition.joinSmall(effect: effect)
    return partition.segments
  }

  private static func partition(of values: [Double]) -> Partition {
    guard isUsable(values) else { return Partition(values, starts: [0]) }
    guard values.count > exactCount else {
      let fit = PenaltySearch(values[...]).fit()
      let penalties = Array(repeating: fit.gamma, count: max(0, fit.starts.count - 1))
      return Partition(values, starts: fit.starts, penalties: penalties)
    }
    return SegmentationWindows(values).partition()
  }

  private static func isUsable(_ values: [Double]) -> Bool { values.allSatisfy(\.isFinite) }
}
