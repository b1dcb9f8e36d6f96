import CLaunchWire
import Glibc
import LaunchCore
import SystemPackage

/// What the spawner saw of a traced launch.
struct SpawnerTrace {
  private let trace: wire_trace
  private let hits: [Int64]
  private let errors: [Int32]

  init(_ trace: wire_trace) {
    self.trace = trace
    hits = elements(of: trace.hits)
    errors = elements(of: trace.errors)
  }

  func observation(
    of places: BreakpointPlaces,
    trace: LaunchTrace,
    ready: Nanoseconds?
  ) -> StageObservation {
    StageObservation(
      collector: .breakpoints,
      begin: trace.begin,
      ready: ready,
      process: trace.process,
      readyProcess: trace.readyProcess,
      events: events(at: places, of: trace.process),
      hasLoader: places.hasLoader,
      notes: notes(on: places, isReady: ready != nil)
    )
  }

  // MARK: - Events

  private func events(at places: BreakpointPlaces, of process: Int32) -> [LaunchEvent] {
    var events: [LaunchEvent] = []
    if trace.stopped != 0 {
      events.append(
        LaunchEvent(
          kind: .executed,
          pid: process,
          time: Nanoseconds(trace.stopped),
          end: trace.resumed == 0 ? nil : Nanoseconds(trace.resumed),
          text: places.program
        )
      )
    }
    for (index, place) in places.places.prefix(PLACE_LIMIT).enumerated() {
      let repeats = place.kind == .loaderState && !places.hasMuslLoader
      for (hit, time) in hits(of: index).prefix(repeats ? HIT_LIMIT : 1).enumerated() {
        events.append(
          LaunchEvent(
            kind: place.kind,
            pid: process,
            time: Nanoseconds(time),
            object: place.kind == .loaderState && (hit > 0 || places.hasMuslLoader) ? 1 : 0
          )
        )
      }
    }
    return events.sorted { $0.time < $1.time }
  }

  private func hits(of place: Int) -> [Int64] {
    hits[(place * HIT_LIMIT)..<((place + 1) * HIT_LIMIT)].filter { $0 != 0 }
  }

  // MARK: - Notes

  private func notes(on places: BreakpointPlaces, isReady: Bool) -> [String] {
    if let refusal = places.refusal { return [refusal] }
    if trace.error != 0 {
      return ["the launch could not be watched: \(Self.traceReason(trace.error))"]
    }
    var notes = places.notes
    if trace.stopped == 0 { notes.append("the target ended before it was executed") }
    if trace.method == TRACE_REGISTERS {
      notes.append(
        "there are no perf events (\(Self.reason(trace.event_error))), so that the target was stopped at "
          + "each place; the times contain how long launchlab took to wake up, and a program that "
          + "the process executed after the last place was not noticed"
      )
    }
    if trace.flags & TRACE_EXECUTED_AGAIN != 0 {
      notes.append(
        "the process executed another program after \(places.program), which was not watched"
      )
    }
    if trace.flags & TRACE_LOST != 0 {
      notes.append("the kernel had no room for some of the times")
    }
    for (index, place) in places.places.prefix(PLACE_LIMIT).enumerated() {
      if let note = note(on: place.kind, at: index, isReady: isReady) { notes.append(note) }
    }
    return notes
  }

  private func note(on kind: LaunchEvent.Kind, at index: Int, isReady: Bool) -> String? {
    let name =
      switch kind {
      case .loaderState: "the state of the loader"
      case .entered: "the entry point"
      case .runtimeMain: "runtime.main"
      default: "main"
      }
    if errors[index] != 0 { return "\(name) could not be watched: \(Self.reason(errors[index]))" }
    guard trace.stopped != 0, isReady, hits(of: index).isEmpty else { return nil }
    return "\(name) was not reached in the first thread before the target was ready"
  }

  /// Source of the meaning: the kernel's admin-guide/LSM/Yama.rst.
  private static func traceReason(_ errno: Int32) -> String {
    switch errno {
    case EACCES, EPERM: "ptrace is not permitted; look at kernel.yama.ptrace_scope"
    default: reason(errno)
    }
  }

  /// Source of the meanings: perf_event_open(2) and ptrace(2), sections ERRORS.
  private static func reason(_ errno: Int32) -> String {
    switch errno {
    case EACCES, EPERM:
      "not permitted; needs CAP_PERFMON or kernel.perf_event_paranoid of 2 or less, and no filter"
        + " of a container"
    case ENOSPC: "the breakpoints of the processor are in use"
    case ENOSYS: "this kernel has none"
    case EOPNOTSUPP, ENODEV, ENOENT: "this machine has no hardware breakpoints"
    case ESTALE: "the program was replaced since it was looked into"
    case ENOEXEC: "the program is not of this machine's own kind"
    case ENXIO: "it was loaded without a dynamic loader"
    case EINTR: "a signal stopped the target meanwhile"
    default: Errno(rawValue: errno).description.lowercased()
    }
  }
}

/// The records of major faults in a result of the spawner.
struct SpawnerFaults {
  private let taken: wire_faults
  private let records: FaultRecords

  /// - Parameters:
  ///   - taken: How they were taken.
  ///   - records: Their bytes.
  ///   - tracepoints: Those that were asked for.
  init(_ taken: wire_faults, _ records: [UInt8], tracepoints: PageTracepoints? = nil) {
    self.taken = taken
    self.records = FaultRecords(
      records,
      isCut: taken.flags & FAULTS_LOST != 0,
      tracepoints: taken.tracepoint_error == 0 ? tracepoints : nil
    )
  }

  /// The faults up to the ready instant, which are all if there are as many as were counted.
  ///
  /// - Parameters:
  ///   - begin: Earlier ones are left out.
  ///   - ready: Later ones are left out; nil for none.
  ///   - counted: How many the kernel has counted.
  /// - Returns: The faults, and what was read where there are tracepoints.
  func decoded(
    since begin: Nanoseconds = .zero,
    until ready: Nanoseconds?,
    counted: Int64?
  ) -> MajorFaults {
    guard taken.error == 0 else {
      let reason = Self.reason(taken.error)
      return MajorFaults(isComplete: false, notes: ["faults were not recorded: \(reason)"])
    }
    var found = records.faults(since: begin, until: ready)
    if taken.tracepoint_error != 0 {
      let reason = Self.reason(taken.tracepoint_error)
      found.notes.append("tracepoints were not recorded: \(reason)")
    }
    let isPartial = taken.flags & FAULTS_IN_USER_MODE != 0
    if counted.map({ $0 > Int64(found.events.count) }) ?? isPartial { found.isComplete = false }
    if isPartial, !found.isComplete {
      found.notes.append(
        "faults inside of system calls were not recorded; that needs CAP_PERFMON, or "
          + "kernel.perf_event_paranoid of 1 or less"
      )
    }
    return found
  }

  /// The programs of the launch; nil when they were not recorded.
  func processes(since begin: Nanoseconds, until ready: Nanoseconds?) -> [LaunchProcess]? {
    guard taken.error == 0 else { return nil }
    return records.processes(since: begin, until: ready)
  }

  /// Source of the meanings: perf_event_open(2), section ERRORS.
  private static func reason(_ error: Int32) -> String {
    switch error {
    case EACCES, EPERM:
      "not permitted; needs CAP_PERFMON, or kernel.perf_event_paranoid of 2 or less"
    case ENOSYS: "this kernel has no perf events"
    case EMFILE: "too many open files; raise `ulimit -n`"
    default: Errno(rawValue: error).description.lowercased()
    }
  }
}
