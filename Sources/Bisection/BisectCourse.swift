import LaunchCore
import LaunchStatistics

/// Where a bisection is: everything that its events say.
///
/// The same events give the same course, in the process that measures as in one that reads the log.
struct BisectCourse {
  /// What was asked for, with the limits that hold now.
  private(set) var start: BisectStart

  private(set) var engine: BisectEngine

  /// The engine before it decided what is due, so that other limits can decide otherwise.
  private var undecided: BisectEngine

  /// What is to be done next.
  private(set) var action: BisectAction

  /// The rows of the pending action that are there already.
  private(set) var rows: [BisectRow] = []

  /// The usable builds, by the index of their revision.
  private(set) var builds: [Int: BisectBuilt] = [:]

  /// The first submodule of each path that a build was made without.
  private(set) var missingSubmodules: [String: MissingSubmodule] = [:]

  /// The revisions that cannot be used, with the reason.
  private(set) var failures: [Int: String] = [:]

  /// The logs of builds that failed.
  private(set) var failureLogs: [Int: String] = [:]

  /// Those of them that were built, but cannot be launched.
  private(set) var unlaunchable: Set<Int> = []

  /// The revisions that were launched at least once.
  private(set) var launched: Set<Int> = []

  private(set) var timeouts = 0

  /// The values of both ends, of the rows that compared just these.
  private var ends: (good: [Double], bad: [Double]) = ([], [])

  /// The CPU times of both ends, of the same rows.
  private var endTimes: (good: [Double], bad: [Double]) = ([], [])

  /// Whether the log says how it ended.
  private(set) var hasEnded = false

  /// Why a culprit is slower or faster than its parent, as it was found last.
  private(set) var explanation: BisectExplanation?

  init(_ start: BisectStart) {
    self.start = start
    engine = BisectEngine(weights: start.weights, parameters: start.parameters)
    engine.exclude(start.skips)
    for skip in start.skips { failures[skip] = BisectStart.skipReason }
    undecided = engine
    action = engine.next()
  }

  /// Why an event cannot follow, a phrase; nil when it was taken.
  mutating func apply(_ event: BisectEvent) -> String? {
    switch event {
    case .started: return "a bisection starts once"
    case .resumed: return nil
    case .limited(let limits): return apply(limits)
    case .built(let built): return apply(built)
    case .row(let row): return apply(row)
    case .unlaunchable(let revision, let reason): return setAside(revision, because: reason)
    case .ended(let end):
      hasEnded = true
      return check(end)
    case .explained(let found):
      guard hasEnded else { return "nothing was found that could be explained" }
      explanation = found
      return nil
    }
  }

  /// Takes other limits; an action that was begun is done first.
  private mutating func apply(_ limits: BisectLimits) -> String? {
    guard limits.isSound else { return "nothing can be done within the limits \(limits)" }
    start.parameters.limits = limits
    hasEnded = false
    if rows.isEmpty { engine = undecided }
    engine.limit(limits)
    if rows.isEmpty { advance() }
    return nil
  }

  private mutating func apply(_ built: BisectBuilt) -> String? {
    guard action == .build(built.revision) else {
      return "revision \(built.revision) was built, but \(action.words) is due"
    }
    let times = [built.seconds ?? 0, built.waited ?? 0]
    guard times.allSatisfy({ $0.isFinite && $0 >= 0 }) else { return "no build takes \(times) s" }
    engine.spend(times[1])
    if built.failure != nil, let limit, engine.seconds + times[0] >= limit {
      // Whatever the commit holds, the end of the time has ended its build.
      engine.spend(times[0])
      advance()
      return nil
    }
    missingSubmodules.merge((built.missingSubmodules ?? []).map { ($0.path, $0) }) { own, _ in own }
    engine.built(
      built.revision,
      isUsable: built.failure == nil,
      digest: built.digest,
      seconds: built.seconds
    )
    if let failure = built.failure {
      failures[built.revision] = failure
      failureLogs[built.revision] = built.log
    } else {
      builds[built.revision] = built
    }
    advance()
    return nil
  }

