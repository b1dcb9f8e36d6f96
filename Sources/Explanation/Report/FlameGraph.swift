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

  package init(_ result: ExplanationResult) {
    self.result = result
    isSingle = result.outcome == .single
    let explanation = result.explanation
    layout = FlameLayout(explanation.tree.count > 1 ? explanation.tree : explanation.resources)
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
    let title = ExplanationSentence(result).headline
    let top = bars.height + 66
    let rows = Double((layout.frames.map(\.depth).max() ?? -1) + 1)
    let height = top + rows * Self.rowHeight + 16 + Double(footnotes.count) * 16
    let size = "\(Int(Self.width)) \(SVGText.number(height))"
    var lines = [
      #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(size)" width="\#(Int(Self.width))" "#
        + #"height="\#(SVGText.number(height))" role="img" aria-labelledby="t">"#,
      #"<title id="t">\#(SVGText.escaped(title))</title>"#, Self.definitions,
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
    return (lines + ["</svg>"]).map { $0 + "\n" }.joined()
  }

  // MARK: - Frames

  private var numbers: ExplanationNumbers {
    let difference = result.explanation.difference.traced.difference.magnitude
    return ExplanationNumbers(for: isSingle ? layout.total : max(difference, Nanoseconds(layout.total.count / 10)))
  }

  private func frame(_ frame: FlameLayout.Frame, top: Double) -> String {
    let node = layout.tree.nodes[frame.node]
    let x = Self.margin + frame.start * Self.inner
    let y = top + Double(frame.depth) * Self.rowHeight
    let (width, height) = (frame.width * Self.inner, Self.rowHeight - 1)
    let look = FlameLook(node, whole: largestDifference, isSingle: isSingle)
    let box =
      #"x="\#(Self.coordinate(x))" y="\#(SVGText.number(y))" width="\#(Self.coordinate(width))" "#
      + #"height="\#(SVGText.number(height))""#
    // A picture of its own cuts off what does not fit, whatever the font.
    var parts = [
      "<svg \(box)><title>\(SVGText.escaped(tooltip(of: frame.node)))</title>"
        + #"<rect class="\#(look.classes)" width="100%" height="100%"/>"#
    ]
    if look.isGone { parts.append(#"<rect fill="url(#gone)" width="100%" height="100%"/>"#) }
    if look.isNew {
      parts.append(
        #"<rect class="new" x="0.75" y="0.75" width="\#(Self.coordinate(max(0, width - 1.5)))" "#
          + #"height="\#(SVGText.number(height - 1.5))"/>"#
      )
    }
    let label = clipped(label(of: frame.node), width - 6, Self.characterWidth)
    if label.count > 2 {
      let ink = look.isStrong ? "strong" : "label"
      parts.append(#"<text class="\#(ink)" x="4" y="13">\#(SVGText.escaped(label))</text>"#)
    }
    return parts.joined() + "</svg>"
  }

  private var largestDifference: Double {
    let all = layout.frames.dropFirst().map { layout.tree.nodes[$0.node].change.difference }
    return Double(all.map(\.magnitude).max()?.count ?? 0)
  }

  private func name(of node: Int) -> String {
    node == 0 ? "launch" : layout.tree.name(of: node)
  }

  private func label(of node: Int) -> String {
    let item = layout.tree.nodes[node]
    if isSingle { return "\(name(of: node)) \(numbers.text(item.change.after))" }
    let difference = item.isSignificant || node == 0 ? " \(numbers.signed(item.change.difference))" : ""
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
      return "\(name): \(Self.milliseconds(change.after)), \(share)"
    }
    let interval = ExplanationSentence(result).interval(of: change)
    let facts = [
      "\(Self.milliseconds(change.before)) → \(Self.milliseconds(change.after))",
      numbers.signed(change.difference), interval.map { "95 % interval \($0)" },
      item.isSignificant ? nil : "not significant",
    ]
    return "\(name): \(facts.compactMap(\.self).joined(separator: ", "))"
  }

  private static func milliseconds(_ time: Nanoseconds) -> String {
    Quantity.text(time)
  }

  // MARK: - Around them

  private func legend(at y: Double) -> [String] {
    let items: [(String, String)] =
      isSingle
      ? [("code", "function"), ("call", "system call"), ("wait", "wait"), ("fault", "page faults")]
      : [
        ("more3", "slower"), ("less3", "faster"), ("code", "not significant"), ("code new", "new"),
        ("hatched", "gone"), ("call", "system call"), ("wait", "wait"), ("fault", "page faults"),
      ]
    var x = Self.margin
    var lines: [String] = []
    for (classes, text) in items {
      let isNew = classes.hasSuffix("new")
      let fill = classes == "hatched" ? "code" : isNew ? "code" : classes
      lines.append(
        #"<rect class="\#(fill)" x="\#(SVGText.number(x))" y="\#(SVGText.number(y - 10))" "#
          + #"width="16" height="12"/>"#
      )
      if classes == "hatched" || isNew {
        lines.append(
          #"<rect \#(isNew ? #"class="new""# : #"fill="url(#gone)""#) "#
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
    let cut = layout.cut > 0 ? ["\(Quantity.count(layout.cut, "part")) too deep to be shown."] : []
    return [meaning] + source + [(narrow + cut).joined(separator: " ")].filter { !$0.isEmpty }
  }

  private func clipped(_ text: String, _ width: Double, _ character: Double) -> String {
    Self.clipped(text, width, character)
  }

  /// The text cut to a width in units, for a font whose characters are about that wide.
  static func clipped(_ text: String, _ width: Double, _ character: Double) -> String {
    let columns = Int(max(0, width / character))
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
    .page { fill: #ffffff } .faint { fill: #59636e } .strong { fill: #ffffff }
    .code { fill: #e4e7eb } .call { fill: #d3c9b4 } .wait { fill: #d5c4ea } .fault { fill: #c3dcb4 }
    .more1 { fill: #fbd9b5 } .more2 { fill: #f2a65a } .more3 { fill: #b34a00 }
    .less1 { fill: #cfe3f7 } .less2 { fill: #7fb6e8 } .less3 { fill: #1a62a8 }
    .queue { fill: #9aa4ae } .disk { fill: #b58fd8 } .lab { fill: #c9ced4 }
    .wait.up { stroke: #b34a00; stroke-width: 3 } .wait.down { stroke: #1a62a8; stroke-width: 3 }
    .call.up { stroke: #b34a00; stroke-width: 3 } .call.down { stroke: #1a62a8; stroke-width: 3 }
    .fault.up { stroke: #b34a00; stroke-width: 3 } .fault.down { stroke: #1a62a8; stroke-width: 3 }
    .new { fill: none; stroke: #1f2328; stroke-width: 1.5 } .hatch { stroke: #1f2328; stroke-width: 1 }
    @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .page { fill: #0d1117 } .faint { fill: #9198a1 } .strong { fill: #0d1117 }
    .code { fill: #30363d } .call { fill: #5b5340 } .wait { fill: #4b3a68 } .fault { fill: #35512a }
    .more1 { fill: #5a3310 } .more2 { fill: #9c5410 } .more3 { fill: #ff9f4a }
    .less1 { fill: #15324f } .less2 { fill: #1f5f9c } .less3 { fill: #79c0ff }
    .queue { fill: #59636e } .disk { fill: #7c5aa8 } .lab { fill: #444c56 }
    .wait.up, .call.up, .fault.up { stroke: #ff9f4a }
    .wait.down, .call.down, .fault.down { stroke: #79c0ff }
    .new { stroke: #e6edf3 } .hatch { stroke: #e6edf3 }
    }
    </style>
    <defs><pattern id="gone" width="6" height="6" patternUnits="userSpaceOnUse" \
    patternTransform="rotate(45)"><line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>
    """
}

/// How a part is painted.
struct FlameLook {
  private let label: TreeLabel?
  private let change: TimeChange
  private let isSignificant: Bool
  private let whole: Double
  private let isSingle: Bool

  /// - Parameters:
  ///   - node: The part.
  ///   - whole: The largest difference of the picture, in nanoseconds.
  ///   - isSingle: Whether there is one program only.
  init(_ node: LaunchExplanation.TreeNode, whole: Double, isSingle: Bool) {
    label = node.label
    change = node.change
    isSignificant = node.isSignificant && !isSingle
    self.whole = whole
    self.isSingle = isSingle
  }

  private var difference: Double { Double(change.difference.count) }

  var isNew: Bool {
    isSignificant && difference > 0
      && abs(Double(change.before.count)) < CoverRule.novelShare * difference
  }

  var isGone: Bool {
    isSignificant && difference < 0
      && abs(Double(change.after.count)) < CoverRule.novelShare * -difference
  }

  /// Whether the colour is so strong that text on it must be in the colour of the page.
  var isStrong: Bool { leaf == nil && step == 3 }

  /// Names of the style sheet.
  var classes: String {
    if let leaf { return isSignificant ? "\(leaf) \(difference > 0 ? "up" : "down")" : leaf }
    guard let step else { return "code" }
    return "\(difference > 0 ? "more" : "less")\(step)"
  }

  /// What has a colour of its own, whatever the difference.
  private var leaf: String? {
    guard case .leaf(let leaf)? = label else { return nil }
    switch leaf {
    case .ownCode: return nil
    case .pageFaults, .faultWait: return "fault"
    case .call: return "call"
    case .wait, .diskWait: return "wait"
    }
  }

  /// How large a significant difference is, from 1 to 3.
  private var step: Int? {
    guard isSignificant, whole > 0, difference != 0 else { return nil }
    let share = abs(difference) / whole
    return share < 0.15 ? 1 : share < 0.5 ? 2 : 3
  }
}

/// The critical path of each program as a bar, divided by what it did.
struct StateBars {
  private let arms: [(name: String, times: [(state: State, time: Nanoseconds)])]

  /// What the time is spent on; the raw value is what it is called.
  enum State: String, CaseIterable {
    case code = "own code"
    case call = "kernel"
    case wait = "waits"
    case fault = "waits for pages"
    case disk = "disk"
    case queue = "waits for a processor"
    case lab = "launchlab"
  }

  init(_ result: ExplanationResult) {
    let explanation = result.explanation
    func times(_ time: (TimeChange) -> Nanoseconds) -> [(State, Nanoseconds)] {
      State.allCases.map { state in
        let classes = explanation.classes.filter { State($0.key.activity) == state }
        let sum = classes.reduce(Nanoseconds.zero) { $0 + time($1.change) }
        switch state {
        case .queue: return (state, time(explanation.difference.queue))
        case .lab: return (state, time(explanation.difference.harness))
        default: return (state, sum)
        }
      }
    }
    let names = result.arms.map(\.name)
    arms =
      names.count < 2
      ? names.map { ($0, times(\.after)) }
      : [(names[0], times(\.before)), (names[1], times(\.after))]
  }

  /// How much room the bars and their legend take.
  var height: Double { Double(arms.count) * 24 + 26 }

  private var longest: Double {
    arms.map { arm in arm.times.reduce(0) { $0 + Double(max(0, $1.time.count)) } }.max() ?? 0
  }

  /// The bars and what their colours stand for.
  func lines(top: Double) -> [String] {
    guard longest > 0 else { return [] }
    let left = FlameGraph.margin + 70
    let room = FlameGraph.inner - 70 - 90
    var lines: [String] = []
    for (number, arm) in arms.enumerated() {
      let y = top + Double(number) * 24
      var x = left
      lines.append(
        FlameGraph.text(FlameGraph.margin, y + 13, "label", FlameGraph.clipped(arm.name, 66, 6.7))
      )
      for (state, time) in arm.times where time.count > 0 {
        let width = Double(time.count) / longest * room
        let title = SVGText.escaped("\(arm.name), \(state.rawValue): \(Quantity.text(time))")
        lines.append(
          #"<rect class="\#(state)" x="\#(FlameGraph.coordinate(x))" y="\#(SVGText.number(y))" "#
            + #"width="\#(FlameGraph.coordinate(width))" height="18"><title>\#(title)</title></rect>"#
        )
        x += width
      }
      let sum = arm.times.reduce(Nanoseconds.zero) { $0 + $1.time }
      lines.append(FlameGraph.text(x + 6, y + 13, "faint", Quantity.text(sum)))
    }
    return lines + legend(at: top + Double(arms.count) * 24 + 10, left: left)
  }

  private func legend(at y: Double, left: Double) -> [String] {
    var x = left
    var lines: [String] = []
    for state in State.allCases where arms.contains(where: { $0.times.contains { $0.state == state && $0.time.count > 0 } }) {
      lines.append(
        #"<rect class="\#(state)" x="\#(SVGText.number(x))" y="\#(SVGText.number(y - 10))" "#
          + #"width="12" height="12"/>"#
      )
      lines.append(FlameGraph.text(x + 17, y, "faint", state.rawValue))
      x += 17 + Double(state.rawValue.count) * 6.7 + 16
    }
    return lines
  }
}

extension StateBars.State {
  fileprivate init(_ activity: ActivityClass) {
    switch activity {
    case .ownCode: self = .code
    case .call: self = .call
    case .wait: self = .wait
    case .diskWait: self = .disk
    case .faultWait: self = .fault
    }
  }
}
