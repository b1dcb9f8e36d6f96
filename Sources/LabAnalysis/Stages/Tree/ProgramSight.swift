import LabModel

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
      marks.events = trace.events.filter { $0.kind.rawValue >= LaunchEvent.Kind.mark.rawValue }
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
