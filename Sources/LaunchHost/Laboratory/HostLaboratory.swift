// LaunchHost: the machine. Every system call is in here or in `CLabHost`.
//
// `HostLaboratory` tells the story of one launch: create the state of the arm, read the evidence, launch,
// read the figures. `LaboratorySetUp` makes it, `LabSession` is a host as one lab has it, from the lock to
// the undoing of all changes.
//
// `Launch` asks the spawner for a launch and reads its answer; `Cache` makes launches cold or warm and
// verifies it; `Controls` changes the machine, each change written to the journal before it is made, and
// watches for disturbances; `Probe` sees into a launch; `Learning` finds the files that launches open;
// `Facts` and `Doctor` say what the machine is and can do; `Notify` sends notices. `Files` has the
// directories that are provably our own. Whatever can be refused is a `HostError` (`Errors`).

package import LaunchCore
import SystemPackage

/// The real machine: it brings launch states about, reads their evidence, and launches.
///
/// It is used from one thread, and must be closed.
package struct HostLaboratory: LaunchLaboratory {
  package let receipts: [ControlReceipt]

  package let host: HostFacts

  /// What a reader must know of the targets' files, and of commands that could not clean up; complete
  /// after the last launch.
  package var notes: [Diagnostic] {
    let learnt = Set(preparedArms.filter { $0.value.watchesLearnt }.keys)
    let found = preparedArms.flatMap { arm, prepared in
      prepared.notes.filter { note in
        note.id != OwnFiles.shellNote || arm.state.isCold && !learnt.contains(arm)
      }
    }
    return found.withoutRepetitions + learningNotes + commands.notes + queryNotes
  }

  /// What the targets asked their terminals first that was not answered.
  private var queries: [String: String] = [:]

  /// What is run beside the launches.
  private let commands: TargetCommands

  /// Whether the next launch has its directory for temporary files, and its commands were run.
  private var isBegun = false

  /// Whether the directory for temporary files is there and empty.
  private var hasTemporary = false

  /// At most this many unmeasured launches make a target warm.
  private static let warmUpLimit = 10

  /// How long a launch without a major fault vouches for the next one.
  private static let warmth = Nanoseconds.seconds(1)

  let spawner: Spawner
  let instruments: StageInstruments
  private let workspace: Workspace
  private let interrupt: InterruptFlag?
  private let controls: HostControls

  /// Kept, since its end would undo what was changed for the launches.
  private let session: LabSession
  private let cache = PageCache()
  var preparedArms: [Arm: PreparedArm]

  /// What is known of the files that launches open.
  var learning: Learning
  private var pins: [FilePath: String] = [:]

  /// Takes secrets of the targets out of what they print.
  private let redactor: Redactor

  /// The targets that did not stop in time at their last launch.
  private var killed: Set<String> = []

  /// The targets that were ready at some launch.
  private var ready: Set<String> = []

  /// The targets whose chosen program was run at some launch.
  private var programSeen: Set<String> = []

  /// Unmeasured launches that ran out of time, of targets that were never ready: the next launch
  /// would only take as long.
  private var unready: [Arm: LaunchResult] = [:]

  /// How often pages were dropped, so that a clean launch before does not vouch for one after.
  private var evictions = 0

  /// Whether launches wait until the machine has settled.
  private var isPatient = true

  /// What the lengths of the padding variable are drawn from.
  private var paddings: SplitMix64

  private(set) var meter: DisturbanceMeter?

  /// Where windows are shown; nil where no target needs one.
  private let display: TargetDisplay?

  /// Traces launches; nil when the plan has none that are.
  private let tracer: LaunchTracer?

  /// Why launches for stages are not traced as well, once one could not be.
  private var undivided: HostError?

  /// The start of the spawner whose use of processors is told from that of others.
  private var meteredStart: Int

  /// Applies the controls of a plan, prepares its launches, and refuses at once what this machine
  /// cannot do.
  ///
  /// - Parameters:
  ///   - plan: Its targets have absolute paths.
  ///   - directory: Where private directories go, on the disk that the targets' files are on.
  ///   - session: The lab that the launches and all changes belong to; it undoes them.
  ///   - interrupt: Ends a waiting launch when it is set.
  ///   - learnsAll: Whether the files of warm launches can be asked for, too.
  /// - Throws: ``HostError``, with every refusal of every target.
  package init(
    plan: Plan,
    directory: String,
    session: LabSession,
    interrupt: InterruptFlag? = nil,
    learnsAll: Bool = false
  ) async throws(HostError) {
    self.interrupt = interrupt
    self.session = session
    learning = Learning(beside: directory)
    paddings = SplitMix64(seed: plan.seed, part: -1)
    let secrets = try SecretValues(of: plan.scenario.targets)
    redactor = secrets.redactor
    workspace = try ForcedEnd.changing { () throws(HostError) in
      try Workspace(below: directory, journal: session.journal)
    }
    let asked = plan.scenario.controls ?? ControlPlan(padsEnvironment: false)
    var held: HostControls?
    var started: (spawner: Spawner, instruments: StageInstruments)?
    var shown: TargetDisplay?
    do throws(HostError) {
      let sockets = workspace.sockets.string
      let controls = try HostControls(plan: asked, session: session, sockets: sockets)
      held = controls
      let spawner = try Spawner(
        temporaryDirectory: sockets,
        interrupt: interrupt,
        harnessCPUs: controls.harnessCPUs,
        cgroupParent: controls.cgroupParent
      )
      spawner.whenLost = { session.lostSpawners.append($0) }
      controls.pinHarness()
      meteredStart = spawner.starts
      meter = controls.meter(cgroup: spawner.cgroupDirectory)
      let watch = meter?.receipt()
      try controls.check(watch)
      let mark = try spawner.mark(in: session.journal)
      let instruments = try StageInstruments(
        for: plan,
        spawner: spawner,
        fallback: sockets,
        journal: session.journal
      )
      started = (spawner, instruments)
      let display = try TargetDisplay.needed(
        by: plan.scenario,
        in: workspace,
        notifications: spawner.notificationPath
      )
      shown = display
      var variables = TargetVariables(
        policy: asked.environment,
        mark: mark,
        temporary: workspace.temporary,
        secrets: secrets
      )
      variables.display = display?.variables ?? [:]
      commands = TargetCommands(
        plan.scenario.targets.map {
          TargetCommands.Entry(target: $0, environment: variables.variables(of: $0, home: nil))
        },
        redactor: redactor,
        interrupt: interrupt
      )
      let preparedArms = try await LaboratorySetUp(
        plan: plan,
        directory: directory,
        instruments: instruments,
        variables: variables,
        conditions: controls.conditions,
        learnsAll: learnsAll
      ).preparedArms(in: workspace)
      // Before the first of them is made, and never between launches.
      for directory in Set(preparedArms.values.flatMap(\.installs).map(\.directory.path.string))
        .sorted()
      {
        try session.journal.recordOnce(
          .copies(directory: directory, lab: ProcessIdentity.current.description)
        )
      }
      receipts =
        controls.receipts + [watch, spawner.containment, display?.receipt].compactMap(\.self)
      self.display = display
      let isTraced = plan.arms.contains { $0.kind.isTraced || $0.kind == .auto }
      tracer = isTraced ? LaunchTracer(in: try workspace.traces()) : nil
      self.preparedArms = preparedArms
      self.spawner = spawner
      self.instruments = instruments
      self.controls = controls
    } catch {
      shown?.close()
      started?.instruments.remove()
      started?.spawner.close()
      workspace.remove()
      held?.release()
      throw error
    }
    let program = preparedArms[plan.arms[0]]?.request.program ?? "/"
    host = HostFactsReader().facts(
      for: DeclaredDirectory.realPath(of: FilePath(program)) ?? FilePath(program)
    )
    let warm = plan.arms.filter { $0.state == .warm }
    if Set(warm.map(\.target)).count > 1 { evict(warm) }
  }

  /// Has the files of programs that will be compared warm read from storage again.
  ///
  /// One that was written a moment ago, as by a linker or `cp`, lies in the page cache in other units
  /// than one that was read: a copy of a program exits up to 60 µs faster than the program.
  ///
  /// What a running process maps stays where it is, and so does a file in memory.
  private func evict(_ warm: [Arm]) {
    let files = warm.flatMap { preparedArms[$0]?.files ?? [] }
    for path in Set(files.filter(\.isOwn).map(\.path)) { try? cache.evict(path) }
  }

  /// Runs what goes after the last launch, ends the spawner and removes the private directories.
  package func close() {
    commands.end()
    tracer?.close()
    instruments.remove()
    display?.close()
    spawner.close()
    workspace.remove()
    controls.release()
  }

  package var now: Nanoseconds { MonotonicClock.now }

  package mutating func stopWaiting() { isPatient = false }

  package mutating func beginBlock() throws(HostError) { try commands.beginBlock() }

  package mutating func endBlock() throws(HostError) { try commands.endBlock() }

  private var queryNotes: [Diagnostic] {
    queries.sorted { $0.key < $1.key }.map { target, query in
      Diagnostic(
        .note,
        id: "terminal-query",
        problem: "it asked its terminal \(query), which got no answer and may have been waited for",
        place: "target \"\(target)\""
      )
    }
  }

  // MARK: - One launch

  package mutating func prepare(_ arm: Arm) throws(HostError) -> Preparation {
    if interrupt?.heedIfSet() == true { throw .interrupted }
    var preparation = Preparation()
    try learnFiles(of: arm, &preparation)
    guard let prepared = preparedArms[arm] else { preconditionFailure("an arm of another plan") }
    preparation.unverified = arm.state.isCold ? prepared.unverified : nil
    let beginning = now
    try beginLaunch(arm)
    let begun = now
    preparation.settling = controls.gate?.wait(interrupt: interrupt, patient: isPatient)
    let settled = now
    switch arm.state {
    case .rebootCold:
      try useNewHome(arm, &preparation)
      try drop()
    case .reinstallCold:
      try useNewHome(arm, &preparation)
      try reinstall(arm)
    case .firstRun:
      try prepared.reset(interrupt: interrupt)
      try reinstall(arm)
    case .warm: try warmUp(arm, &preparation)
    }
    preparation.residency = try residency(of: preparedArms[arm]?.files ?? [])
    preparedArms[arm]?.residency = preparation.residency
    explainPins(in: &preparation.residency, state: arm.state)
    preparation.duration = (begun - beginning) + (now - settled)
    preparedArms[arm]?.machineBytes = arm.state.isCold ? cache.machineBytesRead : nil
    return preparation
  }

  /// Makes the directory for temporary files, and runs what the target wants before a launch.
  mutating func beginLaunch(_ arm: Arm) throws(HostError) {
    isBegun = true
    if !hasTemporary { try workspace.makeTemporary() }
    try display?.makeSession()
    try commands.beginLaunch(of: arm.target, in: preparedArms[arm]?.environment ?? [:])
  }

  mutating func endLaunch(_ arm: Arm) {
    isBegun = false
    commands.endLaunch(of: arm.target, in: preparedArms[arm]?.environment ?? [:])
    hasTemporary = workspace.clearTemporary()
  }

  /// Launches without measuring; a launch that is to follow is begun anew.
  private mutating func launchUnmeasured(_ arm: Arm) throws(HostError) -> LaunchResult {
    let result: LaunchResult
    do throws(HostError) {
      result = try launchUnwatched(arm)
    } catch {
      endLaunch(arm)
      throw error
    }
    endLaunch(arm)
    if result.outcome == .timedOut, !ready.contains(arm.target) { unready[arm] = result }
    try beginLaunch(arm)
    return result
  }

  package mutating func launch(_ arm: Arm) throws(HostError) -> LaunchResult {
    // The launches of a count of instructions are prepared once.
    if !isBegun { try beginLaunch(arm) }
    defer { endLaunch(arm) }
    try spawner.running(for: controls.conditions.network)
    if meteredStart != spawner.starts {
      // One that was lost or stuck was replaced.
      meteredStart = spawner.starts
      meter = controls.meter(cgroup: spawner.cgroupDirectory)
    }
    if var result = unready.removeValue(forKey: arm) {
      redactor.redact(&result)
      return result
    }
    meter?.begin()
    var result = try launchTraced(arm)
    redactor.redact(&result)
    result.disturbances = meter?.end(result: result) ?? []
    return result
  }

  /// Launches, and traces it where the arm is for that; nothing is traced when it has ended.
  private mutating func launchTraced(_ arm: Arm) throws(HostError) -> LaunchResult {
    guard let tracer, let pid = spawner.processID else { return try launchUnwatched(arm) }
    if arm.kind == .auto { return try launchDivided(arm, by: tracer, spawner: pid) }
    guard arm.kind.isTraced else { return try launchUnwatched(arm) }
    try tracer.begin(arm, spawner: pid)
    do throws(HostError) {
      var result = try launchUnwatched(arm)
      try tracer.end(arm, &result)
      return result
    } catch {
      tracer.close()
      throw error
    }
  }

  /// Launches for stages, and traces it for one of them to be divided; where it cannot be traced, the
  /// observation says why.
  private mutating func launchDivided(
    _ arm: Arm,
    by tracer: LaunchTracer,
    spawner: Int32
  ) throws(HostError) -> LaunchResult {
    var result: LaunchResult
    do throws(HostError) {
      if undivided == nil { try tracer.begin(arm, spawner: spawner) }
    } catch {
      undivided = error
    }
    do throws(HostError) {
      result = try launchUnwatched(arm)
    } catch {
      tracer.close()
      throw error
    }
    do throws(HostError) {
      if undivided == nil { try tracer.end(arm, &result) }
    } catch {
      undivided = error
      tracer.close()
    }
    let problem = undivided?.diagnostics.first?.problem
    result.observation?.notes.append(
      problem.map { "main to ready is not divided: \($0)" }
        ?? "the launch was traced as well, which takes time too"
    )
    return result
  }

  private mutating func launchUnwatched(_ arm: Arm) throws(HostError) -> LaunchResult {
    guard let prepared = preparedArms[arm] else { preconditionFailure("an arm of another plan") }
    let isReplaced = prepared.isReplaced
    try instruments.begin(prepared.view)
    let padding = arm.kind == .counters ? 0 : paddings.next(below: LaunchRequest.paddingLimit + 1)
    preparedArms[arm]?.lastClean = nil
    var result = try launchShown(
      prepared.request,
      in: prepared.environment,
      padding: padding,
      isFilmed: arm.kind == .film
    )
    if queries[arm.target] == nil { queries[arm.target] = result.unansweredQuery }
    try instruments.end(prepared.view, &result)
    let knowsFiles = !prepared.residency.isEmpty || result.faults?.reads != nil
    if prepared.view.collector != nil, arm.state.isCold, knowsFiles {
      result.pageIns = try cache.pageIns(since: prepared.residency, of: result)
    }
    result.readIn = try readIn(by: prepared)
    checkLearnt(result, of: arm)
    try checkProgram(of: result, prepared.view.chosen, of: arm.target)
    if isReplaced { result.flags.append(.replaced) }
    if result.outcome == .ready { ready.insert(arm.target) }
    if killed.contains(arm.target) { result.flags.append(.afterKill) }
    if result.flags.contains(.killed) {
      killed.insert(arm.target)
    } else {
      killed.remove(arm.target)
    }
    let isWarm = Preparation.isWarm(result.figures, watching: prepared.residency) == true
    let isClean = result.outcome == .ready && isWarm
    let clean = isClean ? Clean(at: now, evictions: evictions) : nil
    preparedArms[arm]?.lastClean = clean
    preparedArms[arm]?.hasNewHome = false
    return result
  }

  /// Launches on the display of the run, where there is one.
  func launchShown(
    _ request: LaunchRequest,
    in environment: [String: String],
    padding: Int,
    isFilmed: Bool = false
  ) throws(HostError) -> LaunchResult {
    guard let display else { return try spawner.launchOnce(request, padding: padding) }
    try spawner.running(for: request.conditions.network)
    guard let pid = spawner.processID else {
      return try spawner.launchOnce(request, padding: padding)
    }
    try display.begin(
      request.ready.window,
      spawner: pid,
      environment: environment,
      isFilmed: isFilmed
    )
    var result = try spawner.launchOnce(request, padding: padding)
    try display.end(request, isFilmed: isFilmed, &result)
    return result
  }

  /// Refuses a chosen program that is none of those of the first launch whose programs are all known.
  private mutating func checkProgram(
    of result: LaunchResult,
    _ chosen: ChosenProgram?,
    of target: String
  ) throws(HostError) {
    guard let chosen, result.outcome == .ready, !programSeen.contains(target),
      let processes = result.processes, processes.count < FaultRecords.programLimit
    else { return }
    let programs = processes.filter(\.isExecuted).map(\.program)
    guard !programs.isEmpty, !programs.contains("") else { return }
    guard programs.contains(where: chosen.matches) else {
      throw .launchRefused(.programNotRun(chosen.name, seen: programs.withoutRepetitions))
    }
    programSeen.insert(target)
  }

  // MARK: - States

  private mutating func drop() throws(HostError) {
    evictions += 1
    try cache.dropAll()
  }

  /// Launches once without measuring in a new HOME, so that only a first run finds it as its
  /// template says.
  private mutating func useNewHome(
    _ arm: Arm,
    _ preparation: inout Preparation
  ) throws(HostError) {
    guard preparedArms[arm]?.hasNewHome == true else { return }
    preparation.warmUps += 1
    _ = try launchUnmeasured(arm)
  }

  private mutating func reinstall(_ arm: Arm) throws(HostError) {
    evictions += 1
    try preparedArms[arm]?.findNewFiles()
    guard let prepared = preparedArms[arm] else { return }
    for install in prepared.installs { _ = try install.reinstall(interrupt: interrupt) }
    for file in prepared.files where file.isOwn { try cache.evict(file.path) }
  }

  /// Launches without measuring until a launch has no major fault, or as few as are tolerated.
  private mutating func warmUp(_ arm: Arm, _ preparation: inout Preparation) throws(HostError) {
    if let clean = preparedArms[arm]?.lastClean, clean.evictions == evictions,
      now - clean.at < Self.warmth
    {
      return
    }
    if let prepared = preparedArms[arm], prepared.residency.isEmpty {
      let pages = try residency(of: prepared.files)
      preparedArms[arm]?.residency = pages
    }
    while preparation.warmUps < Self.warmUpLimit {
      preparation.warmUps += 1
      let result = try launchUnmeasured(arm)
      let residency = preparedArms[arm]?.residency ?? []
      let isWarm = Preparation.isWarm(result.figures, watching: residency)
      if result.outcome != .ready || isWarm != false { return }
    }
    preparation.failure = "each of \(Self.warmUpLimit) unmeasured launches had major faults"
  }

  // MARK: - Evidence

  /// What a cold launch that has ended brought in; nil where that is not known, or not prepared.
  private func readIn(by prepared: PreparedArm) throws(HostError) -> ReadIn? {
    guard let before = prepared.machineBytes, let after = cache.machineBytesRead else { return nil }
    let own = prepared.residency.filter(\.isOwn)
    var pages = 0
    for file in own {
      let now = try cache.residency(of: FilePath(file.path))
      pages += max(0, now.residentPages - file.residentPages)
    }
    return ReadIn(
      ownBytes: Int64(pages * PageCache.pageSize),
      machineBytes: max(0, after - before)
    )
  }

  private func residency(of files: [WatchedFile]) throws(HostError) -> [FileResidency] {
    var found: [FileResidency] = []
    found.reserveCapacity(files.count)
    // Of others' files the kernel says that they are resident, whatever the truth.
    for file in files where cache.canVerify(file.path) {
      let pages = try cache.residency(of: file.path)
      found.append(
        FileResidency(
          path: file.path.string,
          isOwn: file.isOwn,
          residentPages: pages.residentPages,
          totalPages: pages.totalPages
        )
      )
    }
    return found
  }

  /// Says why pages stayed that were meant to go; each file is looked into once per run.
  private mutating func explainPins(in found: inout [FileResidency], state: LaunchState) {
    guard state.isCold else { return }
    let stayed = found.indices.filter {
      found[$0].residentPages > 0 && (found[$0].isOwn || state == .rebootCold)
    }
    let unexplained = stayed.map { FilePath(found[$0].path) }.filter { pins[$0] == nil }
    if !unexplained.isEmpty {
      let scan = MappingScan(of: unexplained)
      for path in unexplained { pins[path] = scan.describe(path) }
    }
    for index in stayed { found[index].pinnedBy = pins[FilePath(found[index].path)] }
  }
}

/// When a target was last launched without a major fault.
struct Clean {
  var at: Nanoseconds
  var evictions: Int
}
