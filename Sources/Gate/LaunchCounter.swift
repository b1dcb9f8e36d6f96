import Comparison
import Explanation
import Foundation
import LaunchCore
import LaunchHost
import LaunchStatistics
import Measuring
import Stages

/// What a few launches of one target did.
struct CountedLaunches {
  /// Of each figure, what was counted in each launch, by name; where it has no names, all is below "".
  private(set) var values: [GateRules.Figure: [[String: Int]]] = [:]

  /// The libraries that were opened, by name, with their paths.
  private(set) var libraries: [String: String] = [:]

  mutating func add(_ figure: GateRules.Figure, _ value: [String: Int]) {
    values[figure, default: []].append(value)
  }

  mutating func add(_ figure: GateRules.Figure, _ value: Int) { add(figure, ["": value]) }

  mutating func leaveOut(_ figure: GateRules.Figure) { values[figure] = nil }

  /// How much was counted in each launch; empty where nothing was.
  func sums(_ figure: GateRules.Figure) -> [Int] {
    (values[figure] ?? []).map { $0.values.reduce(0, +) }
  }

  /// Whether every launch told it.
  func isWhole(_ figure: GateRules.Figure) -> Bool {
    values[figure]?.count == LaunchCounter.launches
  }

  /// The median of the launches, and how far they reach; nil where nothing was counted.
  func count(_ figure: GateRules.Figure) -> GateCount? {
    let sums = sums(figure).map(Double.init)
    guard let median = (try? Sample(sums))?.median, let low = sums.min(), let high = sums.max()
    else { return nil }
    return GateCount(median: median, lowest: low, highest: high)
  }

  /// Adds the calls, files and processes of a traced launch.
  mutating func add(_ counts: [CountedThing: Int]) {
    var sums: [GateRules.Figure: [String: Int]] = [
      .processes: [:], .files: [:], .lookups: [:], .systemCalls: [:],
    ]
    for (thing, count) in counts {
      let name = ExplanationWords.name(of: thing)
      switch thing {
      case .threads, .processes: sums[.processes]?[name, default: 0] += count
      case .missing: sums[.lookups]?[name, default: 0] += count
      case .call(let call, let path):
        sums[.systemCalls]?[call, default: 0] += count
        guard Self.opening.contains(call) else { break }
        sums[.files]?[name, default: 0] += count
        guard let path, let library = path.split(separator: "/").last.map(String.init),
          library.contains(/\.so(\.[0-9]+)*$/),
          count > counts[.missing(name: call, object: path)] ?? 0
        else { break }
        libraries[library] = path
      case .faults, .pageIns, .readAhead: break
      }
    }
    for (figure, sum) in sums { add(figure, sum) }
  }

  /// The calls by which files are opened.
  private static let opening: Set = ["open", "openat", "openat2", "creat"]
}

/// Counts what launches of targets do, a few times each.
///
/// What is counted hardly differs from launch to launch, so that a busy machine changes nothing.
struct LaunchCounter {
  let targets: [Target]
  let scenario: Scenario
  let context: WorkflowContext

  /// What the program of each target is called besides those of others, by the name of the target.
  var namings: [String: ProgramNaming] = [:]

  /// Shortens the paths of files.
  var shortened: (String) -> String

  /// How often each target is launched.
  static let launches = 3

  /// What only traced launches tell.
  static let traced: Set<GateRules.Figure> = [.processes, .files, .lookups, .systemCalls]

  /// What was counted, by the name of the target.
  private(set) var counted: [String: CountedLaunches] = [:]

  /// What could not be counted, and why, as sentences without a full stop.
  private(set) var problems: [String] = []

  /// Whether launches could be traced.
  private(set) var isTraced = false

  init(
    _ targets: [Target],
    of scenario: Scenario,
    in context: WorkflowContext,
    shortening shortened: @escaping (String) -> String
  ) {
    self.targets = targets
    self.scenario = scenario
    self.context = context
    self.shortened = shortened
  }

