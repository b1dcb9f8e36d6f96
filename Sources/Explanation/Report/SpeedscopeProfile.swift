import LaunchCore
package import Rendering

/// The time by actor and function as a file for speedscope.
///
/// Of two programs it has a profile of each, and two of the difference, since no weight may be
/// negative: what takes longer in the second one, and what takes less time.
///
/// Source: the schema of the file format of speedscope, https://www.speedscope.app/file-format-schema.json
package struct SpeedscopeProfile: JSONDocument {
  private let result: ExplanationResult
  private let tree: NodeTree

  package init(_ result: ExplanationResult) {
    self.result = result
    tree = NodeTree(result.explanation.tree)
  }

  package var layout: JSONText.Layout { .line }

  package var value: JSONValue {
    var frames = FrameTable()
    let stacks = tree.ends.map { end in (end: end, stack: stack(of: end, in: &frames)) }
    let profiles = kinds.map { name, weight in
      profile(name, stacks.map { ($0.stack, weight(tree.nodes[$0.end].change)) })
    }
    return [
      "$schema": "https://www.speedscope.app/file-format-schema.json",
      "exporter": .string("launchlab \(LaunchlabVersion.current)"),
      "name": .string(ExplanationSentence(result).statement),
      "activeProfileIndex": .integer(0),
      "shared": ["frames": .array(frames.values)],
      "profiles": .array(profiles),
    ]
  }

  private var kinds: [(name: String, weight: (TimeChange) -> Int64)] {
    guard result.arms.count == 2 else {
      return [(result.arms.first?.name ?? "launch", { $0.after.count })]
    }
    let (first, last) = (result.arms[0].name, result.arms[1].name)
    return [
      (first, { $0.before.count }), (last, { $0.after.count }),
      ("slower in \(last)", { $0.difference.count }),
      ("faster in \(last)", { -$0.difference.count }),
    ]
  }

  private func profile(_ name: String, _ samples: [(stack: [Int64], weight: Int64)]) -> JSONValue {
    let shown = samples.filter { $0.weight > 0 }
    return [
      "type": "sampled",
      "name": .string(name),
      "unit": "nanoseconds",
      "startValue": .integer(0),
      "endValue": .integer(shown.reduce(0) { $0 + $1.weight }),
      "samples": .array(shown.map { .integers($0.stack) }),
      "weights": .integers(shown.map(\.weight)),
    ]
  }

  /// The numbers of the frames on the way to an end, the outermost first.
  private func stack(of end: Int, in frames: inout FrameTable) -> [Int64] {
    var stack: [Int64] = []
    var next: Int? = end
    while let place = next, place > 0 {
      if tree.nodes[place].label != .leaf(.ownCode) {
        stack.append(frames.number(of: tree.name(of: place), in: tree.nodes[place].label))
      }
      next = tree.parents[place]
    }
    return stack.reversed()
  }
}

/// The frames of all stacks, each once.
private struct FrameTable {
  private(set) var values: [JSONValue] = []
  private var numbers: [[String]: Int64] = [:]

  mutating func number(of name: String, in label: TreeLabel?) -> Int64 {
    var file = ""
    if case .frame(let frame)? = label { file = frame.file }
    if let number = numbers[[name, file]] { return number }
    let number = Int64(values.count)
    numbers[[name, file]] = number
    values.append(
      file.isEmpty ? ["name": .string(name)] : ["name": .string(name), "file": .string(file)]
    )
    return number
  }
}
