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

  /// How many parts are too deep to be shown, or too many.
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
    total = Nanoseconds(Int64(whole.rounded()))
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
        cut += next.count - room
        let widest = next.indices.sorted { (next[$0].width, $1) > (next[$1].width, $0) }.prefix(room)
        next = widest.sorted().map { next[$0] }
      }
      level = next
    }
  }

  /// Own code is what is not covered by anything that the function calls, so it stands at the end.
  private func ordered(_ children: [Int]) -> [Int] {
    let named = children.filter(isShown).sorted {
      (tree.name(of: $0), $0) < (tree.name(of: $1), $1)
    }
    return named + children.filter { !isShown($0) }
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