  private mutating func apply(_ row: BisectRow) -> String? {
    guard case .launch(let arms, let count) = action, arms == row.arms,
      row.values.count == arms.count,
      (row.values + [row.seconds]).allSatisfy({ $0.isFinite && $0 >= 0 })
    else { return "revisions \(row.arms) were launched, but \(action.words) is due" }
    rows.append(row)
    timeouts += row.timedOut.count
    launched.formUnion(arms)
    if arms == [0, start.revisions.count - 1] {
      ends.good.append(row.values[0])
      ends.bad.append(row.values[1])
      if let times = row.processorTimes, times.count == 2 {
        endTimes.good.append(times[0])
        endTimes.bad.append(times[1])
      }
    }
    if isHopeless { return setAside(0, because: "no launch of either end was over in time") }
    guard rows.count == count || secondsLeft == 0 else { return nil }
    engine.measured(
      rows.map { $0.values.map(start.measure.logarithm(of:)) },
      seconds: pendingSeconds
    )
    advance()
    return nil
  }

  /// Whether neither end was ready within the time limit, again and again.
  private var isHopeless: Bool {
    guard case .launch([0, start.revisions.count - 1], _) = action else { return false }
    return rows.count == 3 && rows.allSatisfy { $0.timedOut.count == 2 }
      && launched.count == 2
  }

  private mutating func setAside(_ revision: Int, because reason: String) -> String? {
    guard case .launch(let arms, _) = action, arms.contains(revision) else {
      return "revision \(revision) could not be launched, but \(action.words) is due"
    }
    engine.unlaunchable(revision, seconds: pendingSeconds)
    builds[revision] = nil
    unlaunchable.insert(revision)
    failures[revision] = reason
    advance()
    return nil
  }

  private mutating func advance() {
    rows = []
    undecided = engine
    action = engine.next()
  }

  private func check(_ end: BisectEnd) -> String? {
    guard case .done(let answer) = action else {
      return "the bisection ended, but \(action.words) is due"
    }
    let culprits = answer.culprits.map(\.revisions)
    guard answer.outcome.name == end.outcome, culprits == end.culprits else {
      return "it ended as \(end.outcome) \(end.culprits), but now it would end as "
        + "\(answer.outcome.name) \(culprits)"
    }
    return nil
  }

  /// The seconds of building and launching.
  var seconds: Double { engine.seconds + pendingSeconds }

  /// The seconds of the rows that the engine was not told of yet.
  private var pendingSeconds: Double { rows.reduce(0) { $0 + $1.seconds } }

  /// The seconds that may still be spent, at least 0; nil where the time has no limit.
  var secondsLeft: Double? { limit.map { max(0, $0 - seconds) } }

  private var limit: Double? { start.parameters.limits.seconds }

  /// The middle of the values of either end, in the unit of the measure; nil before there are any.
  var medians: BisectSummary.Medians? {
    guard let good = try? Sample(ends.good).median, let bad = try? Sample(ends.bad).median else {
      return nil
    }
    return BisectSummary.Medians(good: good, bad: bad)
  }

  /// How the CPU times of both ends compare; nil where they are not known of enough pairs.
  var processorTime: ProcessorTimeDifference? {
    ProcessorTimeDifference(good: endTimes.good, bad: endTimes.bad)
  }

  /// How the bisection ends at this moment.
  var end: BisectAnswer? {
    guard case .done(let answer) = action else { return nil }
    return answer
  }
}

extension BisectAction {
  /// The action in words, such as `the build of revision 32`.
  fileprivate var words: String {
    switch self {
    case .build(let revision): "the build of revision \(revision)"
    case .launch(let arms, let rows): "\(rows) rows of revisions \(arms)"
    case .done: "the end"
    }
  }
}

extension BisectStart {
  /// Why a revision that the user has named is not built.
  static let skipReason = "it is skipped, as --skip says"

  /// How likely a change is at each revision; the good end has none.
  var weights: [Double] { [0] + revisions.dropFirst().map(\.weight) }
}
