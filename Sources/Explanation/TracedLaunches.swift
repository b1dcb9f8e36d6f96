import LaunchCore
import LaunchHost
import LaunchStatistics
import Measuring
import Stages

/// The launches of an explanation, block by block.
///
/// Events become a critical path as soon as a launch has ended; functions are named between the
/// looks, since reading their names maps the files of the targets.
struct TracedLaunches {
  let plan: Plan
  private var sink: Sink

  /// The paths of what is launched, where they are known; of one program alone the same twice.
  let programs: Sides<String?>

  /// The complete blocks.
  private(set) var blocks: [AttributionBlock] = []

  /// Why functions are not named, as sentences without a full stop.
  private var problems: [String] = []

  /// Whether a launch that counts instructions failed.
  private var couldNotCount = false

  /// How many launches of each program were counted under valgrind; nil for none.
  private var countedLaunches: Int?

  /// Where launches are kept; nil for nowhere.
  let log: LoggedLaboratory?

  /// - Parameters:
  ///   - plan: What is launched.
  ///   - paths: The programs of the targets, where they are known.
  ///   - log: Where launches are kept; nil for nowhere.
  ///   - observe: Told of each launch.
  init(
    plan: Plan,
    of paths: [String?],
    keeping log: LoggedLaboratory?,
    observe: @escaping (RunEvent) -> Void
  ) {
    self.plan = plan
    self.log = log
    programs = Sides(before: paths.first ?? nil, after: paths.last ?? nil)
    sink = Sink(plan: plan, programs: programs, observe: observe)
  }

  /// Launches the blocks up to a number, or as many as there is time for.
  ///
  /// - Parameters:
  ///   - count: How many blocks there are to be.
  ///   - end: When no further block begins, by the clock of the laboratory; nil where it does not matter.
  ///   - laboratory: Where they are launched.
  /// - Throws: a ``LabError`` when the host or a target fails, and when it is interrupted.
  mutating func launch(
    until count: Int,
    before end: Nanoseconds? = nil,
    on laboratory: inout any LaunchLaboratory
  ) async throws {
    guard count > blocks.count else { return }
    var plan = plan
    plan.blockCount = count
    sink.total = count * plan.arms.count
    var loop = LaunchLoop(plan: plan, firstBlock: blocks.count)
    loop.end = end
    let ending = try loop.run(on: &laboratory, into: &sink)
    if case .interrupted = ending { throw HostError.interrupted }
    if let failure = ending.diagnostic(in: plan.scenario) { throw TargetFailure(failure) }
    let recordings = sink.takeRecordings()
    let files = recordings.map(\.recording)
    let profiles =
      if let log {
        try await log.profiles(of: files)
      } else {
        await StackReader().profiles(of: files)
      }
    problems += profiles.notes
    for (place, profile) in zip(recordings, profiles.profiles) {
      sink.launches[place.block]?[place.arm]?.profile = profile
    }
    for block in blocks.count..<sink.blockCount { blocks.append(self.block(block)) }
  }

  /// Counts the instructions of each function, in launches of their own.
  ///
  /// - Returns: Nil where a launch failed or was not counted whole, which is told in ``notes``.
  /// - Throws: `HostError` when it is interrupted; whatever else fails costs no more than the counts.
  mutating func count(
    by counted: CountedLaunches,
    on laboratory: inout any LaunchLaboratory
  ) throws -> Sides<[InstructionCounts]>? {
    sink.total += 2 * CountedLaunches.each
    var counts: Sides<[InstructionCounts]>?
    do {
      counts = try counted.counts(on: &laboratory, keeping: log) { sink.tell($0, $1.outcome) }
    } catch  where error.isOfLaunch {
      counts = nil
    }
    countedLaunches = counts?.after.count
    couldNotCount = counts == nil
    return counts
  }

  private func block(_ number: Int) -> AttributionBlock {
    let names = plan.scenario.targets.map(\.name)
    let sides = names.map { name in
      plan.arms.indices.filter { plan.arms[$0].target == name }
        .compactMap { sink.launches[number]?[$0] }
        .reduce(into: BlockLaunches()) { side, launch in
          side.plain = side.plain ?? launch.plain
          side.traced = side.traced ?? launch.traced
          side.profile = side.profile ?? launch.profile
        }
    }
    return AttributionBlock(
      before: sides.count == 2 ? sides[0] : BlockLaunches(),
      after: sides.last ?? BlockLaunches()
    )
  }

  /// The processor time of the slower program without anything that looks into it.
  var processorTime: Nanoseconds? { sink.processorTime }