  /// Launches, in a lab of its own.
  ///
  /// - Throws: `HostError.interrupted`, and `TargetFailure` where a target does not get ready.
  mutating func count(in session: LabSession, _ interrupt: InterruptFlag) async throws {
    try await countCalls(session, interrupt)
    try await countModules(session, interrupt)
    try await countPageIns(session, interrupt)
    try await countInstructions(session, interrupt)
  }

  private mutating func note(_ problem: String) {
    if !problems.contains(problem) { problems.append(problem) }
  }

  private mutating func leaveOut(_ figure: GateRules.Figure, _ name: String, _ problem: String) {
    note("\(name) are not counted: \(problem)")
    for target in targets { counted[target.name]?.leaveOut(figure) }
  }

  // MARK: - Launches

  /// Launches a plan, and passes on the launches that were ready.
  ///
  /// - Throws: `HostError.interrupted`, and `TargetFailure` where a target does not get ready.
  private func launches(
    _ plan: Plan,
    _ session: LabSession,
    _ interrupt: InterruptFlag
  ) async throws -> [(arm: Arm, record: LaunchRecord)] {
    var laboratory = try await context.laboratory(
      plan,
      try ScratchDirectory.path(),
      session,
      interrupt
    )
    defer { laboratory.close() }
    var sink = ReadyLaunches(of: plan, observe: context.observe)
    let ending = try LaunchLoop(plan: plan).run(on: &laboratory, into: &sink)
    if case .interrupted = ending { throw HostError.interrupted }
    if let failure = ending.diagnostic(in: plan.scenario) { throw TargetFailure(failure) }
    return sink.records.map { (plan.arms[$0.arm], $0) }
  }

