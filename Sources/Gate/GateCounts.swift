import Comparison
import Foundation
import LaunchCore
import LaunchHost
import LaunchStatistics
import Measuring
import Rendering
import Stages

/// Counts what launches of two builds do, a few times each.
///
/// What is counted hardly differs from launch to launch, so that a busy machine changes nothing. Whether
/// it does is seen: what launches of base disagree on does not decide.
struct GateCounts {
  /// Two targets for each one of the scenario, that of base first.
  let pairs: [(name: String, base: Target, head: Target)]
  let scenario: Scenario
  let rules: GateRules
  let context: WorkflowContext

  /// How often each build is launched.
  static let launches = 3

  /// Peak memory differs by a few pages from launch to launch.
  private static let leastMemory = 512.0 * 1024
  private static let leastFiles = 3.0
  private static let leastInstructions = 50_000.0

  /// What was counted.
  struct Result {
    var findings: [GateFinding] = []

    /// What could not be counted, and why, as sentences without a full stop.
    var problems: [String] = []
  }

  /// Launches, in a lab of its own.
  func result(in session: LabSession, interrupt: InterruptFlag) async throws -> Result {
    var result = Result()
    let collector = collector(&result)
    let seen = try await launched(collector, session, interrupt)
    let counted = try await instructions(session, interrupt, &result)
    for pair in pairs {
      let (base, head) = (seen[pair.base.name] ?? Seen(), seen[pair.head.name] ?? Seen())
      if collector != nil {
        let isWhole = [base, head].allSatisfy { $0.counts.count == Self.launches }
        result.findings += isWhole ? calls(pair.name, base, head) : [lost(pair.name)]
      }
      if let finding = instructions(of: pair, counted) { result.findings.append(finding) }
      if let finding = figure(
        .peakRSS,
        pair.name,
        "peak memory",
        .bytes,
        base.memory,
        head.memory,
        least: Self.leastMemory
      ) {
        result.findings.append(finding)
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

  /// What records the calls of a launch; nil where nothing can.
  private func collector(_ result: inout Result) -> TimelineCollector? {
    let rights = (try? ScratchDirectory.path()).flatMap { try? TracingRights(in: $0) }
    guard let best = rights?.best else {
      result.problems.append(
        "files, programs and threads are not counted: launches cannot be traced"
      )
      return nil
    }
    return best
  }

  // MARK: - Files, programs, threads and memory

  /// What the launches of one build did.
  private struct Seen {
    var memory: [Double] = []
    var counts: [[CountedThing: Int]] = []
  }

  private func launched(
    _ collector: TimelineCollector?,
    _ session: LabSession,
    _ interrupt: InterruptFlag
  ) async throws -> [String: Seen] {
    let kinds: [Arm.Kind] = [.plain] + (collector.map { [$0 == .bpf ? .timeline : .ptrace] } ?? [])
    let plan = plan(pairs.flatMap { [$0.base, $0.head] }, kinds)
    var laboratory = try await context.laboratory(
      plan,
      try ScratchDirectory.path(),
      session,
      interrupt
    )
    defer { laboratory.close() }
    var sink = Sink(plan: plan, observe: context.observe)
    for pair in pairs {
      for (own, other) in [(pair.base, pair.head), (pair.head, pair.base)] {
        var naming = ProgramNaming(of: own.command[0], besides: other.command[0])
        naming.unify(own.command, other.command, below: own.directory)
        sink.namings[own.name] = naming
      }
    }
    let ending = try LaunchLoop(plan: plan).run(on: &laboratory, into: &sink)
    if case .interrupted = ending { throw HostError.interrupted }
    if let failure = ending.diagnostic(in: plan.scenario) { throw TargetFailure(failure) }
    return sink.seen
  }

  private func plan(
    _ targets: [Target],
    _ kinds: [Arm.Kind],
    in state: LaunchState? = nil
  ) -> Plan {
    var scenario = scenario.comparing(targets)
    scenario.launches = Self.launches
    scenario.adaptive = nil
    let state = state ?? scenario.states.first { $0 == .warm } ?? scenario.states.first ?? .warm
    scenario.states = [state]
    return Plan(
      scenario: scenario,
      seed: 1,
      arms: targets.flatMap { target in
        kinds.map { Arm(target: target.name, state: state, kind: $0) }
      },
      blockCount: Self.launches
    )
  }

  private struct Sink: LaunchLoop.Sink {
    let plan: Plan
    let observe: (RunEvent) -> Void
    var namings: [String: ProgramNaming] = [:]
    var seen: [String: Seen] = [:]
    private var done = 0

    init(plan: Plan, observe: @escaping (RunEvent) -> Void) {
      self.plan = plan
      self.observe = observe
    }

    mutating func take(_ record: LaunchRecord, at now: Nanoseconds) {
      done += 1
      let (arm, result) = (plan.arms[record.arm], record.result)
      let total = plan.blockCount * plan.arms.count
      observe(.launched(arm: arm, outcome: result.outcome, done: done, total: total))
      guard result.outcome == .ready else { return }
      if arm.kind == .plain {
        if let peak = result.value(of: .peakRSS) {
          seen[arm.target, default: Seen()].memory.append(Double(peak))
        }
      } else if let timeline = result.timeline, timeline.lostEvents == 0 {
        let path = LaunchPath(
          timeline,
          readiness: plan.scenario.readiness(of: arm.target),
          naming: namings[arm.target] ?? ProgramNaming()
        )
        seen[arm.target, default: Seen()].counts.append(path.counts)
      }
    }

    mutating func endBlock(at now: Nanoseconds) {}
  }

  /// The calls by which files are opened.
  private static let opening: Set = ["open", "openat", "openat2", "creat"]

  private func calls(_ target: String, _ base: Seen, _ head: Seen) -> [GateFinding] {
    func counts(_ seen: Seen, _ isCounted: (CountedThing) -> Bool) -> [Double] {
      seen.counts.map { counts in
        Double(counts.reduce(0) { $0 + (isCounted($1.key) ? $1.value : 0) })
      }
    }
    func isOpening(_ thing: CountedThing) -> Bool {
      if case .call(let name, _) = thing { Self.opening.contains(name) } else { false }
    }
    func isStart(_ thing: CountedThing) -> Bool {
      switch thing {
      case .threads, .processes: true
      case .call, .faults, .pageIns, .readAhead: false
      }
    }
    return [
      figure(
        .processes,
        target,
        "programs and threads started",
        .count,
        counts(base, isStart),
        counts(head, isStart),
        least: 1,
        details: changes(base, head, isStart)
      ),
      figure(
        .files,
        target,
        "calls that open files",
        .count,
        counts(base, isOpening),
        counts(head, isOpening),
        least: Self.leastFiles,
        details: changes(base, head, isOpening)
      ),
    ].compactMap(\.self)
  }

  /// What there is more of in launches of head, the largest difference first.
  private func changes(
    _ base: Seen,
    _ head: Seen,
    _ isCounted: (CountedThing) -> Bool
  ) -> [String] {
    guard let before = base.counts.first, let after = head.counts.first else { return [] }
    var more: [(text: String, before: Int, after: Int)] = []
    for (thing, count) in after where isCounted(thing) && count > before[thing] ?? 0 {
      more.append((Self.text(thing), before[thing] ?? 0, count))
    }
    more.sort { left, right in
      let (one, other) = (left.after - left.before, right.after - right.before)
      return one == other ? left.text < right.text : one > other
    }
    return more.prefix(Self.shown).map { "\($0.text): \($0.before) → \($0.after)" }
      + (more.count > Self.shown ? ["and \(more.count - Self.shown) more"] : [])
  }

  /// How many differences are told one by one.
  private static let shown = 5

  private static func text(_ thing: CountedThing) -> String {
    switch thing {
    case .call(let name, let object): object.map { "\(name) \($0)" } ?? name
    case .threads: "threads"
    case .processes(let program): program.map { "process \($0)" } ?? "processes"
    case .faults(let file): "page faults of \(file ?? "memory")"
    case .pageIns(let file), .readAhead(let file): "page-ins of \(file ?? "unknown files")"
    }
  }

  // MARK: - Instructions

  /// The instructions of the launches of each build, by the name of the target.
  private func instructions(
    _ session: LabSession,
    _ interrupt: InterruptFlag,
    _ result: inout Result
  ) async throws -> [String: [Double]] {
    let valgrind: ValgrindCount
    let directory = try ScratchDirectory.path()
    do throws(HostError) {
      valgrind = try ValgrindCount(below: directory)
    } catch {
      let problem = error.diagnostics.first?.problem ?? "valgrind cannot be used"
      result.problems.append("instructions are not counted: \(problem)")
      return [:]
    }
    let targets = pairs.flatMap { [$0.base, $0.head] }.map { target in
      var counted = valgrind.counting(target)
      counted.timeout = min(counted.timeout, Self.longest)
      counted.fixOrder()
      return counted
    }
    let plan = plan(targets, [.plain], in: .warm)
    var laboratory = try await context.laboratory(plan, directory, session, interrupt)
    defer { laboratory.close() }
    var counts: [String: [Double]] = [:]
    var failed: Set<String> = []
    for round in 0..<Self.counted {
      try laboratory.beginBlock()
      for arm in plan.arms where !failed.contains(arm.target) {
        // Making sure that a target is warm is another launch, and no fault changes what is counted.
        if round == 0 { _ = try laboratory.prepare(arm) }
        try valgrind.begin()
        let launch = try laboratory.launch(arm)
        if launch.outcome == .ready, let count = valgrind.instructions() {
          counts[arm.target, default: []].append(Double(count))
        } else {
          failed.insert(arm.target)
          counts[arm.target] = nil
          result.problems.append(
            "instructions are not counted: \(arm.target) does not get ready below valgrind"
          )
        }
      }
      try laboratory.endBlock()
    }
    return counts
  }

  /// The most that a launch below valgrind may take.
  private static let longest = Nanoseconds.seconds(120)

  /// How often instructions are counted of each build.
  private static let counted = 2

  private func instructions(
    of pair: (name: String, base: Target, head: Target),
    _ counted: [String: [Double]]
  ) -> GateFinding? {
    guard let base = counted[pair.base.name], let head = counted[pair.head.name] else { return nil }
    return figure(
      .instructions,
      pair.name,
      "instructions",
      .count,
      base,
      head,
      least: Self.leastInstructions
    )
  }

  // MARK: - Judging

  /// Judges the medians; nil where nothing was counted.
  private func figure(
    _ figure: GateRules.Figure,
    _ target: String,
    _ item: String,
    _ unit: Metric.Unit,
    _ base: [Double],
    _ head: [Double],
    least: Double,
    details: [String] = []
  ) -> GateFinding? {
    guard let before = (try? Sample(base))?.median, let after = (try? Sample(head))?.median,
      let low = base.min(), let high = base.max()
    else { return nil }
    let limit = max(rules.limit(of: figure) * before, least)
    return GateFigure(figure, of: target, item, unit: unit).judged(
      before,
      after,
      least: least,
      by: rules,
      isStable: high - low < limit,
      details: details
    )
  }
}
