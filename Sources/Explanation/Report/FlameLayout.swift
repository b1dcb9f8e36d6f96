import LaunchCore
import LaunchStatistics

/// Where each part of an explanation stands in a flame graph.
///
/// An end of the tree is as wide as the larger one of its two times, and every other node as wide as
/// its children together: so what is gone stays visible, and no child is wider than its parent.
struct FlameLayout {
  /// A part with its place, in shares of the whole width.
  struct Frame: Hashable {
    /// Its place among the nodes of the tree.
    var node: Int

    /// 0 for the whole launch.
    var depth: Int
    var start: Double
    var width: Double
  }

  let tree: NodeTree

  /// Parents before children, those of one parent from left to right.
  private(set) var frames: [Frame] = []

  /// How many parts are too narrow to be shown.
  private(set) var narrow = 0

  /// How many parts are left out since there are too many levels or parts.
  private(set) var cut = 0

  /// What the whole width stands for.
  let total: Nanoseconds

  /// The smallest share of the width that is shown.
  static let smallestShare = 0.0005

  /// How many levels are shown, the whole launch included.
  static let mostLevels = 100

  /// How many parts are shown at most.
  static let mostFrames = 6_000

  init(_ nodes: [LaunchExplanation.TreeNode]) {
    let tree = NodeTree(nodes)
    self.tree = tree
    var widths = [Double](repeating: 0, count: tree.nodes.count)
    for node in tree.nodes.indices.reversed() {
      let change = tree.nodes[node].change
      widths[node] =
        tree.children[node].isEmpty
        // Estimates of what is hardly there may be negative.
        ? Double(max(0, change.before.count, change.after.count))
        : tree.children[node].reduce(0) { $0 + widths[$1] }
    }
    let whole = widths.first ?? 0
    total = Nanoseconds(Int64(clamping: whole.rounded()))
    guard whole > 0 else { return }
    place(widths.map { $0 / whole })
  }

  /// Places the nodes, level by level from left to right.
  private mutating func place(_ shares: [Double]) {
    var level = [Frame(node: 0, depth: 0, start: 0, width: 1)]
    while !level.isEmpty {
      frames += level
      var next: [Frame] = []
      for frame in level {
        var start = frame.start
        for child in ordered(tree.children[frame.node]) {
          let width = shares[child]
          defer { start += width }
          guard isShown(child) else { continue }
          if width < Self.smallestShare {
            narrow += count(below: child)
          } else if frame.depth + 1 >= Self.mostLevels {
            cut += count(below: child)
          } else {
            next.append(Frame(node: child, depth: frame.depth + 1, start: start, width: width))
          }
        }
      }
      let room = Self.mostFrames - frames.count
      if next.count > room {
        let order = next.indices.sorted { (-next[$0].width, $0) < (-next[$1].width, $1) }
        cut += order.dropFirst(room).reduce(0) { $0 + count(below: next[$1].node) }
        next = order.prefix(room).sorted().map { next[$0] }
      }
      level = next
    }
  }

  /// Own code is what is not covered by anything that the function calls, so it stands at the end.
  private func ordered(_ children: [Int]) -> [Int] {
    func rank(_ node: Int) -> Int {
      switch tree.nodes[node].label {
      case .leaf(.ownCode)?: 3
      case .notSampled?: 2
      case .leaf?: 1
      default: 0
      }
    }
    return children.sorted {
      (rank($0), tree.name(of: $0), $0) < (rank($1), tree.name(of: $1), $1)
    }
  }

  private func isShown(_ node: Int) -> Bool { tree.nodes[node].label != .leaf(.ownCode) }

  private func count(below node: Int) -> Int {
    var count = 0
    var open = [node]
    while let next = open.popLast() {
      if isShown(next) { count += 1 }
      open += tree.children[next]
    }
    return count
  }
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
    guard let step else { return isSingle ? "own" : "code" }
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
