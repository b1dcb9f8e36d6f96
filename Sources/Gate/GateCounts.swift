import LaunchCore
import LaunchHost
import Measuring
import Stages

/// A target in both builds.
struct GatePair {
  /// The name in the scenario; those of the builds have it too.
  var name: String
  var base: Target
  var head: Target

  /// The trees that they were built in.
  var trees: (base: String, head: String)

  /// A path as both builds have it.
  func path(_ path: String) -> String {
    for tree in [trees.base, trees.head] where path.hasPrefix("\(tree)/") {
      return String(path.dropFirst(tree.count + 1))
    }
    return path
  }
}

/// Judges what launches of two builds do.
///
/// What launches of one build disagree on decides only where each launch of head has too much of it.
struct GateCounts {
  let pairs: [GatePair]
  let scenario: Scenario
  let judge: GateJudge

  /// What the files of each target say is loaded, by the name of the target.
  let known: [String: Set<String>]
  let context: WorkflowContext

  /// What was counted.
  struct Result {
    var findings: [GateFinding] = []

    /// What can be approved.
    var things: Set<GateThing> = []

    /// What could not be counted, and why, as sentences without a full stop.
    var problems: [String] = []

    /// Whether all libraries that are opened were seen.
    var isWhole = true
  }

  /// Launches, in a lab of its own.
  func result(in session: LabSession, interrupt: InterruptFlag) async throws -> Result {
    let pairs = pairs
    var counter = LaunchCounter(
      pairs.flatMap { [$0.base, $0.head] },
      of: scenario,
      in: context,
      // All targets are of the same two trees.
      shortening: pairs[0].path
    )
    for pair in pairs {
      for (own, other) in [(pair.base, pair.head), (pair.head, pair.base)] {
        var naming = ProgramNaming(of: own.command[0], besides: other.command[0])
        naming.unify(own.command, other.command, below: own.directory)
        counter.namings[own.name] = naming
      }
    }
    try await counter.count(in: session, interrupt)
    var result = Result(problems: counter.problems)
    for pair in pairs {
      let base = counter.counted[pair.base.name] ?? CountedLaunches()
      let head = counter.counted[pair.head.name] ?? CountedLaunches()
      let isWhole = base.isWhole(.systemCalls) && head.isWhole(.systemCalls)
      if isWhole {
        result.findings += libraries(pair.name, base, head)
        for name in Set(base.libraries.keys).union(head.libraries.keys) {
          result.things.insert(.init(kind: .library, name: name))
        }
      } else {
        result.isWhole = false
        if counter.isTraced { result.findings.append(lost(pair.name)) }
      }
      result.findings += GateRules.Figure.allCases.compactMap { figure in
        isWhole || !LaunchCounter.traced.contains(figure)
          ? finding(figure, pair.name, base, head) : nil
      }
    }
    return result
  }

  /// Says that there are no counts of calls, since events were lost or launches were not ready.
  private func lost(_ target: String) -> GateFinding {
    GateFinding(
      rule: GateRules.Figure.files.rawValue,
      target: target,
      item: "programs, threads and files",
      verdict: .undecided,
      details: ["not every traced launch told all of its calls"]
    )
  }

  /// The libraries that launches of head open, and those of base do not, beside those that the files tell.
  private func libraries(
    _ target: String,
    _ base: CountedLaunches,
    _ head: CountedLaunches
  ) -> [GateFinding] {
    let known = known[target] ?? []
    return head.libraries.sorted { $0.key < $1.key }.compactMap { name, path in
      guard base.libraries[name] == nil, !known.contains(name) else { return nil }
      return judge.judged(
        .init(kind: .library, name: name),
        of: target,
        details: ["opened as \(path) while the program runs"]
      )
    }
  }

  /// Judges what was counted; nil where nothing was.
  private func finding(
    _ figure: GateRules.Figure,
    _ target: String,
    _ base: CountedLaunches,
    _ head: CountedLaunches
  ) -> GateFinding? {
    guard let before = base.count(figure), let after = head.count(figure) else { return nil }
    guard base.isWhole(figure), head.isWhole(figure) else {
      return GateFinding(
        rule: figure.rawValue,
        target: target,
        item: figure.title,
        verdict: .undecided,
        details: ["not every launch told it"]
      )
    }
    return judge.judged(
      figure,
      of: target,
      before,
      after,
      details: more(base.values[figure]?.first ?? [:], head.values[figure]?.first ?? [:])
    )
  }

  /// What there is more of in head, the largest difference first.
  private func more(_ base: [String: Int], _ head: [String: Int]) -> [String] {
    let more = head.filter { !$0.key.isEmpty && $0.value > base[$0.key] ?? 0 }
      .map { (name: $0.key, before: base[$0.key] ?? 0, after: $0.value) }
      .sorted { left, right in
        (right.after - right.before, left.name) < (left.after - left.before, right.name)
      }
    return more.prefix(Self.shown).map { "\($0.name): \($0.before) → \($0.after)" }
      + (more.count > Self.shown ? ["and \(more.count - Self.shown) more"] : [])
  }

  /// How many differences are told one by one.
  private static let shown = 3
}
