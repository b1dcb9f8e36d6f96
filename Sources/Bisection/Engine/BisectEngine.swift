import Foundation
package import LaunchCore

/// Decides what a bisection builds and launches next, and what it claims.
///
/// It is a pure function of its events: the same answers to its actions give the same actions, so a
/// log that is replayed goes on where it stopped. Values are natural logarithms throughout.
///
/// Source: noisy binary search with a posterior over the change, as by Burnashev and Zigangirov
/// (1974), where each step is chosen by information per cost.
package struct BisectEngine: Sendable {
  var parameters: BisectParameters
  let rules: BisectRules

  /// What is known of the revisions, and everything measured of them.
  var range: RevisionClasses
  var batches: [MeasuredBatch] = []
  var rounds: [Int]

  /// The log ratios of the running tests of two builds.
  var pairs: [PairOfBuilds: [Double]] = [:]

  var phase = Phase.ends

  /// What was asked for last.
  var action: BisectAction?

  /// −1 when improvements are looked for.
  var orientation: Double

  /// The difference between the ends.
  var difference: LogInterval?

  /// The part of the range that is searched, the parts still to be, and those beside a culprit that
  /// may hold another one.
  var segment: BisectSegment
  var pending: [BisectSegment] = []
  var besides: [BisectSegment] = []

  /// The first and last revision of the class that is confirmed.
  var target: ClosedRange<Int>?
  var confirmFailures = 0
  var vetoes: [ClosedRange<Int>] = []
  var found: [FoundChange] = []
  var splits: [Int] = []
  var opposites: [OppositeChange] = []

  /// A change that is confirmed, while its size is measured.
  var sizing: Sizing?

  /// The search by slow launches; nil where there is none.
  var tail: TailSearch?

  /// Whether fewer launches are left than one row takes.
  var hasNoRoom = false

  /// Why a part was given up first, where others were searched still.
  var givenUp: BisectObstacle?

  /// The parts beside culprits that were not searched, or not to the end.
  var unsearched: [UnsearchedStretch] = []

  /// The differences of neighbouring builds, where counts are searched for every change.
  var steps: [Step] = []

  /// The neighbouring builds whose difference was looked at for good.
  var settled: Set<PairOfBuilds> = []

  /// How many builds inside of stretches with equal ends were compared with them.
  var probes = 0

  /// How likely the change is in the stretch of each revision.
  var chances: [Double]
  var twoChanges = 0.0
  var jitterChances: [Double]
  var effect: Double
  var noise: Double?

  /// What somebody believes who expects builds to differ; nil where nobody does.
  var doubt: Doubt?

  /// A build that must have more rows before the segment is split there.
  var splitCandidate: Int?

  var costs: BisectCosts

  /// Builds tried, of which ``failedBuilds`` cannot be used, and launches that count.
  package private(set) var builds = 0
  package private(set) var failedBuilds = 0
  package private(set) var launches = 0

  /// The seconds of all that was told so far, and of a launch with what is around it.
  package var seconds: Double { costs.seconds }
  package var launchSeconds: Double { costs.launch }

  /// Begins a bisection.
  ///
  /// - Parameters:
  ///   - weights: How likely each revision is the change beside the others, from good to bad; the
  ///     first one is not used. 0 for one that cannot be the change, such as one with the tree of
  ///     the revision before.
  ///   - parameters: What the user asks for.
  package init(weights: [Double], parameters: BisectParameters) {
    self.init(
      weights: weights,
      parameters: parameters,
      rules: .shipped(isExact: parameters.isExact)
    )
  }

  init(weights: [Double], parameters: BisectParameters, rules: BisectRules) {
    precondition(weights.count >= 2, "a range has two ends")
    self.parameters = parameters
    self.rules = rules
    let looksInside = parameters.findsAll || parameters.direction == .any
    range = RevisionClasses(weights: weights, joinsApart: !looksInside)
    rounds = [Int](repeating: 0, count: weights.count)
    orientation = parameters.direction == .improvement ? -1 : 1
    segment = BisectSegment(
      lower: 0,
      upper: weights.count - 1,
      effect: parameters.minimumEffect,
      orientation: orientation
    )
    let sum = range.weights.reduce(0, +)
    chances = sum > 0 ? range.weights.map { $0 / sum } : range.weights
    jitterChances = rules.jitterPrior
    effect = parameters.minimumEffect
    costs = BisectCosts(parameters)
  }

  /// How likely each revision is the change, or the larger of two; 0 for good.
  package var posterior: [Double] {
    var result = [Double](repeating: 0, count: chances.count)
    for revision in range.revisions where revision > 0 {
      result[range.change(at: revision)] = chances[revision]
    }
    return result
  }

  /// Whether further changes are looked for: where every one was asked for, and where those that were
  /// found do not explain the alert that asked.
  var looksFurther: Bool {
    if parameters.findsAll { return true }
    let share = parameters.alertShare(of: found.map(\.effect.estimate)) ?? 1
    return !found.isEmpty && share < BisectParameters.mostOfAlert
  }

  /// Whether it is reckoned how likely each revision is the change.
  var hasChances: Bool { phase != .ends && phase != .sweep && phase != .tail }

  // MARK: - Events

  /// What to do next; the same until the result is told.
  package mutating func next() -> BisectAction {
    let next = withinLimits(decide())
    action = next
    return next
  }

  /// Leaves revisions out that cannot be built, before the first action.
  ///
  /// - Parameter revisions: None of the ends.
  package mutating func exclude(_ revisions: [Int]) {
    for revision in revisions { range.record(revision, isUsable: false, digest: nil) }
  }

  /// Takes what became of a build.
  ///
  /// - Parameters:
  ///   - revision: The one that was asked for.
  ///   - isUsable: Whether it can be launched.
  ///   - digest: Of what was built; builds with the same one are not distinguished.
  ///   - seconds: How long it took; nil when it was found, which changes no expected cost.
  package mutating func built(_ revision: Int, isUsable: Bool, digest: String?, seconds: Double?) {
    builds += 1
    if !isUsable { failedBuilds += 1 }
    costs.addBuild(isUsable: isUsable, seconds: seconds)
    range.record(revision, isUsable: isUsable, digest: digest)
    if hasChances { refresh() }
  }

  /// Takes the results of the launches that were asked for.
  ///
  /// - Parameters:
  ///   - rows: Natural logarithms of values, columns in the order of the arms; all finite.
  ///   - seconds: How long all took; nil where that is not known.
  package mutating func measured(_ rows: [[Double]], seconds: Double?) {
    guard case .launch(let arms, _) = action, !rows.isEmpty else { return }
    precondition(rows.allSatisfy { $0.count == arms.count }, "a row has a value of every arm")
    let count = rows.count * arms.count
    launches += count
    costs.addLaunches(count, seconds: seconds)
    for arm in arms { rounds[arm] += rows.count }
    batches.append(MeasuredBatch(arms: arms, rows: rows))
    if arms.count == 2 {
      pairs[PairOfBuilds(arms[0], arms[1]), default: []] += rows.map { $0[1] - $0[0] }
    }
    if hasChances { update() }
  }

  /// Takes that time has passed beside builds and launches, or for a build that it has ended.
  package mutating func spend(_ seconds: Double) { costs.add(seconds) }

  /// Takes that a build cannot be launched; the launches that were asked for are not made.
  ///
  /// - Parameters:
  ///   - revision: One of the arms.
  ///   - seconds: How long the launches took that are given up.
  package mutating func unlaunchable(_ revision: Int, seconds: Double = 0) {
    failedBuilds += 1
    costs.add(seconds)
    range.breakBuild(revision)
    target = nil
    guard hasChances else { return }
    if phase == .confirmation || phase == .sizing { phase = .search }
    sizing = nil
    segment = moved(segment)
    pending = pending.map(moved)
    besides = besides.map(moved)
    update()
  }

  /// A segment whose ends are launchable builds.
  private func moved(_ segment: BisectSegment) -> BisectSegment {
    var moved = segment
    if !range.isBuilt(segment.lower) { moved.lower = range.built(below: segment.lower) ?? 0 }
    if !range.isBuilt(segment.upper) {
      moved.upper = range.built(above: segment.upper) ?? range.last
    }
    return moved
  }

  enum Phase: Sendable {
    case ends
    case search
    case confirmation
    case sizing
    case others

    /// All changes of a measure that hardly varies.
    case sweep

    /// By slow launches.
    case tail
  }
}

