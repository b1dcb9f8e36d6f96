import Foundation
import LabTestSupport
import LaunchStatistics
import Testing

@testable import Explanation
@testable import LaunchCore
@testable import LaunchHost
@testable import Measuring
@testable import Scenarios
@testable import Stages

/// Explanations of launches on a laboratory without a machine.
@Suite(.temporaryDirectory) struct ExplainWorkflowTests {
  /// A launch whose own code takes so long, in nanoseconds, after a file was opened; it sleeps after
  /// that unless the sleep is 0, and then there are so many short calls.
  static func timeline(
    work: Int64,
    sleep: Int64,
    open: Int64 = 20_000,
    calls: (count: Int, duration: Int64) = (0, 0)
  ) -> LaunchTimeline {
    var events: [TimelineEvent] = []
    var time: Int64 = 1_000
    func add(_ kind: TimelineEvent.Kind, after pause: Int64) {
      time += pause
      events.append(TimelineEvent(time: Nanoseconds(time), thread: 7, kind: kind))
    }
    func call(_ name: String, _ text: String? = nil, for duration: Int64) {
      add(
        .enteredCall(TimelineEvent.SystemCall(name: name, arguments: [0, 0, 0, 0, 0], text: text)),
        after: 10
      )
      add(.leftCall(result: 0), after: duration)
    }
    add(.executed(path: "/bin/app"), after: 100_000)
    call("openat", "/etc/app.conf", for: open)
    add(.faulted(address: 0x1000), after: work)
    if sleep > 0 {
      add(
        .enteredCall(
          TimelineEvent.SystemCall(name: "clock_nanosleep", arguments: [0, 0, 0, 0, 0])
        ),
        after: 10
      )
      add(.blocked(isForDisk: false), after: 1_000)
      let timer = TimelineEvent.Waker(thread: 0, process: 0, name: "swapper/0", isInterrupt: true)
      add(.woken(by: timer), after: sleep)
      add(.switchedIn, after: 2_000)
      add(.leftCall(result: 0), after: 1_000)
    }
    for _ in 0..<calls.count { call("getppid", for: calls.duration) }
    call("exit_group", for: 10_000)
    add(.ended, after: 10)
    return LaunchTimeline(
      begin: Nanoseconds(1_000),
      ready: Nanoseconds(time + 500),
      process: 7,
      events: events
    )
  }

  /// What is seen of an explanation.
  private final class Bench {
    var laboratory: FakeLaboratory?
    var plans: [Plan] = []
  }

  private static let allowed = TracingRights(
    profiles: TracingFailure(helper: "profiler", step: .event, errno: 13)
  )

  private static func context(
    _ bench: Bench,
    answer: @escaping (Arm, Int) throws -> LaunchResult
  ) -> WorkflowContext {
    .fake { plan in
      let laboratory = FakeLaboratory(result: answer)
      bench.laboratory = laboratory
      bench.plans.append(plan)
      return laboratory
    }
  }

  private func explain(
    _ commands: [[String]],
    launches: Int = 64,
    timeLimit: Nanoseconds = .seconds(60),
    rights: TracingRights = allowed,
    from beginning: ExplanationBeginning = .unkept,
    comparingStages comparesStages: Bool = false,
    on bench: Bench = Bench(),
    answer: @escaping (Arm, Int) throws -> LaunchResult
  ) async throws -> ExplanationResult {
    let context = Self.context(bench, answer: answer)
    var scenario = try ScenarioFile.loadForLaunch(
      options: MeasureOptions(
        command: ["/bin/true"],
        states: ["warm"],
        launches: 1,
        directory: "/"
      )
    )
    scenario.targets = zip(["A", "B"], commands).map { name, command in
      var target = scenario.targets[0]
      target.name = name
      target.command = command
      return target
    }
    var request = ExplainRequest(
      scenario: scenario,
      state: .warm,
      launches: launches,
      timeLimit: timeLimit,
      seed: 3,
      commandLine: ["launchlab", "explain"]
    )
    request.countsInstructions = false
    var workflow = ExplainWorkflow(
      request,
      in: context,
      from: beginning,
      rights: { _ in rights }
    )
    workflow.comparesStages = comparesStages
    return try await workflow.run()
  }

