import Glibc
import LaunchCore
import SystemPackage

/// What makes the stages of launches visible, for all arms: there is one launch at a time.
struct StageInstruments {
  /// The probe, and the file of events that launch marks go to as well.
  private let probe: StageProbe?

  /// Why the probe must not be used on this host, if so.
  private let problem: String?

  /// The file that makes Node print its modules; nil where they are not asked for.
  private let moduleScript: String?

  private let statistics: LoaderStatistics?
  private let clock: CycleClock?
  private let plan: StagePlan?
  private let socket: String

  /// Those that tell which pages a cold launch brings in; nil where none can be had, or needed.
  let tracepoints: PageTracepoints?

  /// Makes what the arms of a plan need, and tries the probe.
  ///
  /// - Throws: ``HostError`` when nothing can be launched, or no private directory be made.
  init(
    for plan: Plan,
    spawner: Spawner,
    fallback: String,
    journal: ControlJournal
  ) throws(HostError) {
    self.plan = plan.scenario.stages
    socket = spawner.notificationPath
    let readsPages = plan.arms.contains { $0.kind.collector != nil && $0.state.isCold }
    tracepoints = readsPages ? .find() : nil
    let asksLoader = plan.arms.contains { $0.kind == .statistics }
    statistics = asksLoader ? try LoaderStatistics(below: FilePath(fallback)) : nil
    clock = asksLoader ? .measured() : nil
    if plan.arms.contains(where: { $0.kind == .modules }) {
      let script = FilePath(fallback).appending("modules.cjs").string
      try StageProbe.unpack(Array(RuntimeModules.nodeScript.utf8), to: script)
      moduleScript = script
    } else {
      moduleScript = nil
    }
    let marks = plan.scenario.targets.contains { $0.ready.isMark } || self.plan?.hasMarks == true
    let probes = plan.arms.contains { $0.kind == .probe || $0.kind == .auto }
    guard marks || probes else {
      probe = nil
      problem = nil
      return
    }
    let probe: StageProbe
    do throws(HostError) {
      probe = try StageProbe(fallback: fallback, journal: journal)
    } catch {
      // Launch marks need the file of events; what the probe sees can be seen by breakpoints.
      guard !marks else { throw error }
      self.probe = nil
      problem = error.diagnostics.first?.problem ?? "it cannot be unpacked"
      return
    }
    self.probe = probe
    problem = probes ? try probe.problem(with: spawner) : nil
    probe.isHidden = self.plan?.isProbeHidden == true
  }

  /// Removes the private directories.
  func remove() {
    probe?.remove()
    statistics?.remove()
  }

  /// How the launches of one arm are made visible.
  func view(
    of target: Target,
    in arm: Arm,
    program: String,
    environment: [String: String]
  ) throws(HostError) -> StageView {
    var view = StageView(collector: arm.kind.collector, environment: environment)
    view.readyMark = target.ready.mark
    view.chosen = Self.chosen(by: target, path: environment["PATH"])
    let takesMarks = arm.kind.collector != nil && plan?.hasMarks == true
    if view.readyMark != nil || takesMarks {
      view.environment["LAUNCHLAB_EVENTS"] = probe?.events.path
    }
    if arm.kind == .modules {
      view.environment = RuntimeModules.environment(
        addedTo: view.environment,
        launched: KnownRuntime(
          program: program,
          path: view.environment["PATH"],
          directory: target.directory
        ),
        nodeScript: moduleScript
      )
    }
    if arm.kind.collector == .auto { ask(program, target, &view) }
    switch view.collector {
    case .probe:
      if let reason = obstacle(to: program, view, target) {
        view.collector = .breakpoints
        view.notes.append("the probe was not used, but breakpoints: \(reason)")
        view.breakpoints = .find(in: program)
      } else if let probe {
        view.environment = probe.environment(addingTo: view.environment)
      }
    case .breakpoints: view.breakpoints = .find(in: program)
    case .text: view.environment.merge(plan?.environment ?? [:]) { $1 }
    case .statistics:
      guard let statistics else { break }
      view.environment = try statistics.environment(addedTo: view.environment)
      view.loader = LoaderFacts(
        glibc: Self.glibc(of: program),
        cyclesPerSecond: clock?.hertz
      )
      view.notes = [clock?.explanation].compactMap(\.self)
    case .auto, .marks, nil: break
    }
    return view
  }