/// What is believed under another prior of how builds differ.
struct Doubt: Sendable {
  var chances: [Double]
  var jitterChances: [Double]
}

/// Two builds in the order of a test.
struct PairOfBuilds: Hashable, Sendable {
  let first: Int
  let second: Int

  init(_ first: Int, _ second: Int) {
    self.first = first
    self.second = second
  }
}

/// A part of the range between two builds that differ.
struct BisectSegment: Hashable, Sendable {
  var lower: Int
  var upper: Int

  /// By how much they differ, above 0 in the direction of the orientation.
  var effect: Double

  /// −1 where an improvement is looked for.
  var orientation: Double
}

/// A change that was confirmed.
struct FoundChange: Hashable, Sendable {
  var revisions: ClosedRange<Int>
  var effect: LogInterval
  var probability: Double
}

/// The pairs that tell the size of a change.
struct Sizing: Sendable {
  var change: FoundChange
  var builds: PairOfBuilds

  /// The log ratios that have confirmed the change.
  var confirming: [Double]

  /// How many pairs are launched, and the most that may be.
  var count: Int
  var most: Int

  /// The size that is told: that of the new pairs, or where these and the confirming ones exclude each
  /// other, as where the machine has changed meanwhile, that of all of them with both intervals.
  func size(_ new: LogInterval, of ratios: [Double], isExact: Bool) -> LogInterval {
    let old = change.effect
    guard new.lower > old.upper || new.upper < old.lower else { return new }
    let all = PairTest.interval(
      confirming + ratios,
      confidence: 0.95,
      isExact: isExact
    )
    return LogInterval(
      estimate: all.estimate,
      lower: min(new.lower, old.lower),
      upper: max(new.upper, old.upper)
    )
  }
}

/// Two neighbouring builds, and by how much they differ.
struct Step: Sendable {
  var lower: Int
  var upper: Int
  var difference: Double
}
