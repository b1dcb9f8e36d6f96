import LaunchCore
import Stages

/// Some of the time of a node, in a form that can be looked up in later launches.
struct ReasonPart: Hashable, Sendable {
  var view: View

  /// The steps to the node.
  var path: [TreeLabel]

  /// The nodes below it whose time is not meant.
  var minus: [[TreeLabel]]

  /// Which share of the time of each group is meant, where not all of it is.
  var shares: [String: Double]?

  enum View: Hashable, Sendable { case code, resources }
}

extension DividedTime {
  func tree(_ view: ReasonPart.View) -> TimeTree { view == .code ? code : resources }

  /// The ends of the tree that a part has time of, with the share of each that is meant.
  func ends(of part: ReasonPart) -> [(end: Int, share: Double)] {
    let tree = tree(part.view)
    guard let node = tree.node(at: part.path) else { return [] }
    let minus = Set(part.minus.compactMap { tree.node(at: $0) })
    var ends: [(end: Int, share: Double)] = []
    var open = [node]
    while let next = open.popLast() {
      if minus.contains(next) { continue }
      if tree.children[next].isEmpty {
        let share = part.shares.map { $0[tree.group(of: next)] ?? 0 } ?? 1
        if share != 0 { ends.append((next, share)) }
      }
      open += tree.children[next]
    }
    return ends
  }

  /// The time of some parts together, by block.
  func values(of parts: [ReasonPart]) -> Sides<[Double]> {
    let zeros = [Double](repeating: 0, count: kept.count)
    var sums = Sides(before: zeros, after: zeros)
    for part in parts {
      let tree = tree(part.view)
      for (end, share) in ends(of: part) {
        for block in kept.indices {
          sums.before[block] += share * tree.values.before[end][block]
          sums.after[block] += share * tree.values.after[end][block]
        }
      }
    }
    return sums
  }

  /// The mean differences of some parts by what the time was spent on.
  func differencesByLeaf(of parts: [ReasonPart]) -> [(label: TreeLabel, group: String, Double)] {
    parts.flatMap { part in
      let tree = tree(part.view)
      return ends(of: part).compactMap { end, share in
        tree.labels[end].map { ($0, tree.group(of: end), share * tree.meanDifference(of: end)) }
      }
    }
  }

  /// The mean differences of some parts by group.
  func differencesByGroup(of parts: [ReasonPart]) -> [String: Double] {
    var sums: [String: Double] = [:]
    for (_, group, difference) in differencesByLeaf(of: parts) {
      sums[group, default: 0] += difference
    }
    return sums
  }
}

/// A reason while it is being put together.
struct ReasonDraft {
  var parts: [ReasonPart]
  var novelty: LaunchReason.Novelty
  var isSpecific: Bool

  /// By block, in nanoseconds.
  var differences: [Double]

  /// What it is called after, where other parts were merged into it.
  var kind: ReasonKind?

  var mean: Double { differences.reduce(0, +) / Double(max(1, differences.count)) }

  /// The actors of its parts by code, each once.
  var actors: [LaunchActor] {
    var actors: [LaunchActor] = []
    for part in parts {
      if case .actor(let actor)? = part.path.first, !actors.contains(actor) { actors.append(actor) }
    }
    return actors
  }

  /// The actor that is new or gone as a whole, if this is one.
  var wholeActor: LaunchActor? {
    guard novelty == .new || novelty == .gone, parts[0].view == .code, parts[0].path.count == 1,
      case .actor(let actor)? = parts[0].path.first
    else { return nil }
    return actor
  }

  /// The functions on the way to the first part.
  var frames: [CodeFrame] {
    parts.first?.path.compactMap { if case .frame(let frame) = $0 { frame } else { nil } } ?? []
  }

  /// Takes the time of another one in.
  mutating func absorb(_ other: Self) {
    parts += other.parts
    differences = zip(differences, other.differences).map { $0 + $1 }
    isSpecific = isSpecific || other.isSpecific
  }
}
