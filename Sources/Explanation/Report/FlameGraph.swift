import Foundation
import LaunchCore
import LaunchStatistics
import Rendering

/// Where the time of launches goes, as one SVG picture: a flame graph of one program, or of the
/// difference of two.
///
/// It holds no script and no reference to anything outside, and has its own colours on light and on
/// dark pages. The same explanation gives the same bytes.
package struct FlameGraph {
  private let result: ExplanationResult
  private let layout: FlameLayout
  private let bars: StateBars
  private let isSingle: Bool
  private let largest: Double

  /// The functions whose code differs.
  private let changed: Set<CodeFrame>

  package init(_ result: ExplanationResult) {
    self.result = result
    isSingle = result.outcome == .single
    let explanation = result.explanation
    layout = FlameLayout(explanation.tree.count > 1 ? explanation.tree : explanation.resources)
    largest = Self.largest(layout)
    changed = Set(explanation.code?.changed ?? [])
    bars = StateBars(result)
  }

  static let width = 1_200.0
  static let margin = 16.0
  static let inner = width - 2 * margin
  private static let rowHeight = 19.0
  private static let characterWidth = 6.7

  /// The picture.
  ///
  /// - Returns: An SVG document, with a line feed after every line.
  package func svg() -> String {
    let title = ExplanationSentence(result).statement
    let top = bars.height + 66
    let rows = Double((layout.frames.map(\.depth).max() ?? -1) + 1)
    let height = top + rows * Self.rowHeight + 16 + Double(footnotes.count) * 16
    let size = "\(Int(Self.width)) \(SVGText.number(height))"
    var lines = [
      #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(size)" width="\#(Int(Self.width))" "#
        + #"height="\#(SVGText.number(height))" role="img" aria-labelledby="t">"#,
      #"<title id="t">\#(SVGText.escaped(title))</title>"#,
    ]
    lines += Self.definitions.split(separator: "\n").map(String.init)
    lines += [
      #"<rect class="page" width="100%" height="100%"/>"#,
      Self.text(Self.margin, 24, "head", clipped(title, Self.inner, 8.4)),
    ]
    lines += bars.lines(top: 40)
    lines += legend(at: bars.height + 50)
    lines += layout.frames.map { frame($0, top: top) }
    for (number, note) in footnotes.enumerated() {
      let y = top + rows * Self.rowHeight + 18 + Double(number) * 16
      lines.append(Self.text(Self.margin, y, "faint", note))
    }
    return (lines + ["</svg>"]).joinedLines()
  }

  // MARK: - Frames

  private var numbers: ExplanationNumbers {
    let difference = result.explanation.difference.traced.difference.magnitude
    return ExplanationNumbers(forTableUpTo: isSingle ? layout.total : difference)
  }

  private func frame(_ frame: FlameLayout.Frame, top: Double) -> String {
    let node = layout.tree.nodes[frame.node]
    let x = Self.margin + frame.start * Self.inner
    let y = top + Double(frame.depth) * Self.rowHeight
    let (width, height) = (frame.width * Self.inner, Self.rowHeight - 1)
    let look = FlameLook(node, whole: largest, isSingle: isSingle)
    let box =
      #"x="\#(Self.coordinate(x))" y="\#(SVGText.number(y))" width="\#(Self.coordinate(width))" "#
      + #"height="\#(SVGText.number(height))""#
    // A picture of its own cuts off what does not fit, whatever the font.
    var parts = [
      "<svg \(box)><title>\(SVGText.escaped(tooltip(of: frame.node)))</title>"
        + #"<rect class="\#(width < 3 ? "" : "part ")\#(look.classes)" width="100%" height="100%"/>"#
    ]
    if look.isGone { parts.append(#"<rect fill="url(#gone)" width="100%" height="100%"/>"#) }
    if look.isNew, width >= 5 {
      parts.append(
        #"<rect class="new" x="0.75" y="0.75" width="\#(Self.coordinate(max(0, width - 1.5)))" "#
          + #"height="\#(SVGText.number(height - 1.5))"/>"#
      )
    }
    if isChanged(frame.node), width >= 5 {
      parts.append(
        #"<rect class="changed" x="1.5" y="1.5" width="\#(Self.coordinate(max(0, width - 3)))" "#
          + #"height="\#(SVGText.number(height - 3))"/>"#
      )
    }
    let label = clipped(label(of: frame.node), width - 6, Self.characterWidth)
    if label.count > 2 {
      let ink = look.isStrong ? "strong" : "label"
      parts.append(#"<text class="\#(ink)" x="4" y="13">\#(SVGText.escaped(label))</text>"#)
    }
    return parts.joined() + "</svg>"
  }

  private func isChanged(_ node: Int) -> Bool {
    if case .frame(let frame)? = layout.tree.nodes[node].label {
      changed.contains(frame)
    } else {
      false
    }
  }

  /// The largest difference of a part, in nanoseconds.
  private static func largest(_ layout: FlameLayout) -> Double {
    let all = layout.frames.map { layout.tree.nodes[$0.node].change.difference }
    return Double(all.map(\.magnitude).max()?.count ?? 0)
  }

  private func name(of node: Int) -> String {
    layout.tree.name(of: node)
  }

  private func label(of node: Int) -> String {
    let item = layout.tree.nodes[node]
    if isSingle { return "\(name(of: node)) \(numbers.text(item.change.after))" }
    let difference =
      item.isSignificant || node == 0 ? " \(numbers.signed(item.change.difference))" : ""
    return name(of: node) + difference
  }

  private func tooltip(of node: Int) -> String {
    let item = layout.tree.nodes[node]
    let change = item.change
    var name = name(of: node)
    if case .frame(let frame)? = item.label, frame.file != SampleReading.programName {
      name += " [\(frame.file)]"
    }
    let numbers = ExplanationNumbers(for: change)
    if isSingle {
      let whole = Double(max(1, layout.total.count))
      let share = ExplanationNumbers.percent(Double(change.after.count) / whole)
      return "\(name): \(Quantity.text(change.after)), \(share)"
    }
    let interval = ExplanationSentence(result).interval(of: change)
    let facts = [
      "\(numbers.number(change.before)) → \(numbers.text(change.after))",
      numbers.signed(change.difference), interval.map { "95 % interval \($0)" },
      item.isSignificant ? nil : "not significant", isChanged(node) ? "code changed" : nil,
    ]
    return "\(name): \(facts.compactMap(\.self).joined(separator: ", "))"
  }

  // MARK: - Around them

  private func legend(at y: Double) -> [String] {
    let items: [(String, String)] =
      isSingle
      ? [("own", "function"), ("call", "system call"), ("wait", "wait"), ("fault", "page faults")]
      : [
        ("more3", "slower"), ("less3", "faster"), ("code", "not significant"), ("code new", "new"),
        ("hatched", "gone"), ("call", "system call"), ("wait", "wait"), ("fault", "page faults"),
      ] + (changed.isEmpty ? [] : [("code changed", "code changed")])
    var x = Self.margin
    var lines: [String] = []
    for (classes, text) in items {
      let border = ["new", "changed"].first { classes.hasSuffix(" \($0)") }
      let fill = classes == "hatched" || border != nil ? "code" : classes
      lines.append(
        #"<rect class="\#(fill)" x="\#(SVGText.number(x))" y="\#(SVGText.number(y - 10))" "#
          + #"width="16" height="12"/>"#
      )
      if classes == "hatched" || border != nil {
        lines.append(
          #"<rect \#(border.map { #"class="\#($0)""# } ?? #"fill="url(#gone)""#) "#
            + #"x="\#(SVGText.number(x))" y="\#(SVGText.number(y - 10))" width="16" height="12"/>"#
        )
      }
      lines.append(Self.text(x + 22, y, "faint", text))
      x += 22 + Double(text.count) * Self.characterWidth + 20
    }
    return lines
  }

  /// What the picture does not show by itself.
  private var footnotes: [String] {
    guard !layout.frames.isEmpty else { return ["No part of the launch is known."] }
    let width = Quantity.text(layout.total)
    let meaning =
      isSingle
      ? "The whole width is \(width) on the critical path, without waiting for a processor."
      : "The whole width is \(width): each part is as wide as in the program where it takes longer. "
        + "Waiting for a processor is left out."
    let source =
      result.explanation.tree.count > 1 ? [] : ["By resource: no call stacks were sampled."]
    let narrow =
      layout.narrow > 0
      ? ["\(Quantity.count(layout.narrow, "part")) narrower than 0.05 % not shown."] : []
    let cut =
      layout.cut > 0
      ? ["\(Quantity.count(layout.cut, "part")) left out to keep the picture small."] : []
    return [meaning] + source + [(narrow + cut).joined(separator: " ")].filter { !$0.isEmpty }
  }

  private func clipped(_ text: String, _ width: Double, _ character: Double) -> String {
    Self.clipped(text, width, character)
  }

  /// The text cut to a width in units, for a font whose characters are about that wide.
  static func clipped(_ text: String, _ width: Double, _ character: Double) -> String {
    let columns = Int(clamping: max(0, width / character))
    return columns < 1 ? "" : text.printable.truncated(to: columns)
  }

  static func text(_ x: Double, _ y: Double, _ style: String, _ text: String) -> String {
    #"<text class="\#(style)" x="\#(SVGText.number(x))" y="\#(SVGText.number(y))">"#
      + "\(SVGText.escaped(text))</text>"
  }

  /// A coordinate with two decimals, for parts that are less than a unit wide.
  static func coordinate(_ value: Double) -> String { String(format: "%.2f", value) }

  // MARK: - Colours

  /// Blue and orange are told apart by nearly everybody.
  private static let definitions = """
    <style>
    text { font: 11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1f2328 }
    .head { font-size: 14px; font-weight: bold }
    .part { stroke: #ffffff; stroke-width: 0.6 } .page { fill: #ffffff } .faint { fill: #59636e } .strong { fill: #ffffff }
    .own { fill: #f3dd9a } .code { fill: #e4e7eb } .call { fill: #d3c9b4 } .wait { fill: #d5c4ea } .fault { fill: #c3dcb4 }
    .more1 { fill: #fbd9b5 } .more2 { fill: #f2a65a } .more3 { fill: #b34a00 }
    .less1 { fill: #cfe3f7 } .less2 { fill: #7fb6e8 } .less3 { fill: #1a62a8 }
    .queue { fill: #9aa4ae } .disk { fill: #b58fd8 } .lab { fill: #c9ced4 }
    .wait.up { stroke: #b34a00; stroke-width: 3 } .wait.down { stroke: #1a62a8; stroke-width: 3 }
    .call.up { stroke: #b34a00; stroke-width: 3 } .call.down { stroke: #1a62a8; stroke-width: 3 }
    .fault.up { stroke: #b34a00; stroke-width: 3 } .fault.down { stroke: #1a62a8; stroke-width: 3 }
    .new { fill: none; stroke: #1f2328; stroke-width: 1.5 }
    .changed { fill: none; stroke: #8250df; stroke-width: 2; stroke-dasharray: 5 2 } .hatch { stroke: #1f2328; stroke-width: 1 }
    @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .part { stroke: #0d1117 } .page { fill: #0d1117 } .faint { fill: #9198a1 } .strong { fill: #0d1117 }
    .own { fill: #6b5a1e } .code { fill: #30363d } .call { fill: #5b5340 } .wait { fill: #4b3a68 } .fault { fill: #35512a }
    .more1 { fill: #5a3310 } .more2 { fill: #9c5410 } .more3 { fill: #ff9f4a }
    .less1 { fill: #15324f } .less2 { fill: #1f5f9c } .less3 { fill: #79c0ff }
    .queue { fill: #59636e } .disk { fill: #7c5aa8 } .lab { fill: #444c56 }
    .wait.up, .call.up, .fault.up { stroke: #ff9f4a }
    .wait.down, .call.down, .fault.down { stroke: #79c0ff }
    .new { stroke: #e6edf3 } .hatch { stroke: #e6edf3 } .changed { stroke: #d2a8ff }
    }
    </style>
    <defs><pattern id="gone" width="6" height="6" patternUnits="userSpaceOnUse" \
    patternTransform="rotate(45)"><line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>
    """
}
