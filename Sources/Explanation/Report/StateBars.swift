import LaunchCore
import Rendering
import Stages

/// The critical path of each program as a bar, divided by what it did.
struct StateBars {
  private let arms: [(name: String, times: [(state: State, time: Nanoseconds)])]

  /// What the time is spent on; the raw value is what it is called.
  enum State: String, CaseIterable {
    case own = "own code"
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
          #"<rect class="part \#(state)" x="\#(FlameGraph.coordinate(x))" y="\#(SVGText.number(y))" "#
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
    for state in State.allCases
    where arms.contains(where: { $0.times.contains { $0.state == state && $0.time.count > 0 } }) {
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
  /// Nil for time that the events say nothing about.
  init?(_ activity: Activity) {
    switch activity {
    case .queue: self = .queue
    case .harness: self = .lab
    case .unknown: return nil
    default:
      guard let known = ActivityClass(activity) else { return nil }
      self.init(known)
    }
  }

  fileprivate init(_ activity: ActivityClass) {
    switch activity {
    case .ownCode: self = .own
    case .call: self = .call
    case .wait: self = .wait
    case .diskWait: self = .disk
    case .faultWait: self = .fault
    }
  }
}
