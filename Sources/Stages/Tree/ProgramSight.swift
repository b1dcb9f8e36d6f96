import LaunchCore

/// One program, seen the way its collector sees programs.
enum ProgramSight {
  case probe(ProbeStages, ProgramTrace)
  case breakpoints(BreakpointStages, ProgramTrace)

  init(_ trace: ProgramTrace, _ collector: StageCollector, hasLoader: Bool? = nil) {
    self =
      collector == .breakpoints
      ? .breakpoints(BreakpointStages(trace, hasLoader: hasLoader), trace)
      : .probe(ProbeStages(trace), trace)
  }

  /// When `main` was about to run.
  var reachedMain: Nanoseconds? {
    switch self {
    case .probe(let stages, _): stages.reachedMain
    case .breakpoints(let stages, _): stages.reachedMain
    }
  }

  /// Adds every stage from the beginning of the launch up to `main`.
  func add(to sequence: inout StageSequence, ready: Nanoseconds?) {
    switch self {
    case .probe(let stages, let trace):
      sequence.add(StageName.exec, until: trace.began.map(StageSequence.End.seen) ?? .missing)
      stages.add(to: &sequence, ready: ready)
    case .breakpoints(let stages, _):
      stages.add(to: &sequence, ready: ready)
    }
  }

  /// Adds what follows the first mark in the program, up to `main`.
  func addLoaderStages(to sequence: inout StageSequence) {
    if case .probe(let stages, _) = self { stages.add(to: &sequence, ready: nil) }
  }

  func fill(_ stages: inout [Stage], until end: Nanoseconds) {
    switch self {
    case .probe(let probe, _):
      probe.fill(&stages, until: end)
    case .breakpoints(let breakpoints, let trace):
      breakpoints.fill(&stages, until: end)
      // The marks API works in any program.
      var marks = trace
      marks.events = trace.events.filter { $0.kind.isMark }
      ProbeStages(marks).fill(&stages, until: end)
    }
  }

  /// What a process without a program of its own said with the marks API.
  func marks(until end: Nanoseconds) -> [Stage] {
    let trace =
      switch self {
      case .probe(_, let trace), .breakpoints(_, let trace): trace
      }
    let spans = ProgramSpans(trace, objects: LoadedObjects([]), after: nil, until: end).all
    return SpanNest.roots(of: spans).map { $0.stage.asDetail }
  }

  var counters: [String: Int64] {
    if case .probe(let stages, _) = self { stages.counters } else { [:] }
  }

  var notes: [String] {
    switch self {
    case .probe(let stages, _): stages.notes
    case .breakpoints(let stages, _): stages.notes
    }
  }
}

/// The stages of one program as the probe saw it.
///
/// `load` reaches from the first mark in the program to the last object that was opened, `fixup`
/// from there until all of them are consistent, and `init` from there until `main` is about to run.
struct ProbeStages {
  let trace: ProgramTrace

  private let objects: LoadedObjects
  private let mainBegins: Nanoseconds?

  /// When everything that the program needs was relocated, and nothing of it had run.
  private let consistent: Nanoseconds?

  /// The objects that were opened before that.
  private let opened: [LaunchEvent]

  init(_ trace: ProgramTrace) {
    self.trace = trace
    objects = LoadedObjects(trace.events)
    let main = trace.first(.mainBegins)
    let limit = main ?? trace.first(.initializer)
    mainBegins = main
    consistent = trace.first(.consistent).flatMap { time in
      limit.map { time <= $0 } ?? true ? time : nil
    }
    let end = consistent ?? limit
    opened = trace.events.filter { event in
      event.kind == .objectOpened && (end.map { event.time <= $0 } ?? true)
    }
  }

  var reachedMain: Nanoseconds? { mainBegins }

  /// Adds `load`, `fixup` and `init`.
  func add(to sequence: inout StageSequence, ready: Nanoseconds?) {
    let late = trace.lateKinds
    let isLoadLate = consistent == nil && late.contains(.objectOpened)
    let loaded = trace.end(at: isLoadLate ? nil : opened.last?.time, .objectOpened)
    sequence.add(StageName.load, until: loaded, ready: ready)
    sequence.add(StageName.fixup, until: trace.end(at: consistent, .consistent), ready: ready)
    sequence.add(
      StageName.initializers,
      until: trace.end(at: mainBegins, .mainBegins),
      ready: ready
    )
  }

  /// Fills in what the stages consist of.
  ///
  /// - Parameters:
  ///   - stages: Stages of the program, by their beginning, not all of which need be its own.
  ///   - end: When the observation ends.
  func fill(_ stages: inout [Stage], until end: Nanoseconds) {
    var spans = ProgramSpans(trace, objects: objects, after: consistent, until: end).all[...]
    for index in stages.indices {
      guard let start = stages[index].start else { continue }
      let next = stages[(index + 1)...].lazy.compactMap(\.start).first
      let last = stages[index].duration.map { start + $0 } ?? end
      let own = spans.prefix { span in next.map { span.start < $0 } ?? true }
      spans = spans.dropFirst(own.count)
      switch stages[index].name {
      case StageName.load where !stages[index].flags.contains(.merged):
        stages[index].children += libraries(from: start, until: last)
      case StageName.initializers where stages[index].duration != nil || next == nil:
        let initializers = InitializerStages(
          Array(own),
          from: start,
          until: last,
          isMerged: stages[index].flags.contains(.merged) || stages[index].duration == nil,
          isEachTimed: untimed == 0,
          objects
        )
        stages[index].children += initializers.stages
      default:
        stages[index].children += SpanNest.roots(of: Array(own)).map { $0.stage.asDetail }
      }
    }
  }

  /// Each object that was opened, with the time since the one before it.
  ///
  /// A launch that was ready before the last was opened has a rest.
  private func libraries(from start: Nanoseconds, until last: Nanoseconds) -> [Stage] {
    var previous = start
    let libraries = opened.map { event in
      defer { previous = event.time }
      return Stage(
        name: event.text,
        start: previous,
        duration: event.time - previous,
        source: .probe,
        place: CodePlace(file: event.text)
      )
    }
    guard previous < last else { return libraries }
    return libraries + [
      Stage(name: StageName.loaderOther, start: previous, duration: last - previous, source: .probe)
    ]
  }

  /// Counts of what was seen of the program.
  var counters: [String: Int64] {
    // The first object is the program itself.
    let libraries = opened.count { $0.object != 0 }
    var counters: [String: Int64] = ["libraries": Int64(libraries)]
    for event in trace.events where event.kind == .initializersFound {
      counters["initializers", default: 0] += Int64(UInt32(clamping: event.address))
      counters["initializers_timed", default: 0] += Int64(event.object)
    }
    let later = objects.count - opened.count
    if later > 0 { counters["libraries_loaded_later"] = Int64(later) }
    return counters
  }

  /// How many initializers were found and are not timed.
  private var untimed: Int64 {
    let counters = counters
    return max(0, (counters["initializers"] ?? 0) - (counters["initializers_timed"] ?? 0))
  }

  /// What could not be had of the program.
  var notes: [String] {
    var notes: [String] = []
    if untimed > 0 {
      notes.append(
        "\(untimed) of \(counters["initializers"] ?? 0) initializers have no time of their own; "
          + "what they took is in \(StageName.loaderOther)"
      )
    }
    for event in trace.events where event.kind == .initializersUntimed {
      let library = objects.path(of: event.object) ?? "an unknown library"
      notes.append("the initializers of \(library) cannot be timed (error \(event.address))")
    }
    return notes
  }
}
