import Foundation
import LaunchCore
import Rendering

/// The drawn parts of a chart, from the back to the front.
struct ChartPlot {
  static let fonts = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"

  static let left = 76.0
  static let right = 784.0
  static let top = 80.0
  static let bottom = 222.0

  let window: ChartWindow
  let theme: ChartTheme

  private var unit: Metric.Unit { window.trend.key.metric.unit }

  /// The middle of a night.
  private func x(_ slot: Int) -> Double {
    let width = (Self.right - Self.left) / Double(max(window.slots.count, 1))
    return Self.left + (Double(slot) + 0.5) * width
  }

  /// Where a night begins.
  func edge(_ slot: Int) -> Double {
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

  /// The limit of a budget, or where it is when it is far from every value.
  func limit(_ limit: Double?) -> [String] {
    guard let limit else { return [] }
    let isShown = limit >= window.low && limit <= window.high
    let place = isShown ? y(limit) : limit > window.high ? Self.top + 8 : Self.bottom
    let side = isShown ? "" : limit > window.high ? ", above this axis ↑" : ", below this axis ↓"
    let stroke = #" stroke-width="1.5" stroke-dasharray="8 3 2 3""#
    let name = text(
      Self.left + 4,
      place - 4,
      "budget \(Quantity.text(limit, unit))\(side)",
      theme.outlier
    )
    let drawn = line(Self.left, place, Self.right, place, theme.outlier, stroke)
    return isShown ? [drawn, name] : [name]
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

  func line(
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

  /// A small text that stays readable where it crosses a line.
  func text(
    _ x: Double,
    _ y: Double,
    _ text: String,
    _ colour: String,
    isEnd: Bool = false
  ) -> String {
    #"<text x="\#(SVGText.number(x))" y="\#(SVGText.number(y))" font-size="11" "#
      + #"text-anchor="\#(isEnd ? "end" : "start")" fill="\#(colour)" "#
      + #"stroke="\#(theme.background)" stroke-width="3" paint-order="stroke">"#
      + "\(SVGText.escaped(text))</text>"
  }

  private static func path(_ corners: [(Double, Double)]) -> String {
    corners.enumerated().map { number, corner in
      "\(number == 0 ? "M" : "L")\(SVGText.number(corner.0)) \(SVGText.number(corner.1))"
    }.joined()
  }
}

extension ChartPlot {
  /// What the signs mean, in one line below the dates, each drawn as it is in the chart.
  func legend(hasBreaks: Bool, isOutside: Bool) -> [String] {
    let entries = [
      Entry(sign: dot, text: "median of a night"), Entry(sign: band, text: "95 % interval"),
      Entry(sign: stroke(theme.level, #" stroke-width="1.8""#), text: "level"),
      Entry(sign: upright(theme.worse), text: "level changed"),
    ]
    let breaks = Entry(
      sign: upright(theme.broken, #" stroke-dasharray="5 4""#),
      text: "not compared across"
    )
    let outside = Entry(
      sign: {
        #"<path d="M\#($0 + 6) 257L\#($0 + 1) 266L\#($0 + 11) 266Z" fill="\#(theme.outlier)"/>"#
      },
      text: "outside the axis"
    )
    var x = 76
    let shown = entries + (hasBreaks ? [breaks] : []) + (isOutside ? [outside] : [])
    return shown.flatMap { entry -> [String] in
      let place = x
      x += 32 + entry.text.count * 57 / 10
      return [
        entry.sign(place),
        #"<text x="\#(place + 18)" y="266" font-size="11" fill="\#(theme.faint)">"#
          + "\(entry.text)</text>",
      ]
    }
  }

  private struct Entry {
    /// Draws the sign, 12 units wide.
    var sign: (Int) -> String
    var text: String
  }

  private func dot(_ x: Int) -> String {
    #"<circle cx="\#(x + 6)" cy="262" r="2.6" fill="\#(theme.value)"/>"#
  }

  private func band(_ x: Int) -> String {
    #"<rect x="\#(x)" y="257" width="12" height="10" fill="\#(theme.value)" fill-opacity="0.22"/>"#
  }

  private func stroke(_ colour: String, _ attributes: String) -> (Int) -> String {
    { #"<line x1="\#($0)" y1="262" x2="\#($0 + 12)" y2="262" stroke="\#(colour)"\#(attributes)/>"# }
  }

  private func upright(_ colour: String, _ attributes: String = "") -> (Int) -> String {
    {
      #"<line x1="\#($0 + 6)" y1="256" x2="\#($0 + 6)" y2="268" stroke="\#(colour)"\#(attributes)/>"#
    }
  }
}
