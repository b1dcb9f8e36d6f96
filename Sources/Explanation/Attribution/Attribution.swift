// Attribution: from the times and samples of launches of two programs to the reasons why one takes longer.
//
// Begin with `Attribution`. `DividedTime` divides the time of some blocks of launches into two `TimeTree`s, by
// code and by resource; for that `SampleReading` calls threads and functions alike in both programs, and
// `StackCounts` counts the samples. `SignFlipTest` says which nodes differ, `CoverRule` which of them say best
// where the difference lies, and `ReasonSelection` brings the two views together without counting time twice.
// `ReasonMerging` joins what is one thing, `ReasonWording` says what kind of thing it is, and what
// `CountComparison` found about it. `LookDecision` says whether more launches are needed.

import LaunchCore
import LaunchStatistics

/// Finds why launches of one program take longer than those of another.
///
/// Reasons are named from some blocks of launches, and then estimated again from later ones: what is
/// printed has not been chosen for looking large. All of it is decided by the launches and the seed.
package struct Attribution: Sendable {
  package var settings: AttributionSettings

  package init(settings: AttributionSettings = AttributionSettings()) {
    self.settings = settings
  }

  /// Names the reasons, from the launches alone.
  ///
  /// The chance that anything at all is named where nothing differs is `alpha` of the settings.
  ///
  /// - Parameter blocks: In the order of collection.
  /// - Returns: Figures of the launches that the reasons were chosen from, which makes them look a
  ///   little large.
  package func reasons(of blocks: [AttributionBlock]) -> LaunchExplanation {
    let analysis = Analysis(blocks, reading: nil, settings: settings)
    var explanation = analysis.explanation()
    let drafts = ReasonSelection.drafts(
      of: analysis.time,
      floor: explanation.floor,
      isSignificant: analysis.isSignificant
    )
    var merging = ReasonMerging(
      time: analysis.time,
      libraries: explanation.libraries,
      floor: explanation.floor
    )
    let merged = merging.merged(drafts)
    let wording = ReasonWording(
      time: analysis.time,
      counts: explanation.counts,
      libraries: explanation.libraries
    )
    let whole = analysis.sharedDifference
    let reasons = analysis.united(merged.map { wording.reason($0, whole: whole) })
    explanation.notes += merging.notes
    analysis.finish(&explanation, with: reasons)
    return explanation
  }

  /// Estimates named reasons again, and only those, from launches that they were not named from.
  ///
  /// A reason is withdrawn where its interval includes 0, where it differs in the other direction,
  /// and where it is below half the floor.
  ///
  /// - Parameters:
  ///   - named: What ``reasons(of:)`` returned.
  ///   - fresh: Blocks of later launches.
  /// - Returns: Figures of the fresh blocks only.
  package func confirm(
    _ named: LaunchExplanation,
    on fresh: [AttributionBlock]
  ) -> LaunchExplanation {
    let analysis = Analysis(fresh, reading: named.reading, settings: settings)
    var explanation = analysis.explanation()
    explanation.counts = named.counts
    explanation.libraries = named.libraries
    explanation.instructions = named.instructions
    explanation.notes += named.notes.filter { note in
      if case .pathSwitched = note { true } else { false }
    }
    let whole = analysis.sharedDifference
    var confirmed: [LaunchReason] = []
    for reason in named.reasons {
      var again = reason
      again.change = TimeChange(analysis.time.values(of: reason.parts))
      let difference = Double(again.change.difference.count)
      again.share = whole.map { difference / $0 }
      let isThere =
        again.change.interval?.excludesZero ?? false
        && difference * Double(reason.change.difference.count) > 0
        && abs(difference) >= explanation.floor / 2
      if isThere {
        again.confirmedBlocks = analysis.time.kept.count
        confirmed.append(again)
      } else {
        explanation.withdrawn.append(again)
      }
    }
    analysis.finish(&explanation, with: confirmed)
    return explanation
  }

  /// Divides the time of the launches of one program, which is called after; nothing is compared.
  ///
  /// - Parameter blocks: The launches before are not looked at.
  /// - Returns: Means with their intervals; no reasons.
  package func division(of blocks: [AttributionBlock]) -> LaunchExplanation {
    let blocks = blocks.map { AttributionBlock(before: BlockLaunches(), after: $0.after) }
    return Analysis(blocks, arms: [.after], reading: nil, settings: settings).explanation()
  }
}

/// Some blocks of launches with what is computed of them once.
private struct Analysis {
  let blocks: [AttributionBlock]
  let arms: [Side]
  let time: DividedTime
  let floor: SignFlipTest.Floor
  let test: SignFlipTest?
  let settings: AttributionSettings

