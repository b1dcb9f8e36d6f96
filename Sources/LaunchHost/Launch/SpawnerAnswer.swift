import CLaunchWire
import Glibc
import LaunchCore
import SystemPackage

/// A result of the spawner, decoded; the encoding is that of `launch_wire.h`.
struct SpawnerAnswer {
  /// The names of the figures, in the order of the result.
  private static let figureNames = [
    "peak_rss", "peak_rss_tree", "minor_faults", "major_faults", "voluntary_switches",
    "involuntary_switches", "user_time", "system_time", "bytes_read",
  ]

  private let answer: wire_result
  private let figures: [Int64]
  private let figureErrors: [Int32]
  private let output: CapturedOutput
  private let faults: SpawnerFaults

  /// Decodes a message; nil when it is too short to be one.
  ///
  /// - Parameters:
  ///   - bytes: The message.
  ///   - tracepoints: Those that were asked for.
  init?(_ bytes: [UInt8], tracepoints: PageTracepoints? = nil) {
    guard let answer: wire_result = bytes.value() else { return nil }
    self.answer = answer
    figures = elements(of: answer.figures)
    figureErrors = elements(of: answer.figure_errors)
    var rest = bytes.dropFirst(MemoryLayout<wire_result>.size)
    func next(_ count: UInt32) -> [UInt8] {
      defer { rest = rest.dropFirst(Int(count)) }
      return Array(rest.prefix(Int(count)))
    }
    output = CapturedOutput(
      stdout: CapturedStream(
        head: next(answer.heads.0),
        tail: next(answer.tails.0),
        totalBytes: Int64(answer.totals.0)
      ),
      stderr: CapturedStream(
        head: next(answer.heads.1),
        tail: next(answer.tails.1),
        totalBytes: Int64(answer.totals.1)
      )
    )
    faults = SpawnerFaults(answer.faults, next(answer.faults.bytes), tracepoints: tracepoints)
  }

  func result(of request: LaunchRequest) -> LaunchResult {
    let hasStarted = answer.outcome != OUTCOME_NOT_STARTED
    let found =
      hasStarted && request.recordsFaults
      ? faults.decoded(
        since: Nanoseconds(answer.started),
        until: ready,
        counted: figure(FIGURE_MAJOR_FAULTS)
      ) : nil
    var result = LaunchResult(
      outcome: decodedOutcome(of: request),
      launch: answer.outcome == OUTCOME_READY ? Nanoseconds(answer.launch) : nil,
      spawn: hasStarted ? Nanoseconds(answer.spawn) : nil,
      resolution: Nanoseconds(answer.resolution),
      figures: hasStarted ? decodedFigures(of: request) : Figures(),
      flags: decodedFlags,
      output: output,
      trace: hasStarted ? trace : nil,
      observation: hasStarted ? observation(of: request, found) : nil,
      faults: found,
      processes: hasStarted && request.recordsProcesses
        ? faults.processes(since: Nanoseconds(answer.started), until: ready) : nil
    )
    let query: [UInt8] = elements(of: answer.unanswered)
    if query[0] != 0 {
      result.unansweredQuery = String(decoding: query.prefix { $0 != 0 }, as: UTF8.self)
    }
    return result
  }

  private var trace: LaunchTrace {
    LaunchTrace(
      begin: Nanoseconds(answer.started),
      process: answer.pid,
      readyProcess: answer.ready_pid == 0 ? nil : answer.ready_pid
    )
  }

  private func observation(of request: LaunchRequest, _ faults: MajorFaults?) -> StageObservation? {
    guard let places = request.breakpoints else { return nil }
    var seen = SpawnerTrace(answer.trace).observation(of: places, trace: trace, ready: ready)
    if let faults { seen.add(faults) }
    return seen
  }

  private var ready: Nanoseconds? {
    answer.outcome == OUTCOME_READY ? Nanoseconds(answer.started + answer.launch) : nil
  }

  private func decodedOutcome(of request: LaunchRequest) -> Outcome {
    switch answer.outcome {
    case OUTCOME_READY: .ready
    case OUTCOME_EXITED: .exited(code: answer.code)
    case OUTCOME_SIGNALLED: .signalled(signal: answer.code)
    case OUTCOME_TIMED_OUT: .timedOut
    default:
      .notStarted(
        reason: FailedStep(step: answer.step, errno: answer.code, detail: answer.detail)
          .reason(for: request)
      )
    }
  }

  private var decodedFlags: [LaunchFlag] {
    let names: [(UInt32, LaunchFlag)] = [
      (RESULT_BLOCKED, .outputBlocked), (RESULT_LEFT, .leftProcesses), (RESULT_KILLED, .killed),
      (RESULT_TRUNCATED, .outputTruncated), (RESULT_CROWDED, .crowded),
      (RESULT_STOPPED_EARLY, .stoppedEarly),
    ]
    return names.filter { answer.flags & $0.0 != 0 }.map(\.1)
  }

