import LaunchCore
import LaunchStatistics
import Rendering

/// Where the time of the launches of one program goes, in parts that add up to the launch.
struct LaunchParts {
  /// A part of a launch.
  struct Part: Hashable {
    /// What kind of time it is, such as `own code` or `files`.
    var group: String

    /// A function, or a system call and what it is done to; empty where the group says it all.
    var name: String
    var time: Nanoseconds
  }

  /// The largest first, without waiting for processors and without launchlab's own time.
  let parts: [Part]
  private let queue: Nanoseconds
  private let harness: Nanoseconds
  private let traced: Nanoseconds

  init(_ explanation: LaunchExplanation) {
    queue = explanation.difference.queue.after
    harness = explanation.difference.harness.after
    traced = explanation.difference.traced.after
    var times: [[String]: Nanoseconds] = [:]
    let code = NodeTree(explanation.tree)
    let resources = NodeTree(explanation.resources)
    let hasCode = code.ends.contains(where: code.isOwnCode)
    for end in code.ends where code.isOwnCode(end) {
      let group = code.isPageFault(end) ? "page faults" : Self.ownCode
      let key = [group, code.owner(of: end)]
      times[key] = (times[key] ?? .zero) + code.after(end)
    }
    for end in resources.ends {
      let path = resources.path(to: end)
      if path.first == Self.ownCode, hasCode { continue }
      let key = Self.part(of: path, in: resources, end)
      times[key] = (times[key] ?? .zero) + resources.after(end)
    }
    parts = times.map { Part(group: $0.key[0], name: $0.key[1], time: $0.value) }
      .sorted { ($0.time, $1.group, $1.name) > ($1.time, $0.group, $0.name) }
  }

  /// What the time of a resource is shown as: files by directory, all others with their system call.
  private static func part(of path: [String], in tree: NodeTree, _ end: Int) -> [String] {
    let rest = path.dropFirst().filter { $0 != Self.other }
    guard let group = path.first else { return ["", ""] }
    if group == "files", path.count > 2, let call = tree.parents[end] {
      let siblings = tree.parents[call].map { tree.children[$0].count } ?? 1
      return [group, siblings == 1 ? path[2] : path[1] + "/"]
    }
    return [group, group == "sockets" ? rest.reversed().joined(separator: " ") : rest.joined(separator: " ")]
  }

  private static let ownCode = "own code"

  /// What a resource is called whose time is not divided like that of its neighbours.
  private static let other = "(other)"

  /// The time from the beginning of a launch until launchlab saw that it is ready.
  var whole: Nanoseconds { traced + queue + harness }

  /// The largest parts, what is left, and the sum.
  ///
  /// What is shown adds up: what is left is the sum less what is shown.
  ///
  /// - Parameters:
  ///   - most: How many parts are shown at most.
  ///   - style: How they are shown.
  /// - Returns: A line for each.
  func lines(atMost most: Int, style: TextStyle) -> [String] {
    let numbers = ExplanationNumbers(for: max(whole, traced).magnitude)
    let shown = parts.filter { numbers.ticks($0.time) > 0 }.prefix(most)
    let (queue, harness) = (numbers.ticks(queue), numbers.ticks(harness))
    let all = numbers.ticks(whole)
    let rest = shown.reduce(all - queue - harness) { $0 - numbers.ticks($1.time) }
    var rows = shown.map { row($0.group, $0.name, numbers.ticks($0.time), numbers, all) }
    let count = parts.count - shown.count
    if rest != 0 || count > 0 {
      let name = count > 0 ? Quantity.count(count, "smaller part") : "rounding"
      rows.append(row("", name, rest, numbers, all))
    }
    rows.append(row("", "waiting for a processor", queue, numbers, all))
    rows.append(row("", "launchlab noticing that it is ready", harness, numbers, all))
    rows.append(row("", "in all, traced", all, numbers, all))
    return table(rows, style)
  }

  private func row(
    _ group: String,
    _ name: String,
    _ ticks: Int,
    _ numbers: ExplanationNumbers,
    _ all: Int
  ) -> [TextTable.Cell] {
    let share = all > 0 ? Double(ticks) / Double(all) : 0
    return [
      TextTable.Cell(group.printable, .dim),
      TextTable.Cell(name.printable, group.isEmpty ? .dim : nil),
      TextTable.Cell(numbers.text(numbers.time(ticks: ticks))),
      TextTable.Cell(ExplanationNumbers.percent(share)),
    ]
  }

  private func table(_ rows: [[TextTable.Cell]], _ style: TextStyle) -> [String] {
    var table = TextTable(columns: [.left, .left, .decimal, .right], rows: rows)
    let excess = table.width + 2 - style.width
    if excess > 0 {
      let widest = rows.map { $0[1].text.displayWidth }.max() ?? 0
      table.rows = rows.map { row in
        var row = row
        row[1] = TextTable.Cell(
          row[1].text.truncated(to: max(12, widest - excess)),
          row[0].text.isEmpty ? .dim : nil
        )
        return row
      }
    }
    return table.lines(style: style).map { "  " + $0 }
  }
}

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

  func name(of node: Int) -> String { nodes[node].label.map(ExplanationWords.name) ?? "launch" }

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
    if case .leaf(let leaf)? = nodes[node].label { leaf == .ownCode || leaf == .pageFaults } else { false }
  }

  func isPageFault(_ node: Int) -> Bool { nodes[node].label == .leaf(.pageFaults) }

  /// The function, or else the actor, that the time at an end is of; with its actor where that is
  /// not the first thread.
  func owner(of end: Int) -> String {
    var next = parents[end]
    var owner: String?
    while let place = next, place > 0 {
      switch nodes[place].label {
      case .frame(let frame)?: owner = owner ?? name(of: frame)
      case .actor(let actor)?:
        let name = ExplanationWords.name(of: actor)
        return actor == .main ? owner ?? name : owner.map { "\($0) (\(name))" } ?? name
      default: break
      }
      next = parents[place]
    }
    return owner ?? ""
  }

  private func name(of frame: CodeFrame) -> String {
    let name = ExplanationWords.name(of: frame)
    let isOwn = frame.file.isEmpty || frame.file == SampleReading.programName
    return isOwn || name.hasPrefix(frame.file) ? name : "\(name) [\(frame.file)]"
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
    let numbers = ExplanationNumbers(for: isSingle ? tree.after(0) : largest)
    var rows: [(depth: Int, name: String, change: TimeChange, isSignificant: Bool)] = []
    func visit(_ node: Int, _ depth: Int) {
      guard rows.count < Self.mostLines else { return }
      var names = [tree.name(of: node)]
      var last = node
      // A function that does nothing itself and calls one other stands on the line of that one.
      while tree.children[last].count == 1, let only = tree.children[last].first,
        !tree.children[only].isEmpty, tree.nodes[only].change == tree.nodes[last].change
      {
        names.append(tree.name(of: only))
        last = only
      }
      let isTold = tree.nodes[last]
      rows.append((depth, CallPathText(names).text(width: 60), isTold.change, isTold.isSignificant))
      let children = tree.children[last].sorted { (size($0), $1) > (size($1), $0) }
      let shown = children.filter { size($0) >= Self.smallestShare * whole }
      for child in shown { visit(child, depth + 1) }
      let rest = children.dropFirst(shown.count).map { tree.nodes[$0].change }
      if !shown.isEmpty, !rest.isEmpty { rows.append(sum(of: rest, depth + 1)) }
    }
    for child in tree.children[0].sorted(by: { (size($0), $1) > (size($1), $0) }) { visit(child, 0) }
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
