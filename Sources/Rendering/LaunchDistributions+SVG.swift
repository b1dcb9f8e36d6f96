import Foundation

extension LaunchDistributions {
  private static let width = 640.0
  private static let height = 280.0
  private static let left = 48.0
  private static let right = 624.0
  private static let top = 76.0
  private static let bottom = 240.0

  /// The share of launches that were ready by a time, one curve per side, as an SVG picture.
  ///
  /// Launches that never came are in the whole, so that such a curve does not reach 100 %. It holds no
  /// script and no reference to anything outside. The same values give the same bytes.
  package func svg() -> String {
    let name = SVGText.escaped(
      "\(title): " + sides.map { "\($0.name), \(note(on: $0))" }.joined(separator: "; ")
        + (thresholdText.map { "; \($0)" } ?? "")
    )
    let lines =
      [
        #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 280" width="640" height="280" "#
          + #"role="img" aria-label="\#(name)">"#,
        "<title>\(name)</title>",
      ] + Self.style.split(separator: "\n").map(String.init) + [
        #"<rect class="page" width="640" height="280"/>"#,
        text(16, 22, title.truncated(to: 80), "head"),
      ] + sides.indices.flatMap(key) + grid + mark + sides.indices.map(curve) + ["</svg>"]
    return lines.joinedLines()
  }

  private func x(_ value: Double) -> Double {
    Self.left + axis.place(of: value) * (Self.right - Self.left)
  }

  private func y(_ share: Double) -> Double {
    Self.bottom - share * (Self.bottom - Self.top)
  }

  private func note(on side: Side) -> String {
    let beyond = side.values.count { $0 > axis.high }
    return side.count + (beyond > 0 ? ", \(beyond) beyond the axis" : "")
  }

  private func key(_ index: Int) -> [String] {
    let y = 40.0 + 16 * Double(index)
    let side = sides[index]
    let name = side.name.printable.truncated(to: 40)
    return [
      line("curve c\(index % 2)", 16, y - 4, 44, y - 4),
      text(50, y, "\(name): \(note(on: side))", "n\(index % 2)"),
    ]
  }

  private var grid: [String] {
    let shares = [0, 0.25, 0.5, 0.75, 1].flatMap { share in
      [
        line("grid", Self.left, y(share), Self.right, y(share)),
        text(Self.left - 6, y(share) + 4, String(format: "%.0f %%", 100 * share), "faint end"),
      ]
    }
    let scale = Scale(unit, for: axis.high)
    return shares
      + ticks(dividing: scale.divisor).flatMap { tick in
        let x = x(tick)
        let label = String(format: "%g", tick / scale.divisor) + " \(scale.symbol)"
        return [
          line("grid", x, Self.top, x, Self.bottom + 4),
          text(x, Self.bottom + 18, label, x > Self.right - 24 ? "faint end" : "faint"),
        ]
      }
      + [
        text(
          Self.right,
          Self.bottom + 34,
          "share of launches that were ready by then" + (axis.isLogarithmic ? ", log axis" : ""),
          "faint end"
        )
      ]
  }

  /// Digits 1, 2 and 5 times powers of ten: multiples of one of them, or each on a logarithmic axis.
  private func ticks(dividing divisor: Double) -> [Double] {
    let (low, high) = (axis.low / divisor, axis.high / divisor)
    guard axis.isLogarithmic else {
      let least = (high - low) / 6
      let power = pow(10, floor(log10(least)))
      let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= least } ?? least
      return (0...7).map { ((low / step).rounded(.up) + Double($0)) * step }
        .filter { $0 <= high }.map { $0 * divisor }
    }
    let powers = Int(floor(log10(low)))...Int(ceil(log10(high)))
    let digits: [Double] = powers.count > 4 ? [1] : [1, 2, 5]
    return powers.flatMap { power in digits.map { $0 * pow(10, Double(power)) } }
      .filter { low <= $0 && $0 <= high }.map { $0 * divisor }
  }

  private var mark: [String] {
    guard let threshold, let label = thresholdText else { return [] }
    let x = x(threshold)
    let isLeft = x > (Self.left + Self.right) / 2
    return [
      line("mark", x, Self.top - 8, x, Self.bottom),
      text(x + (isLeft ? -5 : 5), Self.bottom - 8, label, isLeft ? "end" : ""),
    ]
  }

  /// Steps that are less than half a unit apart are one.
  private func curve(_ index: Int) -> String {
    let side = sides[index]
    let whole = Double(max(1, side.values.count + side.missing))
    var steps: [(x: Double, y: Double)] = []
    for (number, value) in side.values.enumerated() where value <= axis.high {
      let step = (x: (2 * x(value)).rounded() / 2, y: y(Double(number + 1) / whole))
      if steps.last?.x == step.x { steps[steps.count - 1].y = step.y } else { steps.append(step) }
    }
    let path = steps.map { "H\(SVGText.number($0.x))V\(SVGText.number($0.y))" }.joined()
    return #"<path class="curve c\#(index % 2)" d="M\#(SVGText.number(Self.left)) "#
      + #"\#(SVGText.number(Self.bottom))\#(path)H\#(SVGText.number(Self.right))"/>"#
  }

  private func line(
    _ kind: String,
    _ x1: Double,
    _ y1: Double,
    _ x2: Double,
    _ y2: Double
  ) -> String {
    #"<path class="\#(kind)" d="M\#(SVGText.number(x1)) \#(SVGText.number(y1))"#
      + #"L\#(SVGText.number(x2)) \#(SVGText.number(y2))"/>"#
  }

  private func text(_ x: Double, _ y: Double, _ text: String, _ kind: String) -> String {
    #"<text class="\#(kind)" x="\#(SVGText.number(x))" y="\#(SVGText.number(y))">"#
      + "\(SVGText.escaped(text))</text>"
  }

  private static let style = """
    <style>
    text { font: 12px system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #1f2328 }
    .head { font-size: 14px; font-weight: bold } .page { fill: #ffffff }
    .faint { fill: #59636e; text-anchor: middle } .end { text-anchor: end }
    .grid { stroke: #d8dee4 } .curve { fill: none; stroke-width: 2 }
    .c0 { stroke: #1a62a8; stroke-dasharray: 6 3 } .n0 { fill: #1a62a8 }
    .c1 { stroke: #b34a00 } .n1 { fill: #b34a00 }
    .mark { stroke: #1f2328; stroke-width: 1.5; stroke-dasharray: 3 3 }
    @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .page { fill: #0d1117 } .faint { fill: #9198a1 } .grid { stroke: #30363d }
    .c0 { stroke: #79c0ff } .n0 { fill: #79c0ff } .c1 { stroke: #ff9f4a } .n1 { fill: #ff9f4a }
    .mark { stroke: #e6edf3 }
    }
    </style>
    """
}
