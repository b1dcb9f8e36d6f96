import Foundation
import Glibc
import LaunchCore
import SystemPackage

/// Finds out all that a run needs to know of its targets, and every reason to refuse one.
struct LaboratorySetUp {
  let plan: Plan

  /// Where the store is, which no target may write to.
  let directory: String

  let instruments: StageInstruments

  let variables: TargetVariables

  /// What each launch is given.
  let conditions: LaunchConditions

  /// Whether the files of warm launches are learnt, too.
  let learnsAll: Bool

  /// Prepares every arm.
  ///
  /// - Throws: ``HostError/several(_:)`` with every refusal of every target.
  func preparedArms(in workspace: Workspace) async throws(HostError) -> [Arm: PreparedArm] {
    var preparedArms: [Arm: PreparedArm] = [:]
    var refusals: [HostError] = []
    for (index, arm) in plan.arms.enumerated() {
      do throws(HostError) {
        preparedArms[arm] = try await preparedArm(
          of: arm,
          home: workspace.home(ofArm: index),
          in: workspace
        )
      } catch .several(let errors) {
        refusals += errors.filter { !refusals.contains($0) }
      } catch {
        if !refusals.contains(error) { refusals.append(error) }
      }
    }
    guard refusals.isEmpty else { throw refusals.count == 1 ? refusals[0] : .several(refusals) }
    return preparedArms
  }

  private func preparedArm(
    of arm: Arm,
    home: FilePath,
    in workspace: Workspace
  ) async throws(HostError) -> PreparedArm {
    let target = try target(of: arm)
    let privateHome = needsPrivateHome(target) ? home : nil
    let environment = variables.variables(of: target, home: privateHome)
    let program = try ExecutableLookup.resolve(
      command: target.command[0],
      path: environment["PATH"],
      directory: target.directory
    )
    let installs = target.install.map {
      Reinstaller(directory: DeclaredDirectory(FilePath($0), role: .install))
    }
    // Nothing is opened behind a name that another user can exchange.
    if rewrites(in: arm.state) {
      let refusals = installs.compactMap(\.directory.changeableRefusal)
      guard refusals.isEmpty else { throw .several(refusals) }
    }
    let found = try await OwnFiles.find(
      for: target,
      executable: FilePath(program),
      environment: environment
    )
    let state = try directories(of: target, home: privateHome)
    try check(arm: arm, files: found.files, installs: installs, state: state)
    let capabilities = CapabilityCheck()
    let view = try instruments.view(
      of: target,
      in: arm,
      program: program,
      environment: environment
    )
    return PreparedArm(
      request: try request(target, arm, program: program, view: view),
      environment: environment,
      view: view,
      files: found.files,
      declared: OwnFiles.declared(by: target),
      learning: learnsAll || arm.state.isCold || Self.isLauncher(program, of: target, found.notes)
        ? try learning(target, arm, program, environment, home: privateHome, in: workspace) : nil,
      installs: rewrites(in: arm.state) ? installs : [],
      state: state,
      hasNewHome: privateHome != nil,
      notes: found.notes + (arm.state.isCold ? capabilities.notes(on: found.files) : [])
    )
  }