  private func decodedFigures(of request: LaunchRequest) -> Figures {
    var decoded = Figures(
      peakRSS: figure(FIGURE_PEAK_RSS),
      peakRSSTree: figure(FIGURE_PEAK_RSS_TREE),
      minorFaults: figure(FIGURE_MINOR_FAULTS),
      majorFaults: figure(FIGURE_MAJOR_FAULTS),
      voluntarySwitches: figure(FIGURE_VOLUNTARY),
      involuntarySwitches: figure(FIGURE_INVOLUNTARY),
      userTime: figure(FIGURE_USER_TIME).map(Nanoseconds.init),
      systemTime: figure(FIGURE_SYSTEM_TIME).map(Nanoseconds.init),
      bytesRead: figure(FIGURE_BYTES_READ),
      includesWaitedChildren: answer.flags & RESULT_WAITED_CHILDREN != 0
    )
    for (index, name) in Self.figureNames.enumerated() where figureErrors[index] != 0 {
      decoded.missing[name] = Errno(rawValue: figureErrors[index]).description.lowercased()
    }
    let peakError = figureErrors[FIGURE_PEAK_RSS]
    if let chosen = request.chosen, peakError != 0 {
      decoded.missing[Self.figureNames[FIGURE_PEAK_RSS]] = Self.chosenReason(peakError, chosen)
    }
    addCounters(request.counters, to: &decoded)
    return decoded
  }

  /// Source of the meanings: taskstats_user_cmd() and add_del_listener() in Linux, kernel/taskstats.c.
  private static func chosenReason(_ errno: Int32, _ chosen: ChosenProgram) -> String {
    switch errno {
    case ESRCH: "no process of the launch was seen to run \(chosen.name)"
    case ENOBUFS: "more processes ended than could be looked at"
    default:
      "no living process ran \(chosen.name) when the launch was ready, and of those that have ended "
        + "the kernel does not tell it: \(Errno(rawValue: errno).description.lowercased())"
    }
  }

  private func figure(_ index: Int) -> Int64? { figureErrors[index] == 0 ? figures[index] : nil }

  private func addCounters(_ names: [String], to figures: inout Figures) {
    let values: [Int64] = elements(of: answer.counters)
    let errors: [Int32] = elements(of: answer.counter_errors)
    for (name, (value, error)) in zip(names, zip(values, errors)) {
      if error == 0 {
        figures.counters[name] = value
      } else {
        figures.missing[name] = Self.counterReason(error)
      }
    }
  }

  /// Source of the meanings: perf_event_open(2), section ERRORS.
  private static func counterReason(_ errno: Int32) -> String {
    switch errno {
    case EACCES, EPERM:
      "not permitted; needs CAP_PERFMON, or kernel.perf_event_paranoid of 1 or less"
    case ENOENT, EOPNOTSUPP, ENODEV: "this machine has no such event"
    case EBUSY: "the hardware was busy with other events"
    case ENOSYS: "this kernel has no perf events"
    default: Errno(rawValue: errno).description.lowercased()
    }
  }
}

/// Values of C within bytes, in the layout and the byte order of this machine.
extension ArraySlice<UInt8> {
  /// The value at an offset from the beginning; nil where it does not lie inside as a whole.
  func value<Value: BitwiseCopyable>(of type: Value.Type = Value.self, at offset: Int = 0) -> Value?
  {
    guard offset >= 0, offset + MemoryLayout<Value>.size <= count else { return nil }
    return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: type) }
  }
}

extension [UInt8] {
  /// The bytes of a value.
  init(of value: some BitwiseCopyable) {
    self = unsafe Swift.withUnsafeBytes(of: value) { unsafe Array($0) }
  }

  /// The value at an offset; nil where it does not lie inside as a whole.
  func value<Value: BitwiseCopyable>(of type: Value.Type = Value.self, at offset: Int = 0) -> Value?
  {
    self[...].value(at: offset)
  }
}

/// The elements of an array of C, which is a tuple in Swift.
func elements<Element: BitwiseCopyable>(
  of tuple: some BitwiseCopyable,
  as type: Element.Type = Element.self
) -> [Element] {
  unsafe withUnsafeBytes(of: tuple) { unsafe Array($0.bindMemory(to: type)) }
}

/// Sets an array of C, which is a tuple in Swift, to as many elements as it has room for.
func fill(_ tuple: inout some BitwiseCopyable, with elements: [some BitwiseCopyable]) {
  unsafe withUnsafeMutableBytes(of: &tuple) { room in
    unsafe elements.withUnsafeBytes { bytes in
      unsafe room.copyBytes(from: bytes.prefix(room.count))
    }
  }
}
