import Foundation
import LabAnalysis
import LabModel

/// The drawn parts of a chart, from the back to the front.
struct ChartPlot {
  static let fonts = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"

  private static let left = 76.0
  private static let right = 784.0
  private static let top = 66.0
  private static let bottom = 222.0

  let window: ChartWindow
  let theme: ChartTheme

  /// A change of the level, and what is written above it.
  struct Mark {
    var point: Int
    var text: String
    var isWorse: Bool

    /// Whether the chart is drawn for it.
    var isOwn: Bool
  }

  private var unit: Metric.Unit { window.trend.key.metric.unit }

  /// The middle of a night.
  private func x(_ slot: Int) -> Double {
    let width = (Self.right - Self.left) / Double(max(window.slots.count, 1))
    return Self.left + (Double(slot) + 0.5) * width
  }

  /// Where a night begins.
  private func edge(_ slot: Int) -> Double {
    Self.left + Double(slot) * (Self.right - Self.left) / Double(max(window.slots.count, 1))
  }

  private func y(_ value: Double) -> Double {
    let share = (value - window.low) / (window.high - window.low)
    return Self.bottom - min(max(share, 0), 1) * (Self.bottom - Self.top)
  }

  // MARK: - Axes

  var axes: [String] {
    let ticks = window.ticks
    let scale = Scale(unit, for: window.high)
    let step = ticks.count > 1 ? (ticks[1] - ticks[0]) / scale.divisor : 1
    let horizontal = ticks.flatMap { tick -> [String] in
      [
        line(Self.left, y(tick), Self.right, y(tick), theme.grid),
        #"<text x="\#(SVGText.number(Self.left - 8))" y="\#(SVGText.number(y(tick) + 4))" "#
          + #"text-anchor="end" fill="\#(theme.faint)">"#
          + "\(Self.number(tick / scale.divisor, step: step)) \(scale.symbol)</text>",
      ]
    }
    return horizontal + [line(Self.left, Self.bottom, Self.right, Self.bottom, theme.faint)]
      + dates
  }

  private static func number(_ value: Double, step: Double) -> String {
    var decimals = 0
    var left = step
    while decimals < 6, abs(left - left.rounded()) > 1e-6 * left {
      left *= 10
      decimals += 1
    }
    return String(format: "%.\(decimals)f", value)
  }

  private var dates: [String] {
    let count = window.slots.count
    let every = max(1, (count + 5) / 6)
    // Counted from tonight, whose date always stands at the right end.
    return stride(from: count - 1, through: 0, by: -every).reversed().flatMap { slot -> [String] in
      let isLast = x(slot) > Self.right - 40
      return [
        line(x(slot), Self.bottom, x(slot), Self.bottom + 5, theme.faint),
        #"<text x="\#(SVGText.number(isLast ? Self.right : x(slot)))" y="240" "#
          + #"text-anchor="\#(isLast ? "end" : "middle")" "#
          + #"fill="\#(theme.faint)">\#(window.slots[slot].day)</text>"#,
      ]
    }
  }

  // MARK: - Values

  /// The intervals of the nights, one band per stretch without a gap or a break.
  var bands: [String] {
    stretches.compactMap { stretch -> String? in
      let bounds = stretch.compactMap { slot -> (Double, Double, Double)? in
        guard let point = point(slot), let low = point.intervalLow, let high = point.intervalHigh
        else { return nil }
        return (x(slot), y(low), y(high))
      }
      guard let first = bounds.first, bounds.count == stretch.count else { return nil }
      let corners: [(Double, Double)]
      if bounds.count == 1 {
        corners = [
          (first.0 - 2, first.1), (first.0 - 2, first.2), (first.0 + 2, first.2),
          (first.0 + 2, first.1),
        ]
      } else {
        corners = bounds.map { ($0.0, $0.2) } + bounds.reversed().map { ($0.0, $0.1) }
      }
      return #"<path d="\#(Self.path(corners))Z" fill="\#(theme.value)" fill-opacity="0.22"/>"#
    }
  }

  /// A thin line through the nights of each stretch, and a point for each night.
  var points: [String] {
    let lines = stretches.filter { $0.count > 1 }.map { stretch in
      let path = Self.path(stretch.map { (x($0), y(value($0))) })
      return
        #"<path d="\#(path)" fill="none" stroke="\#(theme.value)" stroke-opacity="0.5"/>"#
    }
    let radius = window.slots.count > 150 ? "1.6" : "2.6"
    let clipped = Set(window.clipped)
    let dots = window.points.indices.filter { window.points[$0] != nil && !clipped.contains($0) }
      .map { slot in
        #"<circle cx="\#(SVGText.number(x(slot)))" cy="\#(SVGText.number(y(value(slot))))" "#
          + #"r="\#(radius)" fill="\#(theme.value)"/>"#
      }
    return lines + dots + window.clipped.flatMap(arrow)
  }

