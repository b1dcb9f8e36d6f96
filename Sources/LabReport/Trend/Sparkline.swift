import LabAnalysis
import LabModel

/// The last nights of a series as a line of block elements.
struct Sparkline {
  private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// The smallest height, as a share of the middle, so that noise does not look like a step.
  private static let leastSpan = 0.1

  /// Per night the value; nil for a night without one.
  var values: [Double?]

  /// The indices of the nights that a break stands before.
  var breaks: Set<Int> = []

  /// One character per night, `·` where there is no value, and `╎` at a break.
  var text: String {
    let known = values.compactMap(\.self)
    guard let low = known.min(), let high = known.max() else {
      return String(repeating: "·", count: values.count)
    }
    let middle = (low + high) / 2
    let span = max(high - low, abs(middle) * Self.leastSpan)
    let bottom = middle - span / 2
    return values.enumerated().reduce(into: "") { text, item in
      if breaks.contains(item.offset) { text.append("╎") }
      guard let value = item.element, span > 0 else {
        return text.append(item.element == nil ? "·" : Self.blocks[0])
      }
      let step = Int((value - bottom) / span * Double(Self.blocks.count))
      text.append(Self.blocks[min(max(step, 0), Self.blocks.count - 1)])
    }
  }

  init(values: [Double?], breaks: Set<Int> = []) {
    self.values = values
    self.breaks = breaks
  }

  /// The line of a trend over the last nights.
  init(_ trend: SeriesTrend, in slots: NightSlots, nights: Int = 30) {
    let points = slots.points(of: trend, last: nights)
    let broken = Set(trend.breaks.map(\.index))
    values = points.map { $0.map { trend.points[$0].median } }
    breaks = Set(points.indices.filter { $0 > 0 && points[$0].map(broken.contains) ?? false })
  }
}
