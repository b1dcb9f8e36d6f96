import LaunchCore
import LaunchStatistics
import Rendering

/// The nights of a series that a chart shows, and the range of values that suits them.
struct ChartWindow {
  /// How many nights a chart shows if nothing asks for more.
  static let usual = 90

  /// The most nights of a chart, so that a point has two columns.
  static let most = 365

  let trend: SeriesTrend

  /// The nights from left to right.
  let slots: [NightSlots.Slot]

  /// Per slot the index of its point; nil for a gap.
  let points: [Int?]

  /// The lower and the upper end of the axis.
  let low: Double
  let high: Double

  /// Which segment each point is in, by its index.
  private let levels: [Double]

  /// Takes the last nights, and those back to 20 nights before an onset.
  init(_ trend: SeriesTrend, in nights: NightSlots, onset: String?, limit: Double?) {
    self.trend = trend
    let count = nights.slots.count
    let before = onset.flatMap(nights.index).map { count - $0 + 20 } ?? 0
    let first = trend.points.lazy.compactMap { nights.index(of: $0.run) }.first ?? 0
    let shown = min(max(Self.usual, before), Self.most, max(count - first, 1))
    slots = nights.slots.suffix(shown)
    points = nights.points(of: trend, last: shown)
    levels = Self.levels(of: trend)
    (low, high) = Self.range(of: trend, points.compactMap(\.self), levels, limit: limit)
  }

  /// Per point the level of its segment, or the point itself where it has none.
  private static func levels(of trend: SeriesTrend) -> [Double] {
    var levels = trend.points.map(\.median)
    for segment in trend.segments {
      for index in segment.range where levels.indices.contains(index) {
        levels[index] = segment.level
      }
    }
    return levels
  }

  /// The points of a whole series that lie far from their level.
  static func far(of trend: SeriesTrend) -> [Int] {
    far(of: trend, Array(trend.points.indices), levels(of: trend)).sorted()
  }

  /// The points whose distance from their level is above six robust standard deviations and 5 % of it.
  ///
  /// 1.4826 makes the median absolute deviation one of a normal distribution.
  private static func far(of trend: SeriesTrend, _ points: [Int], _ levels: [Double]) -> Set<Int> {
    let distances = points.map { abs(trend.points[$0].median - levels[$0]) }
    let ordered = distances.sorted()
    let typical = ordered.isEmpty ? 0 : ordered[ordered.count / 2]
    let far = zip(points, distances).filter { index, distance in
      distance > max(6 * 1.4826 * typical, 0.05 * abs(levels[index]))
    }
    return Set(far.map(\.0))
  }

  /// The range of the levels and of the values that lie near theirs.
  private static func range(
    of trend: SeriesTrend,
    _ points: [Int],
    _ levels: [Double],
    limit: Double?
  ) -> (Double, Double) {
    let far = far(of: trend, points, levels)
    let near = points.filter { !far.contains($0) }
    let tonight = points.last.map { [trend.points[$0].median] } ?? []
    let shown = near.map { trend.points[$0].median } + points.map { levels[$0] } + tonight
    let values = shown + [limit].compactMap(\.self).filter { isNear($0, shown) }
    guard let least = values.min(), let most = values.max() else { return (0, 1) }
    let middle = (least + most) / 2
    let span = max((most - least) * 1.25, abs(middle) * 0.06)
    guard span > 0 else { return (middle - 1, middle + 1) }
    let low = middle - span / 2
    return (least >= 0 ? max(low, 0) : low, middle + span / 2)
  }

  /// Whether a limit leaves a third of the height to the values.
  private static func isNear(_ limit: Double, _ values: [Double]) -> Bool {
    guard let least = values.min(), let most = values.max() else { return true }
    let span = max(most - least, abs(least + most) / 2 * 0.06)
    return limit <= most + 2 * span && limit >= least - 2 * span
  }

  /// The slots whose value lies outside the axis.
  var clipped: [Int] {
    points.indices.filter { slot in
      guard let point = points[slot] else { return false }
      let median = trend.points[point].median
      return median < low || median > high
    }
  }

  /// Round values between the ends, at most 6.
  var ticks: [Double] {
    let divisor = Scale(trend.key.metric.unit, for: high).divisor
    let step = Self.roundStep((high - low) / divisor / 5) * divisor
    guard step > 0, step.isFinite else { return [] }
    let first = (low / step).rounded(.up)
    let last = (high / step).rounded(.down)
    guard last >= first, last - first < 20 else { return [] }
    return (0...Int(clamping: last - first)).map { (first + Double($0)) * step }
  }

  private static func roundStep(_ least: Double) -> Double {
    guard least > 0, least.isFinite else { return 0 }
    var power = 1.0
    while power > least { power /= 10 }
    while power * 10 <= least { power *= 10 }
    return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least } ?? 10 * power
  }

  /// The stretches of one level that are shown: slots, and the level.
  var segments: [(slots: ClosedRange<Int>, level: Double)] {
    var slotOf: [Int: Int] = [:]
    for (slot, point) in points.enumerated() {
      if let point { slotOf[point] = slot }
    }
    return trend.segments.compactMap { segment in
      let shown = segment.range.compactMap { slotOf[$0] }
      guard let first = shown.first, let last = shown.last else { return nil }
      return (slots: first...last, level: segment.level)
    }
  }

  /// The slot of a point; nil when it is not shown.
  func slot(of point: Int) -> Int? { points.firstIndex(of: point) }
}

/// The colours of a chart, as hexadecimal sRGB; each stands out from `background` by at least 4.5 : 1
/// but for the grid.
package struct ChartTheme: Hashable, Sendable {
  /// For pages with a light background.
  package static let light = ChartTheme(
    suffix: "",
    background: "#ffffff",
    text: "#1f2328",
    faint: "#59636e",
    grid: "#d8dee4",
    value: "#0969da",
    level: "#1f2328",
    worse: "#cf222e",
    better: "#1a7f37",
    broken: "#8250df",
    outlier: "#bc4c00"
  )

  /// For pages with a dark background.
  package static let dark = ChartTheme(
    suffix: "-dark",
    background: "#0d1117",
    text: "#e6edf3",
    faint: "#9198a1",
    grid: "#30363d",
    value: "#58a6ff",
    level: "#e6edf3",
    worse: "#ff7b72",
    better: "#56d364",
    broken: "#bc8cff",
    outlier: "#f0883e"
  )

  /// What the name of the file ends with, before its extension.
  let suffix: String

  let background: String
  let text: String
  let faint: String
  let grid: String
  let value: String
  let level: String
  let worse: String
  let better: String
  let broken: String
  let outlier: String
}
