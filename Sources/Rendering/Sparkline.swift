/// Values as a line of block elements.
package struct Sparkline {
  private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// The smallest height, as a share of the middle, so that noise does not look like a step.
  private static let leastSpan = 0.1

  /// Per night the value; nil for a night without one.
  var values: [Double?]

  /// The indices of the nights that a break stands before.
  var breaks: Set<Int> = []

  /// One character per night, `·` where there is no value, and `╎` at a break.
  package var text: String {
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

  package init(values: [Double?], breaks: Set<Int> = []) {
    self.values = values
    self.breaks = breaks
  }
}