  /// An arrow at the edge for a value outside the axis, with the value for the first few.
  private func arrow(_ slot: Int) -> [String] {
    let isAbove = value(slot) > window.high
    let tip = isAbove ? Self.top : Self.bottom
    let base = isAbove ? tip + 9 : tip - 9
    let path = Self.path([(x(slot), tip), (x(slot) - 5, base), (x(slot) + 5, base)])
    let head = #"<path d="\#(path)Z" fill="\#(theme.outlier)"/>"#
    guard window.clipped.prefix(6).contains(slot) else { return [head] }
    let isRight = x(slot) > Self.right - 80
    return [
      head,
      #"<text x="\#(SVGText.number(x(slot) + (isRight ? -8 : 8)))" "#
        + #"y="\#(SVGText.number(isAbove ? tip + 10 : tip - 3))" font-size="11" "#
        + #"text-anchor="\#(isRight ? "end" : "start")" fill="\#(theme.outlier)">"#
        + "\(Quantity.text(value(slot), unit))</text>",
    ]
  }

  var levels: [String] {
    window.segments.map { segment in
      line(
        edge(segment.slots.lowerBound),
        y(segment.level),
        edge(segment.slots.upperBound + 1),
        y(segment.level),
        theme.level,
        #" stroke-width="1.8""#
      )
    }
  }

  /// The limit of a budget.
  func limit(_ limit: Double?) -> [String] {
    guard let limit, limit >= window.low, limit <= window.high else { return [] }
    return [
      line(
        Self.left,
        y(limit),
        Self.right,
        y(limit),
        theme.outlier,
        #" stroke-width="1.5" stroke-dasharray="8 3 2 3""#
      ),
      #"<text x="\#(SVGText.number(Self.left + 4))" y="\#(SVGText.number(y(limit) - 4))" "#
        + #"font-size="11" fill="\#(theme.outlier)">budget \#(Quantity.text(limit, unit))</text>"#,
    ]
  }

  // MARK: - Pieces

  private func point(_ slot: Int) -> SeriesPoint? {
    window.points[slot].map { window.trend.points[$0] }
  }

  private func value(_ slot: Int) -> Double { point(slot)?.median ?? 0 }

  /// Slots next to each other that have a value, without a break between them.
  private var stretches: [[Int]] {
    let broken = Set(window.trend.breaks.map(\.index))
    return window.points.indices.reduce(into: [[Int]]()) { stretches, slot in
      guard let point = window.points[slot] else { return }
      if let last = stretches.last?.last, last == slot - 1, !broken.contains(point) {
        stretches[stretches.count - 1].append(slot)
      } else {
        stretches.append([slot])
      }
    }
  }

  private func line(
    _ x1: Double,
    _ y1: Double,
    _ x2: Double,
    _ y2: Double,
    _ colour: String,
    _ attributes: String = ""
  ) -> String {
    #"<line x1="\#(SVGText.number(x1))" y1="\#(SVGText.number(y1))" x2="\#(SVGText.number(x2))" "#
      + #"y2="\#(SVGText.number(y2))" stroke="\#(colour)"\#(attributes)/>"#
  }

  private static func path(_ corners: [(Double, Double)]) -> String {
    corners.enumerated().map { number, corner in
      "\(number == 0 ? "M" : "L")\(SVGText.number(corner.0)) \(SVGText.number(corner.1))"
    }.joined()
  }

  // MARK: - Marks

  /// A dashed vertical before each break, with its reason.
  func breaks(_ breaks: [SeriesBreak]) -> [String] {
    breaks.flatMap { item -> [String] in
      guard let slot = window.slot(of: item.index) else { return [] }
      return flag(
        at: edge(slot),
        "┆ \(item.text)".truncated(to: 44),
        colour: theme.broken,
        dash: #" stroke-dasharray="5 4""#,
        row: 0
      )
    }
  }

  func changes(_ marks: [Mark]) -> [String] {
    var taken = -Double.infinity
    return marks.flatMap { mark -> [String] in
      guard let slot = window.slot(of: mark.point) else { return [] }
      // Labels that would lie on each other are left out, but for that of the alert itself.
      let isFree = edge(slot) - taken > 150 || mark.isOwn
      if isFree { taken = edge(slot) }
      return flag(
        at: edge(slot),
        isFree ? mark.text : String(mark.text.prefix(1)),
        colour: mark.isWorse ? theme.worse : theme.better,
        dash: mark.isOwn ? #" stroke-width="2""# : "",
        row: 1
      )
    }
  }

  private func flag(
    at place: Double,
    _ text: String,
    colour: String,
    dash: String,
    row: Int
  ) -> [String] {
    let isRight = place > (Self.left + Self.right) / 2 + 80
    let height = row == 0 ? 44.0 : 59.0
    return [
      line(place, height - 10, place, Self.bottom, colour, dash),
      #"<text x="\#(SVGText.number(place + (isRight ? -5 : 5)))" y="\#(SVGText.number(height))" "#
        + #"font-size="11" text-anchor="\#(isRight ? "end" : "start")" fill="\#(colour)">"#
        + "\(SVGText.escaped(text))</text>",
    ]
  }
}
