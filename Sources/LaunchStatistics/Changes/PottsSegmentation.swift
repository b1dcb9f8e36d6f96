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

/// Cuts a long series in overlapping windows, so that time grows with its length only.
///
/// Of each window the cuts are taken that have a quarter of the window to their right: what follows
/// decides whether a change lasts. The next window begins at the last cut, or in the middle of the
/// window if that is later. Each window chooses its own penalty, so that noise that changes over
/// the years is judged by the noise around it, and a large step does not hide a small one elsewhere;
/// the logarithm of the whole length keeps the number of false cuts that of one exact solution.
struct SegmentationWindows {
  /// How many values are looked at together.
  static let width = 480

  private let values: [Double]
  private let width: Int

  init(_ values: [Double], width: Int = Self.width) {
    self.values = values
    self.width = width
  }

  func partition() -> Partition {
    var starts = [0]
    var penalties: [Double] = []
    var first = 0
    var end = 0
    while end < values.count {
      end = min(first + width, values.count)
      let fit = PenaltySearch(values[first..<end], total: values.count).fit()
      let limit = end == values.count ? end : end - width / 4
      for start in fit.starts.dropFirst() where first + start <= limit {
        starts.append(first + start)
        penalties.append(fit.gamma)
      }
      first = max(starts[starts.count - 1], first + width / 2)
    }
    var partition = Partition(values, starts: starts, penalties: penalties, reach: width)
    partition.joinUnpaid()
    return partition
  }
}

/// A series with the places where it is cut, which can be taken out again.
struct Partition {
  private let values: [Double]

  /// The first index of each piece, ascending from 0.
  private(set) var starts: [Int]

  /// What the cut before each piece must save, from the second piece on.
  private var penalties: [Double]

  /// How many values on either side of a cut are looked at to see what it saves.
  private let reach: Int

  /// What each cut saves beyond its penalty; below or equal to 0 it does not pay.
  private var gains: [Double] = []

  init(_ values: [Double], starts: [Int], penalties: [Double] = [], reach: Int = .max) {
    self.values = values
    self.starts = values.isEmpty ? [] : starts
    self.penalties = penalties
    self.reach = reach
  }

  var segments: [Segment] { starts.indices.map { segment(range(of: $0)) } }

  /// Takes out the cuts that save no more than their penalty, the worst first.
  mutating func joinUnpaid() {
    weighCuts()
    while let worst = gains.indices.min(by: { gains[$0] < gains[$1] }), gains[worst] <= 0 {
      remove(worst)
    }
  }

  /// Joins pieces that are too short, then takes out what no longer pays.
  mutating func joinShort(minimumLength: Int) {
    weighCuts()
    while starts.count > 1 {
      let lengths = starts.indices.map { range(of: $0).count }
      guard let shortest = lengths.indices.min(by: { lengths[$0] < lengths[$1] }),
        lengths[shortest] < minimumLength
      else { return }
      remove(cheaperCut(of: shortest))
      joinUnpaid()
    }
  }

  /// Takes out the smallest jump, as a share of the level before it, until none is too small.
  mutating func joinSmall(effect: Double) {
    weighCuts()
    while starts.count > 1, effect > 0 {
      let levels = segments.map(\.level)
      let jumps = zip(levels, levels.dropFirst()).map { abs($1 - $0) / abs($0) }
      guard let smallest = jumps.indices.min(by: { jumps[$0] < jumps[$1] }),
        jumps[smallest] < effect
      else { return }
      remove(smallest)
    }
  }

  private mutating func weighCuts() {
    guard gains.count != penalties.count else { return }
    gains = penalties.indices.map { saving(at: $0) - penalties[$0] }
  }

  /// The cut on that side of a piece where joining costs less, the left one if equal.
  private func cheaperCut(of piece: Int) -> Int {
    guard piece > 0 else { return 0 }
    guard piece < starts.count - 1 else { return piece - 1 }
    return saving(at: piece) < saving(at: piece - 1) ? piece : piece - 1
  }

  private mutating func remove(_ cut: Int) {
    starts.remove(at: cut + 1)
    penalties.remove(at: cut)
    gains.remove(at: cut)
    for near in [cut - 1, cut] where gains.indices.contains(near) {
      gains[near] = saving(at: near) - penalties[near]
    }
  }

  /// How much less the two pieces beside a cut cost than one piece of both.
  private func saving(at cut: Int) -> Double {
    let left = range(of: cut).suffix(reach)
    let right = range(of: cut + 1).prefix(reach)
    let both = left.lowerBound..<right.upperBound
    return cost(of: both) - cost(of: left) - cost(of: right)
  }

  private func range(of piece: Int) -> Range<Int> {
    starts[piece]..<(piece + 1 < starts.count ? starts[piece + 1] : values.count)
  }

  private func cost(of range: Range<Int>) -> Double {
    let level = medianOfSorted(values[range].sorted()[...])
    return values[range].reduce(0) { $0 + abs($1 - level) }
  }

  private func segment(_ range: Range<Int>) -> Segment {
    let level = medianOfSorted(values[range].sorted()[...])
    let error = values[range].reduce(0) { $0 + abs($1 - level) } / Double(range.count)
    return Segment(range: range, level: level, error: error)
  }
}

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