  init(
    _ blocks: [AttributionBlock],
    arms: [Side] = Side.allCases,
    reading: DividedTime.Reading?,
    settings: AttributionSettings
  ) {
    self.blocks = blocks
    self.arms = arms
    self.settings = settings
    let time = DividedTime(blocks, arms: arms, reading: reading, settings: settings)
    self.time = time
    let launch = time.resources.mean(of: 0, in: arms.contains(.before) ? .before : .after)
    floor = SignFlipTest.Floor(launch: launch)
    guard arms.count == 2, time.kept.count >= SignFlipTest.fewestBlocks else {
      test = nil
      return
    }
    let trees = [time.code, time.resources]
    test = SignFlipTest(
      trees.flatMap { tree in (0..<tree.count).map(tree.differences) },
      whole: time.resources.differences(of: 0),
      floor: floor,
      permutations: settings.permutations,
      seed: settings.seed
    )
  }

  /// The mean difference of the launches in nanoseconds; nil for one program, and where it is 0.
  var wholeDifference: Double? {
    let difference = time.resources.meanDifference(of: 0)
    return arms.count == 2 && difference != 0 ? difference : nil
  }

  /// The same, which reasons are shares of; nil where it may be 0: neither is the interval of traced
  /// launches beyond 0, nor that of plain ones with this difference in it.
  var sharedDifference: Double? {
    guard let difference = wholeDifference else { return nil }
    let traced = meanInterval(of: time.resources.differences(of: 0))
    let isThere = [traced, plain?.interval].compactMap(\.self).contains { interval in
      interval.excludesZero && (interval.low...interval.high).contains(difference)
    }
    return isThere ? difference : nil
  }

  /// What a part must differ by to be named, in nanoseconds.
  var floorAmount: Double { floor.amount(whole: wholeDifference ?? 0) }

  func isSignificant(_ differences: [Double]) -> Bool {
    let mean = differences.reduce(0, +) / Double(max(1, differences.count))
    guard let test, abs(mean) >= floorAmount else { return false }
    return test.probability(differences) <= settings.alpha
  }

  /// Everything but the reasons.
  func explanation() -> LaunchExplanation {
    let whole = blocks.count { block in arms.allSatisfy { block[$0].traced != nil } }
    let isPair = arms.count == 2
    return LaunchExplanation(
      blocks: time.kept.count,
      droppedBlocks: whole - time.kept.count,
      difference: LaunchDifference(
        plain: plain,
        traced: TimeChange(time.resources.values.map { $0[0] }),
        queue: change { Double($0.queue.count) },
        harness: change { Double($0.harness.count) }
      ),
      floor: floorAmount,
      reasons: [],
      withdrawn: [],
      coverage: nil,
      unattributed: nil,
      tree: nodes(of: time.code),
      resources: nodes(of: time.resources),
      classes: classes,
      counts: isPair ? CountComparison.changes(in: blocks) : [],
      pageIns: isPair ? [] : CountComparison.pageIns(in: blocks.compactMap(\.after.traced)),
      libraries: isPair ? LaunchExplanation.LibraryChange(blocks) : .init(),
      notes: notes,
      reading: time.reading
    )
  }

  /// Puts what the view by resources names to the reason whose function calls it.
  ///
  /// Where a system call has too few samples to be divided, only its resource is known at first.
  func united(_ reasons: [LaunchReason]) -> [LaunchReason] {
    let whole = sharedDifference
    var united = reasons.filter { !$0.isOfResources }
    for reason in reasons where reason.isOfResources {
      guard let owner = united.firstIndex(where: { $0.calls(reason) }) else {
        united.append(reason)
        continue
      }
      united[owner].parts += reason.parts
      united[owner].counts += reason.counts.filter { !united[owner].counts.contains($0) }
      let change = TimeChange(time.values(of: united[owner].parts))
      united[owner].change = change
      united[owner].share = whole.map { Double(change.difference.count) / $0 }
    }
    return united
  }

  /// Adds the reasons with ranks, and what they leave.
  func finish(_ explanation: inout LaunchExplanation, with reasons: [LaunchReason]) {
    explanation.reasons = reasons.sorted { left, right in
      let sizes = [left, right].map { abs($0.change.difference.count) }
      return left.isSpecific == right.isSpecific ? sizes[0] > sizes[1] : left.isSpecific
    }
    for index in explanation.reasons.indices { explanation.reasons[index].rank = index + 1 }
    let named = time.values(of: reasons.filter(\.isSpecific).flatMap(\.parts))
    let root = time.resources.values.map { $0[0] }
    explanation.unattributed = TimeChange(
      Sides(
        before: zip(root.before, named.before).map { $0 - $1 },
        after: zip(root.after, named.after).map { $0 - $1 }
      )
    )
    let whole = time.resources.differences(of: 0)
    guard let difference = wholeDifference else { return }
    // What was named is estimated again from too few launches for the test of everything at once.
    let isThere =
      reasons.contains { $0.confirmedBlocks != nil }
      ? sharedDifference != nil : isSignificant(whole)
    guard isThere else { return }
    let parts = zip(named.after, named.before).map { $0 - $1 }
    let share = parts.reduce(0, +) / Double(parts.count) / difference
    // The linearised error of a ratio of means.
    let errors = zip(parts, whole).map { ($0 - share * $1) / difference }
    explanation.coverage = LaunchExplanation.Coverage(
      share: share,
      interval: meanInterval(of: errors, around: share)
    )
  }

