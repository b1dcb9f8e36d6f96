import LaunchCore

/// The stages of a program as breakpoints saw it.
///
/// For a dynamic program `exec` reaches to the first call of `_dl_debug_state`, so that it holds
/// the kernel's part, the time in which the collector keeps the program from running, and what the
/// loader does for itself; `load` and `fixup` cannot be told apart, and are between its two calls.
/// The loader of musl makes the second call only, so that `load` begins where the program may run.
/// What initializers of libraries take follows up to the entry point of the program, and then its
/// own up to `main`; musl runs both after the entry point. For a static program `exec` reaches to
/// the entry point, and `init` from there to `main`. Go's runtime is set up from the entry point to
/// `runtime.main`, which then runs the package initializers.
struct BreakpointStages {
  private let trace: ProgramTrace

  /// Whether the program has a dynamic loader, though perhaps one whose states were not seen.
  private let hasLoader: Bool

  /// Whether the file of the program was looked into, which then has said if it is static.
  private let isTold: Bool

  /// When the loader first began to add libraries.
  private let adding: Nanoseconds?

  /// When all libraries were relocated, and nothing of them had run.
  private let consistent: Nanoseconds?

  private let entered: Nanoseconds?
  private let runtimeMain: Nanoseconds?
  private let main: Nanoseconds?

  init(_ trace: ProgramTrace, hasLoader: Bool? = nil) {
    self.trace = trace
    let entered = trace.first(.entered)
    self.entered = entered
    runtimeMain = trace.first(.runtimeMain)
    main = trace.first(.mainReached)
    // A program that loads libraries by itself reaches the states again.
    let limit = entered ?? runtimeMain ?? main
    let states = trace.events.filter { event in
      event.kind == .loaderState && (limit.map { event.time <= $0 } ?? true)
    }
    adding = states.first { $0.object == 0 }?.time
    consistent = states.first { $0.object == 1 }?.time
    isTold = hasLoader != nil
    self.hasLoader = hasLoader ?? (!states.isEmpty || trace.lateKinds.contains(.loaderState))
  }

  var reachedMain: Nanoseconds? { main }

  /// Whether the loader was seen at work.
  private var isDynamic: Bool {
    adding != nil || consistent != nil || trace.lateKinds.contains(.loaderState)
  }

  /// Whether initializers of libraries end where the program's own begin.
  private var splitsInitializers: Bool { isDynamic && adding != nil && !isGo }

  /// Adds every stage up to `main`.
  func add(to sequence: inout StageSequence, ready: Nanoseconds?) {
    let entry = trace.end(at: entered, .entered)
    if isDynamic {
      let isMusl = adding == nil && consistent != nil
      let start = isMusl ? trace.heldUntil ?? trace.began : adding
      sequence.add(StageName.exec, until: trace.end(at: start, .loaderState), ready: ready)
      let isLate = trace.lateKinds.contains(.loaderState) && consistent == nil
      sequence.add(StageName.load, until: isLate ? .late : .missing, ready: ready)
      sequence.add(StageName.fixup, until: trace.end(at: consistent, .loaderState), ready: ready)
    } else if hasLoader {
      sequence.add(StageName.exec, until: .missing)
      sequence.add(StageName.load, until: .missing)
      sequence.add(StageName.fixup, until: entry, ready: ready)
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
      case StageName.exec where trace.began != nil:
        stages[index].children += parts(
          [
            ("kernel", trace.began), ("held by launchlab", trace.heldUntil),
            (isDynamic ? "loader start" : "to the entry point", last),
          ],
          from: start,
          until: last
        )
      case StageName.initializers where splitsInitializers:
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

  /// The parts that end at instants that were seen; none where fewer than two did.
  private func parts(
    _ ends: [(name: String, time: Nanoseconds?)],
    from start: Nanoseconds,
    until last: Nanoseconds
  ) -> [Stage] {
    var sequence = StageSequence(from: start, source: .breakpoints)
    var cursor = start
    for end in ends {
      guard let time = end.time, time >= cursor, time <= last else { continue }
      guard time > cursor || time == last else { continue }
      sequence.add(end.name, until: .seen(time))
      cursor = time
    }
    let parts = sequence.finished()
    return parts.count > 1 ? parts : []
  }

  /// What could not be had of the program.
  var notes: [String] {
    var notes: [String] = []
    if !isDynamic, hasLoader {
      notes.append(
        "the states of the loader were not seen; what it and initializers of libraries took is in "
          + "\(StageName.exec)"
      )
    } else if !isDynamic, !isTold {
      notes.append("no dynamic loader was seen, as in a static program: it has no loader stages")
    }
    if main == nil, !trace.lateKinds.contains(.mainReached) {
      notes.append("main was not seen, so that \(StageName.initializers) holds what follows it too")
    }
    return notes
  }
}