  /// The programs, each with launches that are typical of it.
  var arms: [ExplanationResult.Arm] {
    let targets = plan.scenario.targets
    return targets.indices.map { place in
      let side: Side = targets.count == 2 && place == 0 ? .before : .after
      let sampled = blocks.compactMap { $0[side].profile }.sorted { $0.duration < $1.duration }
      return ExplanationResult.Arm(
        name: targets[place].name,
        command: targets[place].command,
        traced: sink.typical[targets[place].name]?.launch,
        sampled: sampled.isEmpty ? nil : sampled[(sampled.count - 1) / 2]
      )
    }
  }

  /// The fast and the slow launches of the only program, the latter with the slowest one.
  ///
  /// - Parameter pairs: With a fast and a slow launch each.
  /// - Returns: None without a program.
  func slowArms(of pairs: [AttributionBlock]) -> [ExplanationResult.Arm] {
    guard let program = arms.first else { return [] }
    return Side.allCases.map { side in
      let sampled = pairs.compactMap { $0[side].profile }.sorted { $0.duration < $1.duration }
      return ExplanationResult.Arm(
        name: side == .before ? "fast" : "slow",
        command: program.command,
        traced: side == .before ? program.traced : sink.slowest[program.name]?.launch,
        sampled: sampled.isEmpty ? nil : sampled[(sampled.count - 1) / 2]
      )
    }
  }

  /// How much time recording an event takes in these launches, in nanoseconds.
  var eventCost: Double { sink.eventCost }

  /// Whether events stop threads.
  var areStopped: Bool { plan.arms.contains { $0.kind == .ptrace } }

  /// What the reader must know of the launches.
  var notes: [Diagnostic] {
    let torn = sink.tornCount
    let lost =
      torn == 0
      ? []
      : [
        Diagnostic(
          .warning,
          id: "torn-launches",
          problem: "\(torn) traced \(torn == 1 ? "launch was" : "launches were") left out: there "
            + "was no room for all events"
        )
      ]
    return lost
      + problems.withoutRepetitions.map { Diagnostic(.note, id: "unnamed-functions", problem: $0) }
      + (couldNotCount ? [Self.noteUncounted] : [])
      + sink.withoutRights.sorted().map(Self.noteWithoutRights)
  }

  private static let noteUncounted = Diagnostic(
    .note,
    id: "uncounted-instructions",
    problem: "no instructions are counted, since a launch under valgrind failed"
  )

  private static func noteWithoutRights(_ path: String) -> Diagnostic {
    Diagnostic(
      .warning,
      id: "rights-lost",
      problem: "`\(path)` ran without the rights that its file gives (set-user-ID, capabilities) "
        + "while it was traced by ptrace",
      remedy: "explain it as root"
    )
  }

  /// How many launches of each kind there were, and what looking into them cost.
  ///
  /// - Parameters:
  ///   - rights: What this host lets be traced.
  ///   - timelines: What recorded the timelines.
  /// - Returns: Of plain, traced and sampled launches.
  func collectors(
    _ rights: TracingRights,
    timelines: TimelineCollector
  ) -> [ExplanationResult.Collector] {
    let count = blocks.count
    var traced = ExplanationResult.Collector(.timeline, launches: count)
    traced.costRatio = sink.costRatio(of: timelines.kind)
    traced.rights = .init(
      timelines.rawValue,
      obstacle: timelines == .bpf ? nil : rights.failure(of: .bpf)?.reason
    )
    var sampled = ExplanationResult.Collector(.profile, launches: 0)
    sampled.missing = rights.profiles?.reason
    if sampled.missing == nil {
      sampled.launches = count
      sampled.costRatio = sink.costRatio(of: .profile)
      sampled.rights = .init(
        rights.samplesKernel ? "kernel" : "user",
        obstacle: rights.samplesKernel ? nil : "samples of the kernel are refused"
      )
    }
    let counted = countedLaunches.map { ExplanationResult.Collector(.callgrind, launches: $0) }
    return [.init(.plain, launches: count), traced, sampled] + [counted].compactMap(\.self)
  }
}

extension TracedLaunches {
  /// What is kept of one launch.
  struct Launch {
    var plain: Nanoseconds?
    var traced: TracedLaunch?
    var recording: ProfileRecording?
    var profile: LaunchProfile?

    /// What it took of the processors, with the processes that it waited for.
    var processorTime: Nanoseconds?

    /// How many events cost it time until it was ready.
    var events = 0
  }

  /// Keeps the launches in memory.
  struct Sink: LaunchLoop.Sink {
    /// By block and the number of the arm.
    var launches: [Int: [Int: Launch]] = [:]

