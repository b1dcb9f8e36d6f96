// Explanation: why a launch takes its time, or longer than that of another program.
//
// `ExplainWorkflow` tells the story: in each block the programs are launched plainly, traced and sampled,
// in random order and never two of these at once. `Stages/Path` walks the events of a traced launch back from the
// ready instant, so that every nanosecond belongs to one thread and what it did or waited for; `Attribution`
// divides that time among functions by the samples, tells by pairs of blocks which parts differ, and
// estimates those again from launches of their own; `CountedLaunches` has the instructions of each function
// counted where that can say more; `Slow` does the same with the slow and the fast launches of one program;
// `ComparedFiles` tells which functions changed, and so which of those on
// the way to a reason is to blame; `Modules` compares what interpreters say that they load; `Report` shows it.
//
// Recording and sampling are in LaunchHost (`Tracing`), as native helpers.

import Foundation
package import LaunchCore
package import LaunchHost
package import Measuring
import Rendering
import Stages

/// Which launches are explained.
package struct ExplainRequest: Codable, Sendable {
  /// Its targets are the one or two that are explained.
  package var scenario: Scenario

  package var state: LaunchState

  /// How many launches of each kind there are when there is one target, and at most when there are
  /// two, without those that confirm.
  package var launches: Int

  /// How long launches may go on.
  package var timeLimit: Nanoseconds

  /// How many launches of each kind there are before it is said that none of one target are slow; nil
  /// where slow launches are not what is explained.
  package var fewestForSlow: Int?

  /// Whether the instructions of functions are counted; nil where that is worth its time.
  package var countsInstructions: Bool?

  /// What records the timelines; nil for the best that this host allows.
  package var collector: TimelineCollector?

  /// Of the order of launches and of all that is drawn.
  package var seed: UInt64

  /// The command that repeats it.
  package var commandLine: [String]

  /// The alert that the result is kept with, such as `R-17`; nil for none.
  package var alert: String?

  /// How many launches of each kind there are at least of two targets, those that confirm included,
  /// and at most without them.
  package static let fewestLaunches = 2 * (LookDecision.looks.first ?? 8)
  package static let mostLaunches = LookDecision.looks.last ?? 64

  /// Why two targets cannot be explained within a time.
  ///
  /// - Parameters:
  ///   - launchSeconds: How long a launch takes.
  ///   - timeLimit: How long all launches may go on.
  /// - Returns: In lower case without a full stop; nil where they can be.
  package static func obstacle(launchSeconds: Double, timeLimit: Nanoseconds) -> String? {
    // Each block has a plain, a traced and a sampled launch of both.
    let needed = launchSeconds * 1e9 * Double(6 * fewestLaunches)
    guard needed > Double(timeLimit.count) else { return nil }
    return "it would take \(Quantity.estimate(Nanoseconds(Int64(clamping: min(needed, 1e17)))))"
  }

  package init(
    scenario: Scenario,
    state: LaunchState,
    launches: Int,
    timeLimit: Nanoseconds,
    collector: TimelineCollector? = nil,
    seed: UInt64?,
    commandLine: [String]
  ) {
    self.scenario = scenario
    self.state = state
    self.launches = launches
    self.timeLimit = timeLimit
    self.collector = collector
    self.seed = seed ?? UInt64(UInt32.random(in: 0...(.max)))
    self.commandLine = commandLine
  }

  /// Asks why some launches of the second of two targets are slow, and no more how the two differ.
  package mutating func explainSlow() {
    scenario.targets.removeFirst(scenario.targets.count - 1)
    launches = SlowLaunches.mostLaunches
    fewestForSlow = SlowLaunches.fewestLaunches
  }
}

/// What an explanation begins with.
package enum ExplanationBeginning {
  /// Nothing, and nothing is kept.
  case unkept

  /// Nothing; its launches are kept below this place.
  case kept(LogLocation)

  /// The launches that are kept in a log.
  case resumed(ExplanationRecord)
}