  private func plan(
    _ targets: [Target],
    _ kinds: [Arm.Kind],
    in state: LaunchState? = nil
  ) -> Plan {
    var scenario = scenario.comparing(targets)
    scenario.launches = Self.launches
    scenario.adaptive = nil
    scenario.controls = scenario.controls?.withoutPadding
    if kinds == [.probe] { scenario.stages = StagePlan(launches: Self.launches) }
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

  /// Counts what can be done without; what is wrong with it, or nil.
  ///
  /// - Throws: `HostError.interrupted`, and what is no error of launchlab.
  private func optionalLaunches(
    _ plan: Plan,
    _ session: LabSession,
    _ interrupt: InterruptFlag
  ) async throws -> (launched: [(arm: Arm, record: LaunchRecord)], problem: String?) {
    do {
      return (try await launches(plan, session, interrupt), nil)
    } catch let error as any LabError where error.exitCode != .interrupted {
      return ([], error.diagnostics.first?.problem ?? "launches failed")
    }
  }

  // MARK: - Calls, pages and memory

  private mutating func countCalls(_ session: LabSession, _ interrupt: InterruptFlag) async throws {
    let rights = (try? ScratchDirectory.path()).flatMap { try? TracingRights(in: $0) }
    let traced: [Arm.Kind] =
      switch rights?.best {
      case .bpf: [.timeline]
      case .ptrace: [.ptrace]
      case nil: []
      }
    for (arm, record) in try await launches(plan(targets, [.plain]), session, interrupt) {
      let figures = record.result.figures
      var launched = counted[arm.target] ?? CountedLaunches()
      if let peak = figures.peakRSS { launched.add(.peakRSS, Int(peak)) }
      if let minor = figures.minorFaults, let major = figures.majorFaults {
        launched.add(.pageFaults, Int(minor + major))
      }
      counted[arm.target] = launched
    }
    let plan = plan(targets, traced)
    let (launched, problem) =
      traced.isEmpty
      ? ([], "launches cannot be traced") : try await optionalLaunches(plan, session, interrupt)
    if let problem { return note("files, programs, threads and calls are not counted: \(problem)") }
    isTraced = true
    for (arm, record) in launched {
      guard let timeline = record.result.timeline, timeline.lostEvents == 0 else { continue }
      let path = LaunchPath(
        timeline,
        readiness: plan.scenario.readiness(of: arm.target),
        naming: namings[arm.target] ?? ProgramNaming()
      )
      counted[arm.target, default: .init()].add(path.counts)
    }
  }

  // MARK: - Modules

  /// Counts the modules of launches whose runtime names them.
  private mutating func countModules(
    _ session: LabSession,
    _ interrupt: InterruptFlag
  ) async throws {
    let targets = targets.filter { target in
      let program = (try? ExecutableLookup.program(of: target)) ?? target.command[0]
      return RuntimeModules.areKnown(of: program)
    }
    guard !targets.isEmpty else { return }
    var (launched, problem) = try await optionalLaunches(
      plan(targets, [.modules]),
      session,
      interrupt
    )
    for (arm, record) in launched {
      let output = record.result.output.stderr
      guard let loaded = LoadedModules(output, launch: record.result.launch ?? .zero) else {
        problem = "the runtime did not print them, or more than is kept"
        continue
      }
      let modules = Dictionary(loaded.names.map { ($0, 1) }, uniquingKeysWith: { one, _ in one })
      counted[arm.target, default: .init()].add(.modules, modules)
    }
    if let problem { leaveOut(.modules, "modules", problem) }
  }

  // MARK: - Page-ins

  /// Counts the pages of own files that cold launches bring in.
  private mutating func countPageIns(
    _ session: LabSession,
    _ interrupt: InterruptFlag
  ) async throws {
    let state = scenario.states.first(where: \.isCold) ?? .reinstallCold
    let plan = plan(targets, [.probe], in: state)
    var (launched, problem) = try await optionalLaunches(plan, session, interrupt)
    for (arm, record) in launched {
      guard case .reached = record.stateReached, let found = record.result.pageIns else {
        problem = record.stateReached.reason ?? "the pages of its files cannot be seen"
        continue
      }
      let pages = found.files.filter(\.isOwn).reduce(into: [String: Int]()) { sums, file in
        sums[shortened(file.path), default: 0] += file.pages
      }
      counted[arm.target, default: .init()].add(.pageIns, pages)
    }
    if let problem { leaveOut(.pageIns, "cold page-ins", problem) }
  }

  // MARK: - Instructions

  /// Counts instructions in user mode.
  ///
  /// - Throws: `HostError.interrupted`, and what is no error of launchlab.
  private mutating func countInstructions(
    _ session: LabSession,
    _ interrupt: InterruptFlag
  ) async throws {
    do {
      try await launchBelowValgrind(session, interrupt)
    } catch let error as any LabError where error.exitCode != .interrupted {
      let problem = error.diagnostics.first?.problem ?? "valgrind cannot be used"
      leaveOut(.instructions, "instructions", problem)
    }
  }

  private mutating func launchBelowValgrind(
    _ session: LabSession,
    _ interrupt: InterruptFlag
  ) async throws {
    let directory = try ScratchDirectory.path()
    let valgrind = try ValgrindCount(below: directory)
    let targets = targets.map { target in
      var counted = valgrind.counting(target)
      counted.timeout = min(counted.timeout, Self.longest)
      counted.fixOrder()
      return counted
    }
    var plan = plan(targets, [.counters], in: .warm)
    plan.scenario.controls = (scenario.controls ?? ControlPlan()).countingExactly
    var laboratory = try await context.laboratory(plan, directory, session, interrupt)
    defer { laboratory.close() }
    var failed: Set<String> = []
    for round in 0..<Self.launches {
      try laboratory.beginBlock()
      for arm in plan.arms where !failed.contains(arm.target) {
        // Making sure that a target is warm is another launch, and no fault changes what is counted.
        if round == 0 { _ = try laboratory.prepare(arm) }
        try valgrind.begin()
        let launch = try laboratory.launch(arm)
        if launch.outcome == .ready, let count = valgrind.instructions() {
          counted[arm.target, default: .init()].add(.instructions, Int(count))
        } else {
          failed.insert(arm.target)
          counted[arm.target]?.leaveOut(.instructions)
          note("instructions are not counted: \(arm.target) does not get ready below valgrind")
        }
      }
      try laboratory.endBlock()
    }
  }

  /// The most that a launch below valgrind may take.
  private static let longest = Nanoseconds.seconds(120)
}
