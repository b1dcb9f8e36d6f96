import Foundation
package import LaunchCore

/// Films of launches below each other on a common axis of time, as an SVG picture.
///
/// Each row has how the window looked at the same times, and the progress at these; below them is the
/// progress as curves. A picture that is not that of the time before has a frame. It holds no script
/// and no reference to anything outside. The same films give the same bytes.
package struct FilmStrip: Hashable, Sendable {
  /// What the launches have in common.
  package var title: String

  /// From the top down.
  package var rows: [Row]

  /// The film of one launch.
  package struct Row: Hashable, Sendable {
    /// Which launch it is, such as `warm` or `tonight`.
    package var name: String

    package var film: Film

    package init(name: String, film: Film) {
      self.name = name
      self.film = film
    }

    /// The Speed Index, and when the last picture was there.
    package var figures: String {
      let end = film.frames.last.map { Quantity.text($0.time) } ?? Quantity.none
      return "Speed Index \(Quantity.text(film.speedIndex)), visually complete at \(end)"
    }

    /// The last frame at a time; nil while nothing was there.
    fileprivate func frame(at time: Double) -> Int? {
      film.frames.lastIndex { Double($0.time.count) <= time }
    }
  }

  package init(title: String, rows: [Row]) {
    self.title = title
    self.rows = rows
  }

  // MARK: - Layout

  private static let columns = 8
  private static let width = 960.0
  private static let margin = 16.0
  private static let gap = 8.0
  private static let top = 40.0
  private static let curveHeight = 90.0
  private static let captions = 38.0

  private var cellWidth: Double {
    (Self.width - 2 * Self.margin - Double(Self.columns - 1) * Self.gap) / Double(Self.columns)
  }

  /// That of the tallest picture, with the width of a cell.
  private var cellHeight: Double {
    let ratios = rows.compactMap { $0.film.frames.last?.size }.map { $0.height / $0.width }
    return (cellWidth * min(ratios.max() ?? 0.75, 1.5)).rounded()
  }

  private var rowHeight: Double { cellHeight + Self.captions + 8 }

  private var height: Double {
    Self.top + Double(rows.count) * rowHeight + Self.curveHeight + 40
  }

  /// The time from one column to the next: a digit times a power of ten, in nanoseconds, so that the
  /// last column is not before the last frame.
  private var step: Double {
    let end = rows.compactMap { $0.film.frames.last?.time.count }.max() ?? 0
    let least = max(1, Double(end) / Double(Self.columns))
    let power = pow(10, floor(log10(least)))
    return [1, 2, 3, 4, 5, 6, 8, 10].map { $0 * power }.first { $0 >= least } ?? least
  }

  private func text(ofColumn column: Int) -> String {
    let time = Double(column) * step
    return Scale(.nanoseconds, for: time).short(time)
  }

  // MARK: - Drawing

  /// The picture, as an SVG document.
  package func rendered() -> String {
    let size = "\(Self.number(Self.width)) \(Self.number(height))"
    let name = SVGText.escaped(
      "\(title): " + rows.map { "\($0.name), \($0.figures)" }.joined(separator: "; ")
    )
    let lines =
      [
        #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(size)" width="\#(Int(Self.width))" "#
          + #"height="\#(Int(height))" role="img" aria-label="\#(name)">"#,
        "<title>\(name)</title>",
      ] + Self.style.split(separator: "\n").map(String.init) + [
        #"<rect class="page" width="\#(Int(Self.width))" height="\#(Int(height))"/>"#,
        Self.text(Self.margin, 24, title, class: "head"),
      ] + rows.indices.flatMap(row) + curves + ["</svg>"]
    return lines.joinedLines()
  }

  private func row(_ index: Int) -> [String] {
    let row = rows[index]
    let y = Self.top + Double(index) * rowHeight
    let used = Set((1...Self.columns).compactMap { row.frame(at: Double($0) * step) }).sorted()
    let head =
      Self.text(Self.margin, y + 12, "\(row.name): \(row.figures)", class: "name n\(index % 4)")
    let pictures = used.map { frame in
      #"<image id="f\#(index)-\#(frame)" width="\#(Self.number(cellWidth))" "#
        + #"height="\#(Self.number(cellHeight))" preserveAspectRatio="xMidYMid meet" "#
        + #"href="data:image/png;base64,\#(Data(row.film.frames[frame].png).base64EncodedString())"/>"#
    }
    return [head, "<defs>"] + pictures + ["</defs>"]
      + (1...Self.columns).flatMap { cell($0, of: index, top: y + 20) }
  }

  private func cell(_ column: Int, of index: Int, top: Double) -> [String] {
    let x = Self.margin + Double(column - 1) * (cellWidth + Self.gap)
    let frame = rows[index].frame(at: Double(column) * step)
    let isNew = frame != rows[index].frame(at: Double(column - 1) * step)
    let box =
      #"x="\#(Self.number(x))" y="\#(Self.number(top))" width="\#(Self.number(cellWidth))" "#
      + #"height="\#(Self.number(cellHeight))""#
    let picture = frame.map { number in
      ##"<use href="#f\##(index)-\##(number)" x="\##(Self.number(x))" y="\##(Self.number(top))"/>"##
    }
    let progress =
      frame.map { Quantity.percent(rows[index].film.frames[$0].progress) } ?? Quantity.none
    let time = text(ofColumn: column)
    return [
      picture,
      #"<rect class="\#(frame == nil ? "none" : isNew ? "new" : "same")" \#(box)/>"#,
      Self.text(x + cellWidth / 2, top + cellHeight + 14, "\(time) · \(progress)", class: "faint"),
    ].compactMap(\.self)
  }

  /// The progress of every row over the time, from nothing to all.
  private var curves: [String] {
    let top = Self.top + Double(rows.count) * rowHeight + 8
    let bottom = top + Self.curveHeight
    let (left, right) = (Self.margin + 40, Self.width - Self.margin)
    let end = Double(Self.columns) * step
    func x(_ time: Double) -> Double { left + (right - left) * min(time, end) / end }
    func y(_ progress: Double) -> Double { bottom - (bottom - top) * progress }
    let grid = [0.0, 0.5, 1].flatMap { share in
      [
        #"<path class="grid" d="M\#(Self.number(left)) \#(Self.number(y(share)))H\#(Self.number(right))"/>"#,
        Self.text(left - 6, y(share) + 4, Quantity.percent(share), class: "faint end"),
      ]
    }
    let axis = (1...Self.columns).map { column in
      Self.text(x(Double(column) * step), bottom + 16, text(ofColumn: column), class: "faint end")
    }
    let lines = rows.enumerated().map { index, row in
      let points = row.film.frames.map { frame in
        "H\(Self.number(x(Double(frame.time.count))))V\(Self.number(y(frame.progress)))"
      }
      return
        #"<path class="curve c\#(index % 4)" d="M\#(Self.number(left)) \#(Self.number(bottom))"#
        + "\(points.joined())H\(Self.number(right))\"/>"
    }
    return grid + axis + lines
  }

  private static func number(_ value: Double) -> String { SVGText.number(value) }

  private static func text(_ x: Double, _ y: Double, _ text: String, class kind: String) -> String {
    #"<text class="\#(kind)" x="\#(number(x))" y="\#(number(y))">\#(SVGText.escaped(text))</text>"#
  }

  private static let style = """
    <style>
    text { font: 11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1f2328 }
    .head { font-size: 14px; font-weight: bold } .name { font-size: 12px }
    .page { fill: #ffffff } .faint { fill: #59636e; text-anchor: middle } .end { text-anchor: end }
    rect.same, rect.new, rect.none { fill: none; stroke: #d1d9e0 }
    rect.new { stroke: #b34a00; stroke-width: 2 } rect.none { stroke-dasharray: 4 3 }
    .grid { stroke: #d1d9e0 } .curve { fill: none; stroke-width: 2 }
    .c0 { stroke: #b34a00 } .c1 { stroke: #1a62a8; stroke-dasharray: 6 3 }
    .c2 { stroke: #1a7f37; stroke-dasharray: 2 3 } .c3 { stroke: #8250df; stroke-dasharray: 10 3 2 3 }
    .n0 { fill: #b34a00 } .n1 { fill: #1a62a8 } .n2 { fill: #1a7f37 } .n3 { fill: #8250df }
    @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .page { fill: #0d1117 } .faint { fill: #9198a1 }
    rect.same, rect.new, rect.none, .grid { stroke: #3d444d }
    rect.new, .c0 { stroke: #ff9f4a } .c1 { stroke: #79c0ff } .n0 { fill: #ff9f4a } .n1 { fill: #79c0ff }
    .c2 { stroke: #3fb950 } .c3 { stroke: #d2a8ff } .n2 { fill: #3fb950 } .n3 { fill: #d2a8ff }
    }
    </style>
    """
}

extension Film.Frame {
  /// The width and the height in pixels; nil for what is no PNG.
  ///
  /// Source: the PNG specification, 11.2.2.
  fileprivate var size: (width: Double, height: Double)? {
    func number(at offset: Int) -> Double {
      png[offset..<offset + 4].reduce(0) { $0 * 256 + Double($1) }
    }
    guard png.count >= 24, number(at: 16) > 0 else { return nil }
    return (number(at: 16), number(at: 20))
  }
}