/// Launches, traces, and explains.
package struct ExplainWorkflow {
  private let request: ExplainRequest
  private var context: WorkflowContext
  private let beginning: ExplanationBeginning
  private let rights: (String) throws(HostError) -> TracingRights

  /// Whether there are launches for a view by stage, too.
  package var comparesStages = false

  /// - Parameters:
  ///   - request: What is explained.
  ///   - context: Where it is launched.
  ///   - beginning: What there is already, and where launches are kept.
  ///   - rights: Finds out what this host lets be traced, given a private directory.
  package init(
    _ request: ExplainRequest,
    in context: WorkflowContext,
    from beginning: ExplanationBeginning = .unkept,
    rights: @escaping (String) throws(HostError) -> TracingRights = TracingRights.init(in:)
  ) {
    self.request = request
    self.context = context
    self.beginning = beginning
    self.rights = rights
  }

  /// Goes on with an explanation, or computes one again that has ended.
  ///
  /// - Parameters:
  ///   - record: The log.
  ///   - timeLimit: A new limit of the time of all launches; nil for that of before.
  ///   - context: Where it is launched.
  ///   - rights: As for a new one.
  package init(
    resuming record: ExplanationRecord,
    timeLimit: Nanoseconds?,
    in context: WorkflowContext,
    rights: @escaping (String) throws(HostError) -> TracingRights = TracingRights.init(in:)
  ) {
    var request = record.start.request
    request.timeLimit = timeLimit ?? record.timeLimit
    self.init(request, in: context, from: .resumed(record), rights: rights)
  }

  /// Launches and explains.
  ///
  /// - Returns: What is concluded.
  /// - Throws: a ``LabError`` when the host does not let launches be traced, when a target fails, and
  ///   when the launches are interrupted.
  package func run() async throws -> ExplanationResult {
    if case .resumed(let record) = beginning, let notes = record.notes,
      request.timeLimit == record.timeLimit
    {
      return try await recomputed(record, notes)
    }
    // From here on a signal ends the launches in good order.
    let interrupt = try context.interrupt()
    return try await context.lab(for: request.commandLine) { session in
      try await run(in: session, interrupt: interrupt)
    }
  }

  /// Launches and explains in a lab that is there already, and ends with these launches.
  ///
  /// - Parameters:
  ///   - session: The lab.
  ///   - interrupt: Ends the launches when it is set.
  /// - Returns: What is concluded.
  /// - Throws: As ``run()``.
  package func run(
    in session: LabSession,
    interrupt: InterruptFlag
  ) async throws -> ExplanationResult {
    let directory = try ScratchDirectory.path()
    let setting = Setting(
      rights: try rights(directory),
      request: request,
      counted: try counted(in: directory)
    )
    if let failure = setting.rights.failure(of: setting.collector) {
      throw HostError.tracing(request.collector == nil ? setting.rights.failures : [failure])
    }
    var laboratory = try await context.laboratory(
      setting.prepared,
      directory,
      session,
      interrupt
    )
    defer { laboratory.close() }
    let (log, logNotes) = try log(of: setting, on: laboratory)
    if let log { laboratory = log }
    defer { log?.closeFile() }
    do {
      var found = try await found(in: setting, on: &laboratory, log)
      let left = found.end - laboratory.now
      laboratory.close()
      let stageNotes =
        comparesStages && request.fewestForSlow == nil
        ? try await addStages(to: &found, within: left, log, in: session, interrupt: interrupt) : []
      let unmet = setting.plan.scenario.controls.flatMap {
        UnmetControls($0, receipts: laboratory.receipts).warning
      }
      let notes =
        ([unmet].compactMap(\.self) + logNotes + stageNotes + session.end() + laboratory.notes
        + session.notes).withoutRepetitions
      try log?.end(notes)
      return await result(of: found, in: setting, log, notes: notes)
    } catch HostError.interrupted where log != nil {
      throw ExplanationInterrupted(resumption: resumption(of: log))
    }
  }

  /// What is launched, and how this host lets it be looked into.
  private struct Setting {
    let rights: TracingRights
    let collector: TimelineCollector
    let counted: CountedLaunches?
    let plan: Plan

    /// The paths of the programs, where they are known.
    var programs: [String?]

    init(rights: TracingRights, request: ExplainRequest, counted: CountedLaunches?) {
      self.rights = rights
      self.counted = counted
      programs = request.scenario.targets.map { try? ExecutableLookup.program(of: $0) }
      collector = request.collector ?? rights.best ?? .bpf
      let kinds: [Arm.Kind] =
        [.plain, collector.kind] + (rights.profiles == nil ? [.profile] : [])
      plan = Plan(
        scenario: request.scenario,
        seed: request.seed,
        arms: request.scenario.targets.flatMap { target in
          kinds.map { Arm(target: target.name, state: request.state, kind: $0) }
        },
        blockCount: min(request.fewestForSlow ?? .max, request.launches)
      )
    }

    /// The plan with all that may be launched beside it.
    var prepared: Plan {
      var prepared = counted?.added(to: plan) ?? plan
      prepared.arms += ModuleLaunches.arms(of: plan)
      return prepared
    }
  }

  // MARK: - What is kept

  /// Begins a log, or goes on with one.
  ///
  /// - Returns: Nil where nothing is kept; and why that cannot be, or what was noted before.
  private func log(
    of setting: Setting,
    on laboratory: any LaunchLaboratory
  ) throws -> (LoggedLaboratory?, [Diagnostic]) {
    switch beginning {
    case .unkept: return (nil, [])
    case .kept(let location):
      let now = context.now()
      let start = ExplanationStart(
        id: RunID.make(at: now, salt: .random(in: 0...(.max))),
        startedAt: now,
        request: request,
        rights: setting.rights,
        hasCounter: setting.counted != nil,
        programs: setting.programs.map { $0.flatMap(KeptFile.init) },
        host: laboratory.host,
        receipts: laboratory.receipts
      )
      do {
        let path = location.log(of: start.id)
        let log = try LoggedLaboratory(laboratory, startingAt: path, with: start)
        location.removeAll(butNewest: Self.keptLogs, within: Self.keptBytes)
        return (log, [])
      } catch let error as any LabError {
        let reason = error.diagnostics.first
        return (
          nil,
          [
            Diagnostic(
              .note,
              id: "not-kept",
              problem: "the launches are not kept: \(reason?.problem ?? "\(error)")",
              place: reason?.place,
              remedy: "name another place with --store"
            )
          ]
        )
      }
    case .resumed(let known):
      // It is read again, since another process may have gone on until this one had the lab.
      let record = try ExplanationRecord(path: known.path)
      if let reason = obstacle(to: record, setting, on: laboratory) {
        throw WorkflowError.cannotGoOn(.explanation, id: record.start.id, reason: reason)
      }
      let limit = request.timeLimit == record.timeLimit ? nil : request.timeLimit
      let log = try LoggedLaboratory(record, goingOnOn: laboratory, timeLimit: limit)
      return (log, record.notes ?? [])
    }
  }

  /// Older ones go when a new one begins.
  private static let keptLogs = 10
  private static let keptBytes: Int64 = 1 << 30

  /// Why launches of now may not join those of a log; nil where they may.
  private func obstacle(
    to record: ExplanationRecord,
    _ setting: Setting,
    on laboratory: any LaunchLaboratory
  ) -> String? {
    if let program = record.changedProgram { return "`\(program)` has changed since" }
    if record.start.host.isOther(than: laboratory.host) {
      return "the host has changed since"
    }
    if record.start.rights != setting.rights {
      return "this host does not allow the same tracing as before"
    }
    if record.start.hasCounter != (setting.counted != nil) {
      return "valgrind is \(record.start.hasCounter ? "gone" : "there now")"
    }
    return ControlReceipt.difference(of: laboratory.receipts, from: record.start.receipts)
  }

  /// Computes an explanation that has ended again, without a launch.
  private func recomputed(
    _ record: ExplanationRecord,
    _ notes: [Diagnostic]
  ) async throws -> ExplanationResult {
    let log = try LoggedLaboratory(record)
    var laboratory: any LaunchLaboratory = log
    let hasCounter = record.start.hasCounter
    var setting = Setting(
      rights: record.start.rights,
      request: request,
      counted: hasCounter
        ? CountedLaunches(nil, of: request.scenario, limit: request.timeLimit) : nil
    )
    setting.programs = record.start.programs.map { $0?.path }
    // Nothing goes on that could be told of.
    var silent = self
    silent.context.observe = { _ in }
    var found = try await silent.found(in: setting, on: &laboratory, log)
    found.stages = record.stages ?? []
    return await result(
      of: found,
      in: setting,
      log,
      notes: notes,
      comparesCode: record.changedProgram == nil
    )
  }

  // MARK: - The result

  /// What the launches have shown.
  private struct FoundReasons {
    var launches: TracedLaunches
    var explanation: LaunchExplanation
    var freshBlocks: Int?
    var modules: ModuleComparison?
    var isSilent: Bool
    var stages: [StageDifference] = []

    /// The launches of one program, divided where slow ones are explained.
    var division: SlowDivision?

    /// Why some launches of the last program are slow, where those before were of two kinds; at most one.
    var slow: [FoundReasons] = []

    /// When the time for launches is over, by the clock of the laboratory.
    var end: Nanoseconds
  }

  private func found(
    in setting: Setting,
    on laboratory: inout any LaunchLaboratory,
    _ log: LoggedLaboratory?
  ) async throws -> FoundReasons {
    let beginning = laboratory.now
    var run = RunRecord(of: setting.plan, on: laboratory, at: context.now())
    run.purpose = .trial
    context.observe(.started(run: run, done: 0))
    var launches = TracedLaunches(
      plan: setting.plan,
      of: setting.programs,
      keeping: log,
      observe: context.observe
    )
    let end = beginning + request.timeLimit
    if let fewest = request.fewestForSlow {
      let most = request.launches
      return try await slowReasons(fewest, most, until: end, on: &laboratory, by: launches)
    }
    var modules: AskedModules?
    let found = try await explained(on: &laboratory, by: &launches, setting.counted, &modules)
    let asked = try modules ?? askedModules(after: launches, until: end, on: &laboratory)
    let comparison = asked.loaded.flatMap {
      ModuleComparison(
        $0,
        arms: request.scenario.targets.count == 2 ? Side.allCases : [.after],
        launch: Double(found.explanation.difference.traced.before.count),
        settings: settings(launches)
      )
    }
    let beforeSlow = laboratory.now
    let slow = try await slowOnes(after: launches, setting, on: &laboratory)
    return FoundReasons(
      launches: launches,
      explanation: found.explanation,
      freshBlocks: found.freshBlocks,
      modules: comparison,
      isSilent: asked.wasPossible && comparison == nil,
      slow: slow,
      end: end + (laboratory.now - beforeSlow)
    )
  }

  /// Finds why some launches of the last program are slow, by launches of their own.
  ///
  /// - Returns: Nothing where there are no two kinds of launches, and one thing otherwise.
  /// - Throws: As ``run()``.
  private func slowOnes(
    after launches: TracedLaunches,
    _ setting: Setting,
    on laboratory: inout any LaunchLaboratory
  ) async throws -> [FoundReasons] {
    guard launches.blocks.count >= Self.fewestForGap else { return [] }
    let seen = SlowDivision(launches.blocks, fewest: 0).slow
    guard seen.gap != nil, !seen.areInRuns else { return [] }
    var alone = request
    alone.explainSlow()
    let found = try await slowReasons(
      SlowLaunches.fewestLaunches,
      alone.launches,
      until: laboratory.now + .seconds(SlowLaunches.seconds),
      on: &laboratory,
      by: TracedLaunches(
        plan: Setting(rights: setting.rights, request: alone, counted: nil).plan,
        of: setting.programs.suffix(1),
        keeping: launches.log,
        observe: context.observe
      )
    )
    return found.division?.slow.gap == nil ? [] : [found]
  }

  /// Among fewer launches a gap is often chance: among 16 of skewed noise (gamma) in one of seven draws,
  /// among 24 in one of 24.
  private static let fewestForGap = 24

  /// Launches until enough launches of one program are slow, and finds why.
  ///
  /// - Parameters:
  ///   - fewest: How many there are before it is said that none are slow.
  ///   - most: How many there are at most.
  ///   - end: When no further block begins.
  ///   - laboratory: Where they are launched.
  ///   - launches: Without blocks.
  /// - Returns: The reasons, and how the launches are divided.
  /// - Throws: As ``run()``.
  private func slowReasons(
    _ fewest: Int,
    _ most: Int,
    until end: Nanoseconds,
    on laboratory: inout any LaunchLaboratory,
    by launches: TracedLaunches
  ) async throws -> FoundReasons {
    var launches = launches
    var division = SlowDivision([], fewest: fewest)
    var count = min(fewest, most)
    while launches.blocks.count < count {
      try await launches.launch(until: count, before: end, on: &laboratory)
      division = SlowDivision(launches.blocks, fewest: fewest)
      guard launches.blocks.count == count else { break }
      count = min(division.neededLaunches, most)
    }
    let attribution = Attribution(settings: settings(launches))
    var explanation: LaunchExplanation
    var freshBlocks: Int?
    if division.slow.gap == nil {
      explanation = attribution.division(of: launches.blocks)
    } else {
      let (choosing, estimating) = division.halves
      explanation = attribution.reasons(of: choosing)
      if !estimating.isEmpty {
        explanation = attribution.confirm(explanation, on: estimating)
        freshBlocks = estimating.count
      }
      division.findWaker(of: explanation.reasons.first(where: \.isSpecific))
    }
    return FoundReasons(
      launches: launches,
      explanation: explanation,
      freshBlocks: freshBlocks,
      isSilent: false,
      division: division,
      end: end
    )
  }

  /// Launches again for a view by stage, for no more than a quarter of the time and what is left of it.
  ///
  /// - Returns: Why there is no such view, and what the reader must know of it.
  private func addStages(
    to found: inout FoundReasons,
    within left: Nanoseconds,
    _ log: LoggedLaboratory?,
    in session: LabSession,
    interrupt: InterruptFlag
  ) async throws -> [Diagnostic] {
    if let kept = log?.keptStages {
      found.stages = kept
      return []
    }
    let time = min(left, Nanoseconds(request.timeLimit.count / 4))
    let launches = found.launches.affordableBlocks(within: time, atMost: Self.mostStageLaunches)
    guard launches >= StageDifference.fewestLaunches else {
      return [Self.noStages(because: "no time was left")]
    }
    var scenario = request.scenario
    scenario.states = [request.state]
    scenario.adaptive = nil
    scenario.launches = launches
    scenario.stages = StagePlan(launches: launches)
    let telling = context.telling { [observe = context.observe] event in
      if case .launched = event { observe(event) }
    }
    do {
      let seen = try await StagesWorkflow(scenario: scenario, in: telling)
        .stages(in: session, interrupt: interrupt)
      let sides = scenario.targets.map { target in
        seen.launches.filter { $0.arm.target == target.name }.map(\.stages)
      }
      found.stages =
        sides.count == 2
        ? StageDifference.differences(from: sides[0], to: sides[1])
        : StageDifference.parts(of: sides[0])
      try log?.keep(found.stages)
      return seen.notes
    } catch let error as any LabError where error.isOfLaunch {
      let problem = error.diagnostics.first?.problem ?? "\(error)"
      return [Self.noStages(because: problem)]
    }
  }

  private static func noStages(because reason: String) -> Diagnostic {
    Diagnostic(.note, id: "no-stages", problem: "no view by stage: \(reason)")
  }

  /// These are enough for a difference of a few percent.
  private static let mostStageLaunches = 16

  private func result(
    of found: FoundReasons,
    in setting: Setting,
    _ log: LoggedLaboratory?,
    notes: [Diagnostic],
    comparesCode: Bool = true
  ) async -> ExplanationResult {
    var explanation = found.explanation
    let code =
      comparesCode
      ? await compareCode(of: found.launches, in: &explanation) : [Self.programsChanged]
    var result = ExplanationResult(
      arms: found.division.flatMap { division in
        division.slow.gap.map { _ in found.launches.slowArms(of: division.pairs) }
      } ?? found.launches.arms,
      explanation: explanation,
      collectors: found.launches.collectors(setting.rights, timelines: setting.collector),
      freshBlocks: found.freshBlocks
    )
    result.add(found.modules)
    result.slow = found.division?.slow
    result.stages = found.stages
    result.store = log?.directory
    result.showCommand = log.map { resumption(of: $0, ["-v"]) }
    let isConfirmed = found.freshBlocks != nil || found.explanation.reasons.isEmpty
    result.warnings = notes.filter { $0.id == UnmetControls.id }
    if !isConfirmed { result.warnings.append(notConfirmed(log)) }
    result.warnings += found.launches.notes
    result.warnings += rightsNotes(setting.rights, setting.collector)
    if found.isSilent { result.warnings.append(Self.noModules) }
    result.warnings += code + notes.filter { $0.id != UnmetControls.id }
    for slow in found.slow {
      var ofSlow = await self.result(of: slow, in: setting, log, notes: [])
      ofSlow.warnings.removeAll { result.warnings.contains($0) }
      (ofSlow.store, ofSlow.showCommand) = (nil, nil)
      result.slowOnes.append(ofSlow)
    }
    return result
  }

  private static let programsChanged = Diagnostic(
    .note,
    id: "code-not-compared",
    problem:
      "the programs changed after they were launched; their code was not compared"
  )

  private static let noModules = Diagnostic(
    .note,
    id: "no-modules",
    problem: "no view by module: the runtime failed, or did not print all the modules that it loads"
  )

  private func notConfirmed(_ log: LoggedLaboratory?) -> Diagnostic {
    Diagnostic(
      .warning,
      id: "not-confirmed",
      problem: "the reasons are not confirmed by fresh launches, for lack of time; their figures "
        + "may be slightly too large",
      remedy: log == nil
        ? "allow more time, such as `--time \(moreTime)`"
        : "go on with `\(resumption(of: log, ["--time", moreTime]))`"
    )
  }

  /// Twice as much, for the launches of before and as many others.
  private var moreTime: String { "\(max(1, 2 * request.timeLimit.count / 1_000_000_000))s" }

  /// The command that goes on.
  private func resumption(of log: LoggedLaboratory?, _ options: [String] = []) -> String {
    let id = log.map { ["--resume", $0.id] } ?? []
    let store = log?.storeDirectory
    let isUsual = store == "\(context.directory)/.launchlab"
    let place = isUsual ? [] : store.map { ["--store", "\($0)/launchlab.sqlite"] } ?? []
    return ShellQuoting.text(["launchlab", "explain"] + id + options + place)
  }

  /// Whether a runtime could be asked for the modules that it loads, and what it said, by block.
  private typealias AskedModules = (wasPossible: Bool, loaded: [Sides<LoadedModules?>]?)

  /// Launches again where a runtime says which modules it loads, for no more than a quarter of the
  /// time and what is left of it.
  private func askedModules(
    after launches: TracedLaunches,
    until end: Nanoseconds,
    on laboratory: inout any LaunchLaboratory
  ) throws -> AskedModules {
    let timeLimit = min(Nanoseconds(request.timeLimit.count / 4), end - laboratory.now)
    guard launches.hasModules,
      let asked = ModuleLaunches(after: launches, timeLimit: timeLimit, observe: context.observe)
    else { return (false, nil) }
    return (true, try asked.run(on: &laboratory))
  }

  /// Compares the files of two programs, and finds which functions are to blame.
  ///
  /// - Returns: What could not be compared.
  private func compareCode(
    of launches: TracedLaunches,
    in explanation: inout LaunchExplanation
  ) async -> [Diagnostic] {
    guard launches.plan.scenario.targets.count == 2 else { return [] }
    let files = ComparedFiles(launches.blocks, programs: explanation.reading.reader.programs)
    let found = await files.difference(for: explanation.reasons)
    if let difference = found.difference { explanation.add(difference) }
    return found.problems.map { Diagnostic(.note, id: "code-not-compared", problem: $0) }
  }

  /// What counts the instructions of two programs; nil where that is not wanted, or not possible.
  ///
  /// - Throws: `HostError` where it is asked for and there is no valgrind.
  private func counted(in directory: String) throws(HostError) -> CountedLaunches? {
    guard request.scenario.targets.count == 2, request.countsInstructions != false else {
      return nil
    }
    guard ValgrindCount.isInstalled || request.countsInstructions == true else { return nil }
    return CountedLaunches(
      try ValgrindCount(.callgrind, below: directory),
      of: request.scenario,
      limit: request.timeLimit
    )
  }

  /// What a better level would show.
  private func rightsNotes(
    _ rights: TracingRights,
    _ collector: TimelineCollector
  ) -> [Diagnostic] {
    var notes: [Diagnostic] = []
    if collector == .ptrace {
      notes.append(
        Diagnostic(
          .note,
          id: "traced-by-ptrace",
          problem: "launches were traced by ptrace: waits are upper limits, page faults are not "
            + "counted, and time in which the tracer stops a thread counts as waiting for a "
            + "processor",
          remedy: rights.failure(of: .bpf)?.remedy ?? "leave out `--collector ptrace`"
        )
      )
    }
    if rights.profiles == nil, !rights.samplesKernel {
      notes.append(
        Diagnostic(
          .note,
          id: "kernel-not-sampled",
          problem: "time in system calls is not divided by function: this user may sample only "
            + "user space",
          remedy: TracingRights.kernelRemedy
        )
      )
    }
    return notes
  }

  // MARK: - Looks

  private typealias Found = (explanation: LaunchExplanation, freshBlocks: Int?)

  private func explained(
    on laboratory: inout any LaunchLaboratory,
    by launches: inout TracedLaunches,
    _ counted: CountedLaunches?,
    _ modules: inout AskedModules?
  ) async throws -> Found {
    guard request.scenario.targets.count == 2 else {
      try await launches.launch(until: request.launches, on: &laboratory)
      let attribution = Attribution(settings: settings(launches))
      return (attribution.division(of: launches.blocks), nil)
    }
    let beginning = laboratory.now
    var end = beginning + request.timeLimit
    var look = 0
    var mayCount = counted
    var instructions: Sides<[InstructionCounts]>?
    var counting = Nanoseconds.zero
    var last: Found?
    while true {
      var named = try await named(
        from: &look,
        since: beginning,
        on: &laboratory,
        by: &launches
      )
      // What confirms takes as long as what there was.
      let left = end - laboratory.now - (laboratory.now - beginning)
      if let counted = mayCount, isWorthCounting(named.explanation, of: launches, within: left) {
        mayCount = nil
        let start = laboratory.now
        instructions = try launches.count(by: counted, on: &laboratory)
        // What was asked for takes nothing from the launches that confirm.
        if request.countsInstructions == true { counting = laboratory.now - start }
        end = end + counting
      }
      if let instructions {
        let reader = named.explanation.reading.reader
        named.explanation.add(InstructionDifference(instructions, reader: reader))
      }
      guard !named.explanation.reasons.isEmpty else { return last ?? (named.explanation, nil) }
      // Modules are asked for before there is no time left.
      if modules == nil {
        let half = laboratory.now + Nanoseconds((end - laboratory.now).count / 2)
        modules = try askedModules(after: launches, until: half, on: &laboratory)
      }
      // What was named is estimated from launches that had no part in its choice.
      let count = launches.blocks.count
      try await launches.launch(until: 2 * count, before: end, on: &laboratory)
      let fresh = Array(launches.blocks[count...])
      guard fresh.count >= Self.fewestFresh else { return last ?? (named.explanation, nil) }
      named.attribution.settings.costPerEvent = launches.eventCost
      let confirmed = named.attribution.confirm(named.explanation, on: fresh)
      // Where too much is left, reasons are named again, from all launches that there are now.
      let isLast = isLast(look, of: launches, after: laboratory.now - beginning - counting)
      if confirmed.decision != .more || isLast { return (confirmed, fresh.count) }
      if !confirmed.reasons.isEmpty { last = (confirmed, fresh.count) }
    }
  }

  /// From fewer fresh blocks no interval would tell a reason from nothing.
  static let fewestFresh = 4

  /// Whether the instructions of functions are counted, which may take a third of the time, and no
  /// more than is left.
  private func isWorthCounting(
    _ explanation: LaunchExplanation,
    of launches: TracedLaunches,
    within left: Nanoseconds
  ) -> Bool {
    if request.countsInstructions == true { return true }
    let time = 1e9 * (launches.processorTime.map(CountedLaunches.estimate) ?? .infinity)
    return explanation.isWorthCounting
      && time <= min(Double(left.count), Double(request.timeLimit.count) / 3)
  }

  /// Launches until reasons are named that explain the difference, or as long as there is time:
  /// half of it is kept for the launches that confirm.
  private func named(
    from look: inout Int,
    since beginning: Nanoseconds,
    on laboratory: inout any LaunchLaboratory,
    by launches: inout TracedLaunches
  ) async throws -> (explanation: LaunchExplanation, attribution: Attribution) {
    let end = beginning + request.timeLimit
    while true {
      let count = min(LookDecision.looks[look], request.launches)
      try await launches.launch(until: count, before: end, on: &laboratory)
      var settings = settings(launches)
      settings.alpha = LookDecision.alpha(atLook: look)
      let attribution = Attribution(settings: settings)
      let explanation = attribution.reasons(of: launches.blocks)
      look += 1
      let isLast = isLast(look, of: launches, after: laboratory.now - beginning)
      if explanation.decision != .more || isLast { return (explanation, attribution) }
    }
  }

  /// Whether there is no further look after so many, by what was launched and how long it took.
  private func isLast(
    _ look: Int,
    of launches: TracedLaunches,
    after elapsed: Nanoseconds
  ) -> Bool {
    // The next look takes as many launches again, and so does what confirms it.
    look == LookDecision.looks.count || LookDecision.looks[look - 1] >= request.launches
      || launches.blocks.count < LookDecision.looks[look - 1]
      || 4 * elapsed.count > request.timeLimit.count
  }

  private func settings(_ launches: TracedLaunches) -> AttributionSettings {
    AttributionSettings(
      costPerEvent: launches.eventCost,
      tracedByStops: launches.areStopped,
      seed: request.seed,
      beforeProgram: launches.programs.before,
      afterProgram: launches.programs.after
    )
  }
}

/// The launches of an explanation were interrupted; those of complete blocks are kept.
struct ExplanationInterrupted: LabError {
  /// The command that goes on.
  let resumption: String

  var exitCode: LabExitCode { .interrupted }

  var diagnostics: [Diagnostic] {
    [
      Diagnostic(
        .warning,
        id: "interrupted",
        problem: "interrupted; the complete blocks are kept",
        remedy: "go on with `\(resumption)`"
      )
    ]
  }
}