  /// Whether a program is a shell script that executes another one, and nobody has said which is meant.
  private static func isLauncher(
    _ program: String,
    of target: Target,
    _ notes: [Diagnostic]
  ) -> Bool {
    guard target.program == nil, notes.contains(where: { $0.id == OwnFiles.shellNote }),
      let file = ProgramFile.open(FilePath(program))
    else { return false }
    defer { try? file.close() }
    let text = String(decoding: ProgramFile.reader(of: file)(0, 65_536), as: UTF8.self)
    return text.contains(#/(?m)(^|[\s;&|(])exec[ \t]|\$\{?[@*]/#)
  }

  /// How the files of a target are learnt; nil where they need not be, as of the floor.
  private func learning(
    _ target: Target,
    _ arm: Arm,
    _ program: String,
    _ environment: [String: String],
    home: FilePath?,
    in workspace: Workspace
  ) throws(HostError) -> LearningPlan? {
    guard target.name != Arm.emptyTarget else { return nil }
    let plain = Arm(target: arm.target, state: arm.state)
    let view = try instruments.view(
      of: target,
      in: plain,
      program: program,
      environment: environment
    )
    let recorder = try FileRecorder(in: workspace.sockets)
    let watched = recorder.command(program, target.words)
    var launched = target
    launched.command = watched.arguments
    return LearningPlan(
      key: LearntStore.key(of: target),
      request: try request(launched, plain, program: watched.program, view: view),
      view: view,
      recorder: recorder,
      ownership: Ownership(of: target, directories: [plan.scenario.directory]),
      home: home
    )
  }

  private func target(of arm: Arm) throws(HostError) -> Target {
    if let target = plan.scenario.targets.first(where: { $0.name == arm.target }) { return target }
    return Target(
      name: Arm.emptyTarget,
      command: [try EmbeddedHelper.empty.unpacked()],
      directory: "/"
    )
  }

  /// A first run needs a HOME of its own, and then so do the arms it is compared with; a pinned
  /// environment has one always.
  private func needsPrivateHome(_ target: Target) -> Bool {
    guard target.name != Arm.emptyTarget else { return false }
    return target.home != nil || plan.scenario.states.contains(.firstRun)
      || variables.policy == .pinned
  }

  private func request(
    _ target: Target,
    _ arm: Arm,
    program: String,
    view: StageView
  ) throws(HostError) -> LaunchRequest {
    try LaunchRequest(
      program: program,
      arguments: target.words,
      environment: view.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" },
      directory: target.directory,
      standardInput: target.standardInput,
      ready: target.ready,
      exitStatuses: target.exitStatuses,
      stop: target.stop,
      timeout: target.timeout,
      tty: target.tty,
      counters: arm.kind == .counters ? target.counters : [],
      breakpoints: view.breakpoints,
      recordsFaults: view.collector != nil && arm.state.isCold,
      recordsProcesses: view.collector != nil,
      tracepoints: instruments.tracepoints,
      chosen: view.chosen,
      conditions: conditions
    )
  }

  // MARK: - Directories

  /// Makes the private HOME as its template says, and lists all that a first run resets.
  private func directories(
    of target: Target,
    home: FilePath?
  ) throws(HostError) -> [PrivateDirectory] {
    var directories = target.state.map {
      PrivateDirectory(
        DeclaredDirectory(FilePath($0.path), role: .state),
        template: $0.template.map { FilePath($0) }
      )
    }
    if let home {
      let directory = PrivateDirectory(
        DeclaredDirectory(home, role: .home),
        template: target.home.map { FilePath($0) }
      )
      try directory.reset()
      directories.insert(directory, at: 0)
    }
    return directories
  }

  private func check(
    arm: Arm,
    files: [WatchedFile],
    installs: [Reinstaller],
    state: [PrivateDirectory]
  ) throws(HostError) {
    var refusals = CapabilityCheck().refusals(of: [arm.state], for: files)
    // Nothing is emptied or rewritten otherwise, and finding out what must not be takes a while.
    if rewrites(in: arm.state) {
      let surroundings = Surroundings(
        home: ProcessInfo.processInfo.environment["HOME"],
        scenarioDirectory: plan.scenario.directory,
        repository: plan.scenario.source?.repository,
        kept: ["the store": FilePath(directory)]
      )
      refusals += installs.flatMap { $0.check(amid: surroundings) }
      if refusals.isEmpty {
        for install in installs { try install.removeLeftovers() }
      }
      if arm.state == .firstRun {
        refusals += state.flatMap { $0.check(amid: surroundings) }
        let needed = plan.scenario.targets.flatMap(Self.filesNeeded(by:))
        refusals += state.compactMap { $0.refusal(holding: needed + undeclared(files, of: arm)) }
      }
    }
    guard refusals.isEmpty else { throw .several(refusals) }
  }

  /// Whether `install` directories are made anew before such launches.
  private func rewrites(in state: LaunchState) -> Bool {
    state == .reinstallCold || state == .firstRun
  }

  /// What a target is launched with, as far as it exists: a reset must not remove it.
  private static func filesNeeded(by target: Target) -> [FilePath] {
    let program = try? ExecutableLookup.resolve(
      command: target.command[0],
      path: target.environment["PATH"],
      directory: target.directory
    )
    let paths = target.command.dropFirst() + [program, target.standardInput].compactMap(\.self)
    let files = paths.map { FilePath(target.directory).pushing(FilePath($0)) }
      .compactMap(DeclaredDirectory.realPath(of:)).filter { !PathIdentity.isDirectory($0) }
    return files + target.install.compactMap { DeclaredDirectory.realPath(of: FilePath($0)) }
  }

  /// The own files that the scenario does not name, such as the program and its libraries; what
  /// it names may be state as well.
  private func undeclared(_ files: [WatchedFile], of arm: Arm) -> [FilePath] {
    let declared = Ownership.patterns(
      plan.scenario.targets.first { $0.name == arm.target }?.files ?? []
    )
    return files.filter { file in
      file.isOwn && FilePattern.verdict(of: declared, on: file.path.string) != true
    }
    .map(\.path)
  }
}