  private func nodes(of tree: TimeTree) -> [LaunchExplanation.TreeNode] {
    (0..<tree.count).map { node in
      LaunchExplanation.TreeNode(
        id: node,
        parent: node == 0 ? nil : tree.parents[node],
        label: tree.labels[node],
        change: TimeChange(tree.values.map { $0[node] }),
        isSignificant: isSignificant(tree.differences(of: node))
      )
    }
  }

  private var classes: [LaunchExplanation.ClassChange] {
    let keys = Set(time.classes.before.keys).union(time.classes.after.keys)
    let zeros = [Double](repeating: 0, count: time.kept.count)
    return keys.map { key in
      LaunchExplanation.ClassChange(
        key: key,
        change: TimeChange(time.classes.map { $0[key] ?? zeros })
      )
    }
    .sorted { left, right in
      let sizes = [left, right].map { abs($0.change.difference.count) }
      return sizes[0] == sizes[1] ? left.key.order < right.key.order : sizes[0] > sizes[1]
    }
  }

  private var plain: TimeChange? {
    let pairs = blocks.compactMap { block -> Sides<Double>? in
      let times = arms.compactMap { block[$0].plain.map { Double($0.count) } }
      guard times.count == arms.count else { return nil }
      return Sides(before: arms.count == 2 ? times[0] : 0, after: times[times.count - 1])
    }
    guard !pairs.isEmpty else { return nil }
    let kept = DividedTime.usual(Array(pairs.indices), totals: pairs.map { $0.before + $0.after })
    return TimeChange(
      Sides(before: kept.map { pairs[$0].before }, after: kept.map { pairs[$0].after })
    )
  }

  private func change(_ part: (TracedLaunch) -> Double) -> TimeChange {
    var values = Sides<[Double]>(before: [], after: [])
    for arm in Side.allCases {
      values[arm] = time.kept.map { block in
        arms.contains(arm) ? blocks[block][arm].traced.map(part) ?? 0 : 0
      }
    }
    return TimeChange(values)
  }

  private var notes: [LaunchExplanation.Note] {
    var notes: [LaunchExplanation.Note] = []
    if time.stacks.isEmpty { notes.append(.notSampled) }
    if arms.count == 2, test == nil {
      notes.append(.fewBlocks(count: time.kept.count, needed: SignFlipTest.fewestBlocks))
    }
    let traced = change { $0.whole(costPerEvent: settings.costPerEvent) }
    let unknown = change { Double($0.unknown.count) }
    let largest = max(unknown.before.count, unknown.after.count)
    let share = Double(largest) / Double(max(1, traced.before.count, traced.after.count))
    if share > 0.02 { notes.append(.unknownTime(share: share)) }
    if arms.count == 2, let plain, let one = plain.interval, let other = traced.interval,
      one.high < other.low || other.high < one.low
    {
      notes.append(.tracedDiffersFromPlain(plain: plain, traced: traced))
    }
    let lost = blocks.reduce(0) { sum, block in
      arms.reduce(sum) { $0 + (block[$1].profile?.lostSamples ?? 0) }
    }
    if lost > 0 { notes.append(.lostSamples(count: lost)) }
    return notes
  }
}

extension TracedLaunch {
  /// How long it took, with everything but what its events cost, in nanoseconds.
  fileprivate func whole(costPerEvent: Double) -> Double {
    let events = classEvents.values.reduce(0, +)
    return Double((attributable + queue + harness + unknown).count) - Double(events) * costPerEvent
  }
}

extension LaunchReason {
  /// Whether only the view by resources names it.
  fileprivate var isOfResources: Bool { parts.allSatisfy { $0.view == .resources } }

  /// Whether it is a function that is new or gone, and calls what another reason is: by the call
  /// paths of both, or since both work on the same object.
  fileprivate func calls(_ other: Self) -> Bool {
    let isSame =
      other.path.isEmpty ? object != nil && object == other.object : other.path.starts(with: path)
    return (novelty == .new || novelty == .gone) && !path.isEmpty && actor == other.actor && isSame
      && (change.difference > .zero) == (other.change.difference > .zero)
  }
}