  /// Launches that scatter by a percent; those of B sleep, and take more to open a
  /// file.
  private static func launches(
    sleep: Int64,
    open: Int64 = 0
  ) -> (Arm, Int) throws -> LaunchResult {
    { arm, number in
      var generator = SplitMix64(seed: UInt64(number), part: 0)
      let work = 2_000_000 + Int64(generator.next(below: 20_000))
      let timeline =
        arm.target == "B"
        ? Self.timeline(work: work, sleep: sleep, open: 20_000 + open)
        : Self.timeline(work: work, sleep: 0)
      var result = LaunchResult(outcome: .ready, launch: timeline.ready - timeline.begin)
      if arm.kind.hasTimeline { result.timeline = timeline }
      return result
    }
  }

  @Test func `names a wait, and confirms it on launches of its own`() async throws {
    let bench = Bench()
    let result = try await explain(
      [["/bin/true", "a"], ["/bin/true", "b"]],
      on: bench,
      answer: Self.launches(sleep: 3_000_000)
    )
    let reason = try #require(result.explanation.reasons.first)
    #expect(reason.kind == .sleep)
    #expect(reason.call == "clock_nanosleep")
    #expect(abs(reason.change.difference.count - 3_000_000) < 60_000)
    #expect(result.freshBlocks == 8)
    #expect(result.exitCode == .done)
    // Eight blocks to name it and eight to confirm it, of two plain and two traced launches each.
    #expect(bench.laboratory?.log.count { $0.hasPrefix("launch") } == 16 * 4)
    #expect(bench.laboratory?.isClosed == true)
    // Those with module times are prepared, and not launched, since no runtime has any.
    #expect(bench.plans.map(\.arms.count) == [6])
    #expect(result.modules == nil)
    let profile = result.collectors.first { $0.kind == .profile }
    #expect(profile?.missing?.contains("perf events are refused") == true)
  }

  @Test func `takes off what events cost in these launches, not on a quiet host`() async throws {
    let result = try await explain([["/bin/true", "a"], ["/bin/true", "b"]]) { arm, number in
      var generator = SplitMix64(seed: UInt64(number), part: 0)
      let work = 2_000_000 + Int64(generator.next(below: 20_000))
      let isAfter = arm.target == "B"
      // Each of two events takes 400 ns, twice as much as where it was measured.
      let cost: Int64 = arm.kind.hasTimeline ? 2 * 400 : 0
      let calls = (count: isAfter ? 1_000 : 0, duration: 100 + cost)
      var timeline = Self.timeline(work: work, sleep: isAfter ? 3_000_000 : 0, calls: calls)
      timeline.eventCost = 200
      var result = LaunchResult(outcome: .ready, launch: timeline.ready - timeline.begin)
      result.figures.userTime = Nanoseconds(work)
      result.figures.systemTime = Nanoseconds(Int64(calls.count) * calls.duration)
      if arm.kind.hasTimeline { result.timeline = timeline }
      return result
    }
    let difference = result.explanation.difference
    let plain = try #require(difference.plain?.difference.count)
    #expect(abs(plain - 3_115_000) < 20_000)
    #expect(abs(difference.traced.difference.count - plain) < 20_000)
    let isContradicted = result.explanation.notes.contains {
      if case .tracedDiffersFromPlain = $0 { true } else { false }
    }
    #expect(!isContradicted)
  }

  @Test func `names again where what was named leaves too much of fresh launches`() async throws {
    let bench = Bench()
    // From the seventh block on, what is named from eight is no more than 60 % of the difference.
    let sleeping = Self.launches(sleep: 3_000_000)
    let opening = Self.launches(sleep: 3_000_000, open: 2_000_000)
    let result = try await explain(
      [["/bin/true", "a"], ["/bin/true", "b"]],
      on: bench
    ) { arm, number in try number < 6 * 4 ? sleeping(arm, number) : opening(arm, number) }

    #expect(result.explanation.reasons.map(\.kind) == [.sleep, .file])
    #expect(result.freshBlocks == 16)
    #expect(bench.laboratory?.log.count { $0.hasPrefix("launch") } == 32 * 4)
    #expect(result.exitCode == .done)
  }

  /// What Python prints of its modules, of which B loads one more.
  private static func modules(of arm: Arm, _ number: Int) -> CapturedStream {
    let planted = "import time: \(3_000 - number) | 3000 | planted\n"
    let text =
      "import time: self [us] | cumulative | imported package\n"
      + (arm.target == "B" ? planted : "") + "import time: \(500 + number % 7) | 500 | site\n"
    return CapturedStream(head: Array(text.utf8), totalBytes: Int64(text.utf8.count))
  }

