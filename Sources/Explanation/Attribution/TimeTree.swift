package import LaunchCore
package import Stages

/// A step on the way from a whole launch to a part of its time.
package enum TreeLabel: Hashable, Sendable {
  case actor(LaunchActor)

  /// A function; the file is the last part of its path, and `program` for the program itself.
  case frame(CodeFrame)

  /// Time whose call stack is not known, since too few samples fell into it.
  case notSampled

  /// What the function, or the actor, did itself.
  case leaf(TimeLeaf)

  /// A part of the view by resources.
  case resource(String)
}

/// What the time at the end of a path was spent on.
package enum TimeLeaf: Hashable, Sendable {
  case ownCode
  case pageFaults
  case call(String)
  case wait(String)
  case diskWait
  case faultWait

  /// What brings the view by code and the view by resources together: their totals of each are the
  /// same.
  package var group: String {
    switch self {
    case .ownCode, .pageFaults: "own code"
    case .call(let name), .wait(let name): name
    case .diskWait: "disk"
    case .faultWait: "fault"
    }
  }

  init(_ activity: ActivityClass) {
    switch activity {
    case .ownCode: self = .ownCode
    case .call(let name): self = .call(name)
    case .wait(let name): self = .wait(name)
    case .diskWait: self = .diskWait
    case .faultWait: self = .faultWait
    }
  }
}

/// Time divided step by step, with a value in each block for each of two programs.
///
/// Children come after their parents, and their values add up to those of the parent in every block.
struct TimeTree: Sendable {
  /// The last step to each node; nil for the root, which is the first.
  private(set) var labels: [TreeLabel?] = [nil]
  private(set) var parents: [Int] = [-1]
  private(set) var children: [[Int]] = [[]]

  /// Nanoseconds by node and block.
  private(set) var values: Sides<[[Double]]>

  /// The number of blocks.
  let blocks: Int

  private var places: [Place: Int] = [:]
  private var numbers: [TreeLabel: Int] = [:]

  /// A child by its parent and the number of its label.
  private struct Place: Hashable {
    var parent: Int
    var label: Int
  }

  init(blocks: Int) {
    self.blocks = blocks
    let zeros = [[Double](repeating: 0, count: blocks)]
    values = Sides(before: zeros, after: zeros)
  }

  var count: Int { labels.count }

  /// The node at the end of a path, made where it is not there yet.
  mutating func makeNode(at path: some Sequence<TreeLabel>) -> Int {
    var node = 0
    for label in path {
      let number = numbers[label] ?? numbers.count
      numbers[label] = number
      let place = Place(parent: node, label: number)
      if let child = places[place] {
        node = child
        continue
      }
      let child = count
      places[place] = child
      labels.append(label)
      parents.append(node)
      children.append([])
      children[node].append(child)
      let zeros = [Double](repeating: 0, count: blocks)
      values.before.append(zeros)
      values.after.append(zeros)
      node = child
    }
    return node
  }

  func node(at path: some Sequence<TreeLabel>) -> Int? {
    var node = 0
    for label in path {
      guard let number = numbers[label],
        let child = places[Place(parent: node, label: number)]
      else { return nil }
      node = child
    }
    return node
  }

  mutating func add(_ amounts: (Int) -> Double, to node: Int, of arm: Side) {
    switch arm {
    case .before: for block in 0..<blocks { values.before[node][block] += amounts(block) }
    case .after: for block in 0..<blocks { values.after[node][block] += amounts(block) }
    }
  }

  mutating func add(_ amount: Double, inBlock block: Int, to node: Int, of arm: Side) {
    switch arm {
    case .before: values.before[node][block] += amount
    case .after: values.after[node][block] += amount
    }
  }

  /// Gives every node the sum of what is below it; values must have been added to ends only.
  mutating func sumUp() {
    for node in stride(from: count - 1, to: 0, by: -1) {
      let parent = parents[node]
      for block in 0..<blocks {
        values.before[parent][block] += values.before[node][block]
        values.after[parent][block] += values.after[node][block]
      }
    }
  }

  /// The steps from the root to a node.
  func path(of node: Int) -> [TreeLabel] {
    var path: [TreeLabel] = []
    var node = node
    while node > 0 {
      if let label = labels[node] { path.append(label) }
      node = parents[node]
    }
    return path.reversed()
  }

  /// After − before in each block.
  func differences(of node: Int) -> [Double] {
    zip(values.after[node], values.before[node]).map { $0 - $1 }
  }

  func mean(of node: Int, in arm: Side) -> Double {
    blocks > 0 ? values[arm][node].reduce(0, +) / Double(blocks) : 0
  }

  func meanDifference(of node: Int) -> Double {
    mean(of: node, in: .after) - mean(of: node, in: .before)
  }

  /// The ends at or below a node.
  func ends(below node: Int) -> [Int] {
    var ends: [Int] = []
    var open = [node]
    while let next = open.popLast() {
      if children[next].isEmpty { ends.append(next) }
      open += children[next]
    }
    return ends
  }

  /// What the time at an end belongs to in both views.
  func group(of end: Int) -> String {
    if case .leaf(let leaf) = labels[end] { return leaf.group }
    return TimeTree.group(ofResource: ResourceKey(path(of: end).compactMap(\.resourceName)))
  }

  /// What the time of a resource belongs to in both views.
  static func group(ofResource key: ResourceKey) -> String {
    switch key.path.first {
    case "own code": TimeLeaf.ownCode.group
    case "page faults": TimeLeaf.faultWait.group
    case "disk": TimeLeaf.diskWait.group
    case "waits", "processes", "kernel": key.path.dropFirst().first ?? ""
    default: key.path.last ?? ""
    }
  }
}

extension TreeLabel {
  var resourceName: String? {
    if case .resource(let name) = self { name } else { nil }
  }
}
