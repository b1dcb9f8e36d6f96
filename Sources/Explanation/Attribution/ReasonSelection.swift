import LaunchCore
import Stages

/// Chooses reasons from both views, none of whose time is in two of them.
///
/// What the view by code names comes first; what the view by resources names next, as far as there
/// is time left of its system calls; and at last what neither divides further. The two views come
/// from different launches, so what they have in common is known by the totals of each system call
/// only: the reasons never get more of one than there is.
struct ReasonSelection {
  private let time: DividedTime
  private let floor: Double
  private let isSignificant: ([Double]) -> Bool

  /// The whole difference of each group.
  private let whole: [String: Double]

  /// What the reasons have of each group, by the view they come from.
  private var taken: [ReasonPart.View: [String: Double]] = [:]
  private var drafts: [ReasonDraft] = []

  /// The reasons in the order in which they were found.
  static func drafts(
    of time: DividedTime,
    floor: Double,
    isSignificant: @escaping ([Double]) -> Bool
  ) -> [ReasonDraft] {
    var selection = Self(time: time, floor: floor, isSignificant: isSignificant)
    selection.select()
    return selection.drafts
  }

  private init(
    time: DividedTime,
    floor: Double,
    isSignificant: @escaping ([Double]) -> Bool
  ) {
    self.time = time
    self.floor = floor
    self.isSignificant = isSignificant
    whole = time.differencesByGroup(of: [ReasonPart(view: .resources, path: [], minus: [])])
  }

  private mutating func select() {
    let code = choices(in: time.code, isSpecific: Self.namesCode)
    let resources = choices(in: time.resources, isSpecific: Self.namesResource)
    for choice in code where choice.isSpecific { take(choice.choice, in: .code, isSpecific: true) }
    for choice in resources where choice.isSpecific {
      take(choice.choice, in: .resources, isSpecific: true)
    }
    for choice in code where !choice.isSpecific {
      take(choice.choice, in: .code, isSpecific: false)
    }
    for choice in resources where !choice.isSpecific {
      take(choice.choice, in: .resources, isSpecific: false)
    }
  }

  /// The choices of a tree, the largest first.
  private func choices(
    in tree: TimeTree,
    isSpecific: @escaping (CoverRule.Choice, [TreeLabel]) -> Bool
  ) -> [(choice: CoverRule.Choice, isSpecific: Bool)] {
    let rule = CoverRule(tree: tree, isSignificant: isSignificant, floor: floor) { node in
      let choice = CoverRule.Choice(node: node, minus: [], differences: [], novelty: .more)
      return isSpecific(choice, tree.path(of: node))
    }
    return rule.choices().sorted { (abs($0.mean), $1.node) > (abs($1.mean), $0.node) }
      .map { ($0, isSpecific($0, tree.path(of: $0.node))) }
  }

  /// Whether a node of the view by code names more than an actor and the function it begins with.
  private static func namesCode(_ choice: CoverRule.Choice, _ path: [TreeLabel]) -> Bool {
    guard !path.contains(.notSampled) else { return false }
    let frames = path.count { if case .frame = $0 { true } else { false } }
    if choice.isNovel { return path.count == 1 || frames >= 1 }
    if case .leaf? = path.last { return frames >= 1 }
    return frames >= 2
  }

  private static func namesResource(_ choice: CoverRule.Choice, _ path: [TreeLabel]) -> Bool {
    path.first != .resource("own code")
  }

  /// Takes what there is left of a choice, unless that is too little.
  private mutating func take(
    _ choice: CoverRule.Choice,
    in view: ReasonPart.View,
    isSpecific: Bool
  ) {
    let tree = time.tree(view)
    var part = ReasonPart(
      view: view,
      path: tree.path(of: choice.node),
      minus: choice.minus.map(tree.path)
    )
    let wanted = time.differencesByGroup(of: [part])
    var shares = wanted.mapValues { _ in 1.0 }
      .merging(wanted.keys.map { ($0, share(of: wanted[$0] ?? 0, from: $0, in: view)) }) { $1 }
    // Own code in no function cannot be told from what is left of the cost of stops.
    if !isSpecific, isStopped(part) { shares[TimeLeaf.ownCode.group] = 0 }
    var draft = ReasonDraft(
      parts: [part],
      novelty: choice.novelty,
      isSpecific: isSpecific,
      differences: choice.differences
    )
    if shares.values.contains(where: { $0 < 1 }) {
      part.shares = shares
      draft.parts = [part]
      let values = time.values(of: [part])
      draft.differences = zip(values.after, values.before).map { $0 - $1 }
      let least = isSpecific ? max(floor, abs(choice.mean) / 2) : floor
      guard draft.mean * choice.mean > 0, abs(draft.mean) >= least,
        isSignificant(draft.differences)
      else { return }
    }
    for (group, difference) in time.differencesByGroup(of: [part]) {
      taken[view, default: [:]][group, default: 0] += difference
    }
    drafts.append(draft)
  }

  /// Whether stops are in the own code of a part; the view by resources does not tell actors apart.
  private func isStopped(_ part: ReasonPart) -> Bool {
    guard case .actor(let actor)? = part.path.first else { return !time.reading.stopped.isEmpty }
    return time.reading.stopped.contains(ClassKey(actor: actor, activity: .ownCode))
  }

  /// Which share of a difference is still to be had of a group.
  ///
  /// Choices of one view never overlap, so only what the other view has taken matters.
  private func share(of difference: Double, from group: String, in view: ReasonPart.View) -> Double
  {
    let other = taken[view == .code ? .resources : .code]?[group] ?? 0
    guard other != 0, difference != 0 else { return 1 }
    let own = taken[view]?[group] ?? 0
    let left = (whole[group] ?? 0) - other - own
    return left * difference > 0 ? min(1, left / difference) : 0
  }
}