  @Test func `compares the modules of an interpreter in launches of their own`() async throws {
    // A program is known by its name.
    let python = TemporaryDirectory.path + "/python3"
    try FileManager.default.copyItem(atPath: "/bin/true", toPath: python)
    let bench = Bench()
    let answer = Self.launches(sleep: 3_000_000)
    let result = try await explain(
      [[python, "a"], [python, "b"]],
      from: .kept(location),
      on: bench
    ) { arm, number in
      var result = try answer(arm, number)
      if arm.kind == .modules { result.output.stderr = Self.modules(of: arm, number) }
      return result
    }
    let modules = try #require(result.modules)
    #expect(modules.blocks > 8)
    #expect(modules.modules.filter(\.isSignificant).map(\.name) == ["planted"])
    #expect(result.collectors.map(\.kind).last == .modules)
    // Sixteen blocks of plain and traced ones, and as many of two with module times.
    #expect(bench.laboratory?.log.count { $0.hasPrefix("launch") } == 16 * 6)
    let again = try await resume()
    #expect(again == result)
  }

  @Test(arguments: [false, true])
  func `compares stages in launches of their own, whose failure costs no more`(
    isFailing: Bool
  ) async throws {
    let bench = Bench()
    let answer = Self.launches(sleep: 3_000_000)
    let result = try await explain(
      Self.pair,
      from: .kept(location),
      comparingStages: true,
      on: bench
    ) { arm, number in
      if arm.kind == .probe, isFailing { return LaunchResult(outcome: .exited(code: 1)) }
      var result = try answer(arm, number)
      guard arm.kind == .probe, let ready = result.launch else { return result }
      func event(_ kind: LaunchEvent.Kind, _ time: Int64) -> LaunchEvent {
        LaunchEvent(kind: kind, pid: 7, time: Nanoseconds(time), text: "/bin/true")
      }
      result.observation = StageObservation(
        collector: .probe,
        begin: .zero,
        ready: ready,
        process: 7,
        events: [
          event(.programBegan, 0), event(.objectOpened, 5), event(.consistent, 40),
          event(.mainBegins, 70),
        ]
      )
      return result
    }
    #expect(result.explanation.reasons.first?.kind == .sleep)
    let stage = result.stages.first
    #expect(stage?.path == (isFailing ? nil : "main_to_ready"))
    if let stage { #expect(abs(stage.difference - 3_000_000) < 100_000) }
    // They have a laboratory of their own, after the one of all others.
    #expect(bench.plans.map { $0.arms.contains { $0.kind == .probe } } == [false, true])
    #expect(try await resume() == result)
  }

  @Test func `an interpreter that fails when it is asked for its modules has none`() async throws {
    let python = TemporaryDirectory.path + "/python3"
    try FileManager.default.copyItem(atPath: "/bin/true", toPath: python)
    let answer = Self.launches(sleep: 3_000_000)
    let result = try await explain([[python, "a"], [python, "b"]]) { arm, number in
      arm.kind == .modules ? LaunchResult(outcome: .exited(code: 1)) : try answer(arm, number)
    }
    #expect(result.modules == nil)
    #expect(result.warnings.contains { $0.id == "no-modules" })
    #expect(result.explanation.reasons.first?.kind == .sleep)
  }

  @Test func `names nothing where nothing differs, after few launches`() async throws {
    let bench = Bench()
    let result = try await explain(
      [["/bin/true", "a"], ["/bin/true", "b"]],
      on: bench,
      answer: Self.launches(sleep: 0)
    )
    #expect(result.explanation.reasons.isEmpty)
    #expect(result.freshBlocks == nil)
    #expect(result.exitCode == .done)
    #expect(bench.laboratory?.log.count { $0.hasPrefix("launch") } == 8 * 4)
  }

  /// A block takes ten microseconds of the clock of the laboratory.
  @Test(arguments: [(60, nil), (120, 4)] as [(Int64, Int?)])
  func `ends when its time is over`(microseconds: Int64, freshBlocks: Int?) async throws {
    let bench = Bench()
    let result = try await explain(
      [["/bin/true", "a"], ["/bin/true", "b"]],
      timeLimit: Nanoseconds(1_000 * microseconds),
      on: bench,
      answer: Self.launches(sleep: 3_000_000)
    )
    #expect(result.freshBlocks == freshBlocks)
    let blocks = (bench.laboratory?.log.count { $0.hasPrefix("launch") } ?? 0) / 4
    #expect(blocks == Int(microseconds) / 10)
    if freshBlocks == nil { #expect(result.exitCode == .inconclusive) }
  }

  @Test(arguments: [false, true])
  func `asks for modules while there is time, and computes the same again`(
    isFailing: Bool
  ) async throws {
    let python = TemporaryDirectory.path + "/python3"
    try FileManager.default.copyItem(atPath: "/bin/true", toPath: python)
    let answer = Self.launches(sleep: 3_000_000)
    let result = try await explain(
      [[python, "a"], [python, "b"]],
      timeLimit: Nanoseconds(160_000),
      from: .kept(location)
    ) { arm, number in
      if arm.kind == .modules, isFailing { return LaunchResult(outcome: .exited(code: 1)) }
      var result = try answer(arm, number)
      // By the clock of this laboratory a block takes ten microseconds.
      if arm.kind == .plain { result.launch = Nanoseconds(900) }
      if arm.kind == .modules { result.output.stderr = Self.modules(of: arm, number) }
      return result
    }
    // Eight blocks, and eight that confirm, would take all of the time.
    #expect((result.modules == nil) == isFailing)
    #expect(try await resume() == result)
  }

  @Test func `leaves torn launches out, and says so`() async throws {
    let answer = Self.launches(sleep: 3_000_000)
    let result = try await explain([["/bin/true", "a"], ["/bin/true", "b"]]) { arm, number in
      var result = try answer(arm, number)
      if number.isMultiple(of: 7) { result.timeline?.lostEvents = 4 }
      return result
    }
    #expect(result.warnings.contains { $0.id == "torn-launches" })
    #expect(result.explanation.reasons.first?.kind == .sleep)
  }

  @Test func `says why launches cannot be traced`() async throws {
    let failure = TracingFailure(helper: "timeline", step: .load, errno: 1)
    let other = TracingFailure(helper: "tracer", step: .attach, errno: 1)
    await #expect(throws: HostError.tracing([failure, other])) {
      try await explain(
        [["/bin/true"]],
        rights: TracingRights(refused: [.bpf: failure, .ptrace: other], profiles: nil),
        answer: Self.launches(sleep: 0)
      )
    }
  }

  @Test func `traces by ptrace where the kernel's events are refused`() async throws {
    let bench = Bench()
    let refused = TracingRights(
      refused: [.bpf: TracingFailure(helper: "timeline", step: .load, errno: 1)],
      profiles: TracingFailure(helper: "profiler", step: .event, errno: 13)
    )
    let answer = Self.launches(sleep: 0)
    let result = try await explain([["/bin/true"]], launches: 5, rights: refused, on: bench) {
      var result = try answer($0, $1)
      result.timeline?.withoutRights = ["/usr/bin/su"]
      return result
    }
    #expect(bench.plans.first?.arms.map(\.kind) == [.plain, .ptrace, .modules])
    let timeline = result.collectors.first { $0.kind == .timeline }
    #expect(timeline?.rights?.level == "ptrace")
    #expect(timeline?.rights?.obstacle?.contains("does not load the programs") == true)
    let note = result.warnings.first { $0.id == "traced-by-ptrace" }
    #expect(note?.remedy?.contains("CAP_BPF") == true)
    let lost = result.warnings.filter { $0.id == "rights-lost" }
    #expect(lost.count == 1 && lost[0].problem.contains("/usr/bin/su"))
  }

  @Test func `a target that fails has no explanation`() async throws {
    await #expect(throws: TargetFailure.self) {
      try await explain([["/bin/true", "a"], ["/bin/true", "b"]]) { _, _ in
        LaunchResult(outcome: .exited(code: 3))
      }
    }
  }