  /// Makes a known runtime print how it starts, in a launch that the probe looks at.
  private func ask(_ program: String, _ target: Target, _ view: inout StageView) {
    view.collector = .probe
    let found = KnownRuntime(
      program: view.chosen?.file ?? program,
      path: view.environment["PATH"],
      directory: target.directory
    )
    guard let runtime = found, runtime != .node || probe != nil else { return }
    view.environment = runtime.environment(
      addedTo: view.environment,
      nodeScript: probe?.nodeScript
    )
    view.notes = ["\(runtime.rawValue) was asked to print how it starts, which takes time too"]
  }

  /// The program of the launch that a target names, if it names one.
  private static func chosen(by target: Target, path: String?) -> ChosenProgram? {
    guard let name = target.program else { return nil }
    let found = try? ExecutableLookup.resolve(
      command: name,
      path: path,
      directory: target.directory
    )
    var paths = ExecutedPaths()
    return ChosenProgram(name: name, file: found.map { paths.file(of: $0) })
  }

  private static func glibc(of program: String) -> GlibcVersion? {
    guard case .dynamic(let loader) = ProgramFile(at: FilePath(program)) else { return nil }
    return GlibcVersion(loader: FilePath(loader))
  }

  private func obstacle(to program: String, _ view: StageView, _ target: Target) -> String? {
    if let problem { return problem }
    let found = ProbeApplicability(
      program: program,
      environment: view.environment,
      directory: target.directory
    )
    guard case .refused(let reason) = found else { return nil }
    return reason
  }

  // MARK: - One launch

  /// Makes ready for a launch.
  func begin(_ view: StageView) throws(HostError) {
    if view.collector == .statistics { statistics?.reset() }
    guard view.usesEvents, let probe else { return }
    let isKnown = probe.events.setReady(
      mark: view.readyMark ?? "",
      socket: view.readyMark == nil ? "" : socket
    )
    guard isKnown else {
      throw .system(operation: "name the ready mark", path: view.readyMark, errno: ENAMETOOLONG)
    }
    try probe.reset()
  }

  /// Adds what was seen to the result of a launch.
  func end(_ view: StageView, _ result: inout LaunchResult) throws(HostError) {
    guard let collector = view.collector, let trace = result.trace else { return }
    let ready = result.launch.map { trace.begin + $0 }
    var seen =
      result.observation
      ?? StageObservation(
        collector: collector,
        begin: trace.begin,
        ready: ready,
        process: trace.process,
        readyProcess: trace.readyProcess
      )
    if collector == .statistics, let statistics {
      seen = statistics.observation(of: trace, ready: ready)
      seen.loader = view.loader
    }
    if view.usesEvents, let probe {
      let found = try probe.observation(from: trace, ready: ready)
      seen.events += found.events
      seen.lostEvents += found.lostEvents
      if collector == .probe {
        seen.notes += found.notes + StageProbe.loaderErrors(in: result.output.stderr.head)
      }
    }
    seen.chosen = view.chosen
    seen.notes = view.notes + seen.notes
    result.observation = seen
  }
}

/// How the launches of one arm are made visible.
struct StageView {
  /// What really collects; nil on launches that are not split into stages.
  var collector: StageCollector?

  /// The target's, with what the collector adds.
  var environment: [String: String]

  var breakpoints: BreakpointPlaces?

  /// The program of the launch that is asked for; nil for the one that becomes ready.
  var chosen: ChosenProgram?

  /// The mark that makes the target ready, if one does.
  var readyMark: String?

  /// What reading the loader's statistics takes.
  var loader: LoaderFacts?

  /// What a reader of the stages must know, as sentences without a full stop.
  var notes: [String] = []

  /// Whether programs of the launch write to the file of events.
  var usesEvents: Bool {
    collector == .probe || environment["LAUNCHLAB_EVENTS"] != nil
  }
}

extension Readiness {
  fileprivate var mark: String? {
    if case .mark(let name) = self { return name }
    return nil
  }

  fileprivate var isMark: Bool { mark != nil }
}
