import LaunchCore

/// Chooses the nodes of a tree that say best where a difference lies.
///
/// A node that is new or gone says it at its topmost level. Any other node says it itself unless
/// those chosen below it make up most of its difference.
struct CoverRule {
  let tree: TimeTree

  /// Whether differences by block are there, and large enough to be named.
  let isSignificant: ([Double]) -> Bool

  /// What a mean difference must reach at least, in nanoseconds.
  let floor: Double

  /// Whether a node names more than an actor and where it begins.
  let isSpecific: (Int) -> Bool

  /// A node that was chosen, without what lies below others.
  struct Choice {
    var node: Int
    var minus: [Int]
    var differences: [Double]
    var novelty: LaunchReason.Novelty

    var mean: Double { differences.reduce(0, +) / Double(max(1, differences.count)) }

    /// Whether it stays beside a choice above it.
    var isNovel: Bool { novelty == .new || novelty == .gone }
  }

  /// The largest share that a new part has before, or one that is gone has after.
  static let novelShare = 0.03

  /// Which share of a node those below it must make up to stand for it.
  static let coveringShare = 0.6

  func choices() -> [Choice] {
    var found = [[Choice]](repeating: [], count: tree.count)
    for node in stride(from: tree.count - 1, through: 0, by: -1) {
      let below = tree.children[node].flatMap { found[$0] }
      found[node] = choices(at: node, below: below)
    }
    return found[0]
  }

  private func choices(at node: Int, below: [Choice]) -> [Choice] {
    let difference = tree.meanDifference(of: node)
    guard node > 0, abs(difference) >= floor else { return below }
    let differences = tree.differences(of: node)
    guard isSignificant(differences) else { return below }
    let novelty = novelty(of: node)
    let itself = Choice(node: node, minus: [], differences: differences, novelty: novelty)
    if itself.isNovel { return [itself] }
    let covered = below.reduce(0) { $0 + $1.mean } / difference
    if covered >= Self.coveringShare, !(isSpecific(node) && isMoreOfTheSame(below)) {
      return below
    }
    let kept = isSpecific(node) ? below.filter(\.isNovel) : below
    var rest = itself
    rest.minus = kept.map(\.node)
    for choice in kept { rest.differences = zip(rest.differences, choice.differences).map(-) }
    guard abs(rest.mean) >= floor, isSignificant(rest.differences) else { return below }
    return kept + [rest]
  }

  /// Whether several parts grew or shrank by about the same factor, as when a function is called
  /// more often and everything that it does takes longer alike.
  private func isMoreOfTheSame(_ choices: [Choice]) -> Bool {
    guard choices.count > 1, !choices.contains(where: \.isNovel) else { return false }
    let growths = choices.map { $0.mean / tree.mean(of: $0.node, in: .before) }
    guard let least = growths.min(), let most = growths.max(), least * most > 0 else {
      return false
    }
    return max(least / most, most / least) <= Self.alikeGrowth
  }

  /// By which factor the growths of parts may differ at most to count as the same.
  private static let alikeGrowth = 2.5

  /// How the two programs differ in a node.
  func novelty(of node: Int) -> LaunchReason.Novelty {
    let difference = tree.meanDifference(of: node)
    let limit = Self.novelShare * abs(difference)
    if abs(tree.mean(of: node, in: .before)) < limit { return .new }
    if abs(tree.mean(of: node, in: .after)) < limit { return .gone }
    return difference > 0 ? .more : .less
  }
}
