import LaunchCore
import LaunchStatistics
import Rendering
import Stages

/// The nodes of one view of an explanation, with the way to each of them.
struct NodeTree {
  let nodes: [LaunchExplanation.TreeNode]

  /// The places of the children of each node in `nodes`, in the order given.
  let children: [[Int]]

  /// The place of the node above each; nil for the root.
  let parents: [Int?]

  /// Reads nodes whose parents come before them; those whose parent is not there are left out.
  init(_ given: [LaunchExplanation.TreeNode]) {
    var places: [Int: Int] = [:]
    var nodes: [LaunchExplanation.TreeNode] = []
    var children: [[Int]] = []
    var parents: [Int?] = []
    for node in given {
      let parent = node.parent.map { places[$0] }
      if case .some(.none) = parent { continue }
      if node.parent == nil, !nodes.isEmpty { continue }
      let place = nodes.count
      places[node.id] = place
      nodes.append(node)
      children.append([])
      parents.append(parent.flatMap(\.self))
      if let above = parents[place] { children[above].append(place) }
    }
    self.nodes = nodes
    self.children = children
    self.parents = parents
  }

  /// The nodes without children, but for the root.
  var ends: [Int] { nodes.indices.filter { $0 > 0 && children[$0].isEmpty } }

  func after(_ node: Int) -> Nanoseconds { nodes[node].change.after }

  func name(of node: Int) -> String {
    nodes[node].label.map(ExplanationWords.name) ?? "critical path"
  }

  /// The same, of a function with its file where that is not the program.
  func fullName(of node: Int) -> String {
    if case .frame(let frame)? = nodes[node].label {
      ExplanationWords.fullName(of: frame)
    } else {
      name(of: node)
    }
  }

  /// The names of the steps to a node, without the root.
  func path(to node: Int) -> [String] {
    var names: [String] = []
    var next: Int? = node
    while let place = next, place > 0 {
      names.append(name(of: place))
      next = parents[place]
    }
    return names.reversed()
  }

  /// Whether a node is time in own code, page faults included.
  func isOwnCode(_ node: Int) -> Bool {
    if case .leaf(let leaf)? = nodes[node].label {
      leaf == .ownCode || leaf == .pageFaults
    } else {
      false
    }
  }

  func isPageFault(_ node: Int) -> Bool { nodes[node].label == .leaf(.pageFaults) }

  /// The function, or else the actor, that the time at an end is of; with its actor where that is
  /// not the first thread.
  func owner(of end: Int) -> String {
    var next = parents[end]
    var owner: String?
    while let place = next, place > 0 {
      switch nodes[place].label {
      case .frame(let frame)?: owner = owner ?? ExplanationWords.fullName(of: frame)
      case .actor(let actor)?:
        let name = ExplanationWords.name(of: actor)
        return actor == .main ? owner ?? name : owner.map { "\($0) (\(name))" } ?? name
      default: break
      }
      next = parents[place]
    }
    return owner ?? ""
  }
}

/// One view of an explanation as an indented tree.
struct TimeTreeText {
  private let tree: NodeTree
  private let isSingle: Bool

  init(_ nodes: [LaunchExplanation.TreeNode], isSingle: Bool) {
    tree = NodeTree(nodes)
    self.isSingle = isSingle
  }

  /// The smallest share of the whole that has a line of its own.
  private static let smallestShare = 0.01

  /// How many lines there are at most.
  private static let mostLines = 200

  /// A line per node, the largest first at each level; empty without nodes.
  func lines(style: TextStyle) -> [String] {
    guard tree.nodes.count > 1 else { return [] }
    let whole = size(0)
    let numbers = ExplanationNumbers(forTableUpTo: isSingle ? tree.after(0) : largest)
    var rows: [(depth: Int, name: String, change: TimeChange, isSignificant: Bool)] = []
    func visit(_ node: Int, _ depth: Int) {
      guard rows.count < Self.mostLines else { return }
      var names = [tree.name(of: node)]
      var last = node
      // A function that does nothing itself and calls one other stands on the line of that one.
      while last > 0, tree.children[last].count == 1, let only = tree.children[last].first,
        !tree.children[only].isEmpty, tree.nodes[only].change == tree.nodes[last].change
      {
        names.append(tree.name(of: only))
        last = only
      }
      let isTold = tree.nodes[last]
      rows.append((depth, CallPathText(names).text(width: 60), isTold.change, isTold.isSignificant))
      let children = tree.children[last].sorted { (-size($0), $0) < (-size($1), $1) }
      // What a function does itself has no line of its own where that is all it does.
      if children.count == 1, tree.nodes[children[0]].label == .leaf(.ownCode) { return }
      let shown = children.filter { size($0) >= Self.smallestShare * whole }
      for child in shown { visit(child, depth + 1) }
      let rest = sum(of: children.dropFirst(shown.count).map { tree.nodes[$0].change }, depth + 1)
      let isSeen = [rest.change.before, rest.change.after].contains { numbers.ticks($0) != 0 }
      if !shown.isEmpty, isSeen { rows.append(rest) }
    }
    visit(0, 0)
    let texts = rows.map { row in cells(row, numbers) }
    return fitted(texts, style)
  }

  private func sum(
    of changes: [TimeChange],
    _ depth: Int
  ) -> (depth: Int, name: String, change: TimeChange, isSignificant: Bool) {
    let change = TimeChange(
      before: changes.reduce(.zero) { $0 + $1.before },
      after: changes.reduce(.zero) { $0 + $1.after },
      interval: nil
    )
    return (depth, "(\(Quantity.count(changes.count, "smaller part")))", change, false)
  }

  /// What decides whether a node is shown: its time, or the larger one of both programs.
  private func size(_ node: Int) -> Double {
    let change = tree.nodes[node].change
    return Double(max(change.before, change.after).count)
  }

  private var largest: Nanoseconds {
    tree.nodes.map { max($0.change.before.magnitude, $0.change.after.magnitude) }.max() ?? .zero
  }

  private func cells(
    _ row: (depth: Int, name: String, change: TimeChange, isSignificant: Bool),
    _ numbers: ExplanationNumbers
  ) -> [TextTable.Cell] {
    let indented = String(repeating: "  ", count: min(row.depth, 20)) + row.name.printable
    guard isSingle else {
      let times = "\(numbers.number(row.change.before)) → \(numbers.text(row.change.after))"
      let ink: TextStyle.Ink? = row.isSignificant ? .bold : .dim
      return [
        TextTable.Cell(indented, row.isSignificant ? .bold : nil), TextTable.Cell(times),
        TextTable.Cell(numbers.signed(row.change.difference), ink),
      ]
    }
    let whole = Double(tree.after(0).count)
    let share = whole > 0 ? Double(row.change.after.count) / whole : 0
    return [
      TextTable.Cell(indented), TextTable.Cell(numbers.text(row.change.after)),
      TextTable.Cell(ExplanationNumbers.percent(share)),
    ]
  }

  private func fitted(_ rows: [[TextTable.Cell]], _ style: TextStyle) -> [String] {
    var table = TextTable(
      columns: isSingle ? [.left, .decimal, .right] : [.left, .right, .decimal],
      rows: rows
    )
    let excess = table.width + 2 - style.width
    if excess > 0 {
      let widest = rows.map { $0[0].text.displayWidth }.max() ?? 0
      table.rows = rows.map { row in
        [TextTable.Cell(row[0].text.truncated(to: max(12, widest - excess)))] + row.dropFirst()
      }
    }
    return table.lines(style: style).map { "  " + $0 }
  }
}