  @Test func `an interruption ends it`() async throws {
    await #expect(throws: HostError.interrupted) {
      try await explain([["/bin/true", "a"], ["/bin/true", "b"]]) { _, number in
        if number == 9 { throw HostError.interrupted }
        return try Self.launches(sleep: 0)(Arm(target: "A", state: .warm), number)
      }
    }
  }

  // MARK: - What is kept

  private static let pair = [["/bin/true", "a"], ["/bin/true", "b"]]

  /// Where the explanations of a test are kept.
  private var location: LogLocation {
    LogLocation(.explanation, storeDirectory: "\(TemporaryDirectory.path)/.launchlab")
  }

  /// Goes on with the newest explanation, by other launches than the `done` ones before.
  private func resume(
    after done: Int = 0,
    timeLimit: Nanoseconds? = nil,
    rights: TracingRights = allowed,
    on bench: Bench = Bench()
  ) async throws -> ExplanationResult {
    let answer = Self.launches(sleep: 3_000_000)
    let record = try ExplanationRecord(path: location.log(of: location.id("last")))
    return try await ExplainWorkflow(
      resuming: record,
      timeLimit: timeLimit,
      in: Self.context(bench) { try answer($0, done + $1) },
      rights: { _ in rights }
    ).run()
  }

  private static func launches(_ bench: Bench) -> Int {
    bench.laboratory?.log.count { $0.hasPrefix("launch") } ?? 0
  }

  @Test(arguments: [1, 9, 33, 50])
  func `goes on where it was interrupted`(launch: Int) async throws {
    let answer = Self.launches(sleep: 3_000_000)
    let error = await #expect(throws: ExplanationInterrupted.self) {
      try await explain(Self.pair, from: .kept(location)) { arm, number in
        if number == launch { throw HostError.interrupted }
        return try answer(arm, number)
      }
    }
    let id = try location.id("last")
    #expect(error?.diagnostics.first?.remedy == "go on with `launchlab explain --resume \(id)`")

    // The launches of a block that was cut off are made again.
    let kept = launch / 4 * 4
    let bench = Bench()
    let resumed = try await resume(after: kept, on: bench)
    #expect(Self.launches(bench) == 16 * 4 - kept)
    let whole = try await explain(Self.pair, answer: answer)
    #expect(resumed.explanation == whole.explanation)
    #expect(resumed.freshBlocks == 8)
  }

  @Test func `computes what has ended again without a launch`() async throws {
    let first = try await explain(
      Self.pair,
      from: .kept(location),
      answer: Self.launches(sleep: 3_000_000)
    )
    let bench = Bench()
    let again = try await resume(on: bench)
    #expect(again == first)
    #expect(bench.laboratory == nil)
  }

  @Test func `computes again without the programs, and what could not be launched`() async throws {
    let programs = ["old", "new"].map { "\(TemporaryDirectory.path)/\($0)/python3" }
    for program in programs {
      try FileManager.default.createDirectory(
        atPath: (program as NSString).deletingLastPathComponent,
        withIntermediateDirectories: true
      )
      try FileManager.default.copyItem(atPath: "/bin/true", toPath: program)
    }
    let answer = Self.launches(sleep: 3_000_000)
    let failure = HostError.tracing([TracingFailure(helper: "timeline", step: .ring, errno: 12)])
    let first = try await explain(programs.map { [$0] }, from: .kept(location)) { arm, number in
      if arm.kind == .modules { throw failure }
      return try answer(arm, number)
    }
    #expect(first.warnings.contains { $0.id == "no-modules" })
    for program in programs { try FileManager.default.removeItem(atPath: program) }
    let again = try await resume()
    #expect(again.explanation.reasons == first.explanation.reasons)
    #expect(again.explanation.tree == first.explanation.tree)
    #expect(again.warnings.contains { $0.id == "code-not-compared" })
  }

  @Test func `others cannot read what is kept`() async throws {
    _ = try await explain(
      [["/bin/true"]],
      launches: 1,
      from: .kept(location),
      answer: Self.launches(sleep: 0)
    )
    let directory = try location.directory(of: location.id("last"))
    let attributes = try FileManager.default.attributesOfItem(atPath: directory)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test func `goes on with more time, from the launches that there are`() async throws {
    let answer = Self.launches(sleep: 3_000_000)
    let short = try await explain(
      Self.pair,
      timeLimit: Nanoseconds(100_000),
      from: .kept(location),
      answer: answer
    )
    #expect(short.freshBlocks == nil)
    let id = try location.id("last")
    let warning = short.warnings.first { $0.id == "not-confirmed" }
    #expect(warning?.remedy == "go on with `launchlab explain --resume \(id) --time 1s`")

    let bench = Bench()
    let result = try await resume(after: 10 * 4, timeLimit: .seconds(60), on: bench)
    #expect(result.freshBlocks == 8)
    #expect(Self.launches(bench) == (16 - 10) * 4)
    // The new limit is kept with the launches.
    let again = try await resume()
    #expect(again == result)
  }

  @Test func `reads the log again when it has the lab`() async throws {
    let answer = Self.launches(sleep: 3_000_000)
    await #expect(throws: ExplanationInterrupted.self) {
      try await explain(Self.pair, from: .kept(location)) { arm, number in
        if number == 9 { throw HostError.interrupted }
        return try answer(arm, number)
      }
    }
    let early = try ExplanationRecord(path: location.log(of: location.id("last")))
    let first = try await resume(after: 8)
    // Another process has gone on to the end meanwhile.
    let bench = Bench()
    let again = try await ExplainWorkflow(
      resuming: early,
      timeLimit: nil,
      in: Self.context(bench, answer: answer),
      rights: { _ in Self.allowed }
    ).run()
    #expect(again.explanation == first.explanation)
    #expect(Self.launches(bench) == 0)
  }

  @Test func `does not go on with another program or other rights`() async throws {
    let program = TemporaryDirectory.path + "/app"
    try FileManager.default.copyItem(atPath: "/bin/true", toPath: program)
    await #expect(throws: ExplanationInterrupted.self) {
      try await explain([[program, "a"], [program, "b"]], from: .kept(location)) { arm, number in
        if number == 20 { throw HostError.interrupted }
        return try Self.launches(sleep: 0)(arm, number)
      }
    }
    let id = try location.id("last")
    func expectRefusal(_ reason: String, rights: TracingRights = Self.allowed) async {
      let error = await #expect(throws: WorkflowError.self) { try await resume(rights: rights) }
      let problem = error?.diagnostics.first?.problem
      #expect(problem == "the explanation \(id) cannot go on: \(reason)")
    }
    await expectRefusal(
      "this host does not allow the same tracing as before",
      rights: TracingRights(profiles: nil)
    )
    try Data("another".utf8).write(to: URL(filePath: program))
    await expectRefusal("`\(program)` has changed since")
  }

  @Test func `explains also where nothing can be kept`() async throws {
    try Data().write(to: URL(filePath: location.storeDirectory))
    let result = try await explain(
      Self.pair,
      from: .kept(location),
      answer: Self.launches(sleep: 3_000_000)
    )
    #expect(result.explanation.reasons.first?.kind == .sleep)
    #expect(result.store == nil)
    #expect(result.warnings.contains { $0.id == "not-kept" })
  }

  @Test func `keeps the launches of ten explanations`() async throws {
    let other = location.log(of: "baseline")
    try FileManager.default.createDirectory(
      atPath: (other as NSString).deletingLastPathComponent,
      withIntermediateDirectories: true
    )
    try Data().write(to: URL(filePath: other))
    for _ in 0..<12 {
      _ = try await explain(
        [["/bin/true"]],
        launches: 1,
        from: .kept(location),
        answer: Self.launches(sleep: 0)
      )
    }
    #expect(location.ids.count == 11)
    #expect(location.ids.last == "baseline")
    #expect(try location.id("last") != "baseline")
  }

  @Test func `keeps no more launches than there is room for`() throws {
    let ids = (1...4).map { "20261125T10000\($0)Z-00aa" }
    for id in ids {
      let path = location.log(of: id)
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent,
        withIntermediateDirectories: true
      )
      try Data(repeating: 1, count: 1 << 20).write(to: URL(filePath: path))
    }
    location.removeAll(butNewest: 10, within: 5 << 19)
    #expect(location.ids == Array(ids.suffix(2)))
    location.removeAll(butNewest: 10, within: 0)
    #expect(location.ids == [ids[3]])
  }

  @Test func `a log that is none is refused`() async throws {
    let path = TemporaryDirectory.path + "/log.jsonl"
    try Data("{\"launched\":7}\n".utf8).write(to: URL(filePath: path))
    let error = #expect(throws: WorkflowError.self) { try ExplanationRecord(path: path) }
    #expect(error?.diagnostics.first?.place == "\(path):1")
    #expect(error?.diagnostics.first?.id == "bad-explanation")
  }
}