    /// How many launches there are to be.
    var total = 0

    /// By the name of the target.
    private(set) var typical: [String: TypicalLaunch] = [:]

    /// The traced launch that took longest, by the name of the target.
    private(set) var slowest: [String: (time: Nanoseconds, launch: RecordedLaunch)] = [:]

    /// How many blocks are complete.
    private(set) var blockCount = 0

    private(set) var tornCount = 0

    /// What recording an event takes by the collector's own measurement, in nanoseconds.
    private var calibratedCost = 0.0

    /// The paths of programs that tracing took the rights of their files from.
    private(set) var withoutRights: Set<String> = []

    private let plan: Plan
    private let observe: (RunEvent) -> Void
    private var done = 0

    /// What the program of each target is called.
    private let namings: [String: ProgramNaming]

    init(plan: Plan, programs: Sides<String?>, observe: @escaping (RunEvent) -> Void) {
      self.plan = plan
      self.observe = observe
      namings = Self.namings(of: plan.scenario.targets, programs)
    }

    /// Calls two programs the same, and the directories that they are told of; one alone keeps its name.
    private static func namings(
      of targets: [Target],
      _ programs: Sides<String?>
    ) -> [String: ProgramNaming] {
      guard targets.count == 2 else { return [:] }
      let paths = [programs.before, programs.after]
      return targets.indices.reduce(into: [:]) { namings, own in
        let other = 1 - own
        var naming = ProgramNaming()
        if let program = paths[own], let another = paths[other] {
          naming = ProgramNaming(of: program, besides: another)
        }
        naming.unify(
          targets[own].command,
          targets[other].command,
          below: targets[own].directory
        )
        namings[targets[own].name] = naming
      }
    }

    mutating func take(_ record: LaunchRecord, at now: Nanoseconds) {
      let arm = plan.arms[record.arm]
      let result = record.result
      tell(arm, result.outcome)
      guard let time = result.launch else { return }
      var launch = Launch()
      launch.processorTime = result.figures.processorTime
      switch arm.kind {
      case .timeline, .ptrace:
        launch.traced = traced(result.timeline, of: arm.target)
        // The tracer takes a thread out of its time for most of what it does at a stop.
        launch.events =
          (arm.kind == .ptrace ? launch.traced?.attributableEvents : result.timeline?.eventCount)
          ?? 0
        launch.processorTime = launch.processorTime.map {
          $0 + (result.timeline?.tracerTime ?? .zero)
        }
      case .profile: launch.recording = result.profile
      default: launch.plain = time
      }
      launches[record.block, default: [:]][record.arm] = launch
    }

    /// Tells of a launch that has ended.
    mutating func tell(_ arm: Arm, _ outcome: Outcome) {
      done += 1
      observe(.launched(arm: arm, outcome: outcome, done: done, total: total))
    }

    mutating func endBlock(at now: Nanoseconds) { blockCount += 1 }

    private mutating func traced(
      _ timeline: LaunchTimeline?,
      of target: String
    ) -> TracedLaunch? {
      guard let timeline, timeline.lostEvents == 0 else {
        tornCount += 1
        return nil
      }
      calibratedCost = timeline.eventCost
      withoutRights.formUnion(timeline.withoutRights)
      let ready = plan.scenario.readiness(of: target)
      let recorded = RecordedLaunch(
        timeline: timeline,
        readiness: ready,
        naming: namings[target] ?? ProgramNaming()
      )
      let path = LaunchPath(timeline, readiness: ready, naming: recorded.naming)
      let launch = TracedLaunch(path)
      typical[target, default: TypicalLaunch()].consider(
        recorded,
        time: launch.attributable,
        queue: launch.queue
      )
      if launch.attributable > slowest[target]?.time ?? .zero {
        slowest[target] = (launch.attributable, recorded)
      }
      return launch
    }

    /// Gives the recordings away that were not named yet.
    mutating func takeRecordings() -> [(block: Int, arm: Int, recording: ProfileRecording)] {
      var taken: [(block: Int, arm: Int, recording: ProfileRecording)] = []
      for (block, arms) in launches {
        for (arm, launch) in arms {
          guard let recording = launch.recording else { continue }
          taken.append((block, arm, recording))
          launches[block]?[arm]?.recording = nil
        }
      }
      return taken.sorted { ($0.block, $0.arm) < ($1.block, $1.arm) }
    }

