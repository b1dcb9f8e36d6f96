import LabModel

/// The stages of a program as breakpoints saw it.
///
/// For a dynamic program `exec` reaches to the first call of `_dl_debug_state`, so that it holds
/// the kernel's part and what the loader does for itself; `load` and `fixup` cannot be told apart,
/// and are between its two calls. What initializers of libraries take follows up to the entry point
/// of the program, and then its own up to `main`. For a static program `exec` reaches to the entry
/// point, and `init` from there to `main`. Go's runtime is set up from the entry point to
/// `runtime.main`, which then runs the package initializers.
struct BreakpointStages {
  private let trace: ProgramTrace
  private let loader: [Nanoseconds]
  private let entered: Nanoseconds?
  private let runtimeMain: Nanoseconds?
  private let main: Nanoseconds?

  init(_ trace: ProgramTrace) {
    self.trace = trace
    entered = trace.first(.entered)
    runtimeMain = trace.first(.runtimeMain)
    main = trace.first(.mainReached)
    let limit = entered ?? runtimeMain ?? main
    // A program that loads libraries by itself calls the function again.
    loader = trace.events.filter { event in
      event.kind == .loaderState && (limit.map { event.time <= $0 } ?? true)
    }
    .prefix(2).map(\.time)
  }

  var reachedMain: Nanoseconds? { main }

  private var isDynamic: Bool { !loader.isEmpty || trace.lateKinds.contains(.loaderState) }

  /// Adds every stage up to `main`.
  func add(to sequence: inout StageSequence, ready: Nanoseconds?) {
    let entry = trace.end(at: entered, .entered)
    if isDynamic {
      sequence.add(
        StageName.exec,
        until: trace.end(at: loader.first, .loaderState),
        ready: ready
      )
      let second = loader.count > 1 ? loader[1] : nil
      let isLate = trace.lateKinds.contains(.loaderState) && second == nil
      sequence.add(StageName.load, until: isLate ? .late : .missing, ready: ready)
      sequence.add(StageName.fixup, until: trace.end(at: second, .loaderState), ready: ready)
    } else {
      sequence.add(StageName.exec, until: entry, ready: ready)
    }
    if isGo {
      if isDynamic { sequence.add(StageName.libraryInitializers, until: entry, ready: ready) }
      sequence.add(
        StageName.runtimeSetup,
        until: trace.end(at: runtimeMain, .runtimeMain),
        ready: ready
      )
    }
    sequence.add(StageName.initializers, until: trace.end(at: main, .mainReached), ready: ready)
  }

  private var isGo: Bool { runtimeMain != nil || trace.lateKinds.contains(.runtimeMain) }

  /// Fills in what `exec` and `init` consist of.
  func fill(_ stages: inout [Stage], until end: Nanoseconds) {
    for index in stages.indices {
      guard let start = stages[index].start, let duration = stages[index].duration else { continue }
      let last = start + duration
      switch stages[index].name {
      case StageName.exec where isDynamic:
        stages[index].children += parts(
          [("kernel", trace.began), ("loader start", last)],
          from: start,
          until: last
        )
      case StageName.initializers where isDynamic && !isGo:
        let names = [StageName.libraryInitializers, StageName.programInitializers]
        stages[index].children += parts(
          [(names[0], entered), (names[1], last)],
          from: start,
          until: last
        )
      default: break
      }
    }
  }

  /// Two parts, or none where the instant between them was not seen.
  private func parts(
    _ ends: [(name: String, time: Nanoseconds?)],
    from start: Nanoseconds,
    until last: Nanoseconds
  ) -> [Stage] {
    guard let middle = ends[0].time, middle >= start, middle <= last else { return [] }
    var sequence = StageSequence(from: start, source: .breakpoints)
    for end in ends {
      sequence.add(end.name, until: end.time.map(StageSequence.End.seen) ?? .missing)
    }
    return sequence.finished()
  }

  /// What could not be had of the program.
  var notes: [String] {
    var notes: [String] = []
    if isDynamic {
      notes.append(
        "loading and relocation cannot be told apart from outside; both are in \(StageName.load)"
      )
    } else {
      notes.append("no dynamic loader was seen, as in a static program: it has no loader stages")
    }
    if main == nil, !trace.lateKinds.contains(.mainReached) {
      notes.append("main was not seen, so that \(StageName.initializers) holds what follows it too")
    }
    return notes
  }
}