    /// The median of the plain launches of the target that takes more.
    var processorTime: Nanoseconds? {
      let medians = plan.arms.indices.filter { plan.arms[$0].kind == .plain }.compactMap { arm in
        let times = launches.values.compactMap { $0[arm]?.processorTime.map { Double($0.count) } }
        return (try? Sample(times))?.median
      }
      return medians.max().map { Nanoseconds(Int64($0)) }
    }

    /// What launches of a kind take of the processors by what plain ones of the same block and
    /// target do, as the median; nil where it is not known.
    func costRatio(of kind: Arm.Kind) -> Double? {
      let ratios = launches.values.flatMap { arms in
        besidesPlain(kind, in: arms).compactMap { pair -> Double? in
          guard let with = pair.with.processorTime, let without = pair.plain.processorTime,
            without > .zero
          else { return nil }
          return Double(with.count) / Double(without.count)
        }
      }
      return (try? Sample(ratios))?.median
    }

    /// The launches of a kind in a block, in the order of the targets, each with the plain one.
    private func besidesPlain(
      _ kind: Arm.Kind,
      in arms: [Int: Launch]
    ) -> [(with: Launch, plain: Launch)] {
      plan.arms.indices.compactMap { index in
        let arm = plan.arms[index]
        guard arm.kind == kind,
          let plain = plan.arms.firstIndex(where: { $0.target == arm.target && $0.kind == .plain }),
          let with = arms[index], let without = arms[plain]
        else { return nil }
        return (with, without)
      }
    }

    /// How much time recording an event takes in these launches, in nanoseconds.
    var eventCost: Double {
      guard let kind = plan.arms.lazy.map(\.kind).first(where: \.hasTimeline) else { return 0 }
      let blocks = launches.values.compactMap { arms -> EventCost.Block? in
        let pairs = besidesPlain(kind, in: arms)
        // By ptrace what would run at the same time waits, which plain launches do not.
        guard kind != .ptrace || Set(pairs.map { $0.with.traced?.startCount }).count == 1 else {
          return nil
        }
        let times = pairs.compactMap { recordingTime(of: $0.with, besides: $0.plain, by: kind) }
        guard times.count == 2 else { return nil }
        let events = pairs.map(\.with.events)
        // Of few more events the time says less than of which kinds they are.
        guard abs(events[1] - events[0]) * 10 >= events[0] + events[1] else { return nil }
        return EventCost.Block(time: times[1] - times[0], events: Double(events[1] - events[0]))
      }
      let known = kind == .ptrace ? EventCost.ofStops : EventCost(calibrated: calibratedCost)
      return known.corrected(by: blocks)
    }

    /// By how much longer a traced launch takes than a plain one, in nanoseconds of the processors;
    /// by ptrace, which takes the processors for itself, of the critical path.
    private func recordingTime(
      of launch: Launch,
      besides plain: Launch,
      by kind: Arm.Kind
    ) -> Double? {
      guard let traced = launch.traced else { return nil }
      guard kind == .ptrace else {
        guard let with = launch.processorTime, let without = plain.processorTime else { return nil }
        return Double((with - without).count)
      }
      return plain.plain.map { Double((traced.attributable - $0).count) }
    }
  }
}

extension LaunchTimeline {
  /// How many events the launch had until it was ready, which is when its processor time is read.
  fileprivate var eventCount: Int { events.count { (begin...ready).contains($0.time) } }
}

extension LaunchProfile {
  var duration: Nanoseconds { ready - begin }
}

extension Figures {
  fileprivate var processorTime: Nanoseconds? {
    guard let userTime, let systemTime else { return nil }
    return userTime + systemTime
  }
}

/// Finds a launch that takes about the median time and was little disturbed while launches go on, and
/// keeps that one only.
struct TypicalLaunch {
  private(set) var launch: RecordedLaunch?

  private var time = Nanoseconds.zero
  private var queue = Nanoseconds.zero

  /// Ascending.
  private var times: [Nanoseconds] = []

  /// Takes the place of the one that is kept where it is nearer to the median so far, with what it
  /// waited for processors as a part of its distance.
  ///
  /// - Parameters:
  ///   - recorded: The launch.
  ///   - time: How long it took, without what it waited for processors.
  ///   - queue: How long it waited for them.
  mutating func consider(_ recorded: RecordedLaunch, time: Nanoseconds, queue: Nanoseconds) {
    times.insert(time, at: times.firstIndex { $0 > time } ?? times.count)
    let median = times[(times.count - 1) / 2]
    let kept = (self.time - median).magnitude + self.queue
    guard launch == nil || (time - median).magnitude + queue <= kept else { return }
    (launch, self.time, self.queue) = (recorded, time, queue)
  }
}
