import Glibc
import LabModel
import SystemPackage

/// A result of the spawner, decoded; the encoding is that of `spawner_protocol.h`.
struct SpawnerAnswer {
  /// The bytes before the kept output.
  static let headerSize = 536

  private static let counterLimit = 16

  private static let figureNames = [
    "peak_rss", "peak_rss_tree", "minor_faults", "major_faults", "voluntary_switches",
    "involuntary_switches", "user_time", "system_time", "bytes_read",
  ]

  private let outcome: UInt32
  private let code: Int32
  private let step: UInt32
  private let flags: UInt32
  private let counterMask: UInt32
  private let launch: Int64
  private let spawn: Int64
  private let resolution: Int64
  private let detail: UInt64
  private let started: Int64
  private let process: Int32
  private let readyProcess: Int32
  private let figures: [Int64]
  private let counterValues: [Int64]
  private let figureErrors: [Int32]
  private let counterErrors: [Int32]
  private let output: CapturedOutput
  private let traced: SpawnerTrace
  private let faults: SpawnerFaults

  /// Decodes a message of at least ``headerSize`` bytes.
  ///
  /// - Parameters:
  ///   - bytes: The message.
  ///   - tracepoints: Those that were asked for.
  init(_ bytes: [UInt8], tracepoints: PageTracepoints? = nil) {
    var reader = MessageReader(bytes: bytes)
    reader.skip(4)
    outcome = reader.next()
    code = reader.next()
    step = reader.next()
    flags = reader.next()
    counterMask = reader.next()
    launch = reader.next()
    spawn = reader.next()
    resolution = reader.next()
    detail = reader.next()
    started = reader.next()
    process = reader.next()
    readyProcess = reader.next()
    figures = reader.next(Self.figureNames.count)
    counterValues = reader.next(Self.counterLimit)
    let totals: [UInt64] = reader.next(2)
    let heads: [UInt32] = reader.next(2)
    let tails: [UInt32] = reader.next(2)
    figureErrors = reader.next(Self.figureNames.count + 1)
    counterErrors = reader.next(Self.counterLimit)
    traced = SpawnerTrace(&reader)
    var faults = SpawnerFaults(&reader)
    let streams = (0..<2).map { index in
      CapturedStream(
        head: reader.bytes(Int(heads[index])),
        tail: reader.bytes(Int(tails[index])),
        totalBytes: Int64(totals[index])
      )
    }
    output = CapturedOutput(stdout: streams[0], stderr: streams[1])
    faults.readRecords(&reader, tracepoints: tracepoints)
    self.faults = faults
  }

  func result(of request: LaunchRequest) -> LaunchResult {
    let hasStarted = outcome != 4
    let found =
      hasStarted && request.recordsFaults
      ? faults.decoded(since: Nanoseconds(started), until: ready, counted: figure(3)) : nil
    return LaunchResult(
      outcome: decodedOutcome(of: request),
      launch: outcome == 0 ? Nanoseconds(launch) : nil,
      spawn: hasStarted ? Nanoseconds(spawn) : nil,
      resolution: Nanoseconds(resolution),
      figures: hasStarted ? decodedFigures(of: request) : Figures(),
      flags: decodedFlags,
      output: output,
      trace: hasStarted ? trace : nil,
      observation: hasStarted ? observation(of: request, found) : nil,
      faults: found,
      processes: hasStarted && request.recordsProcesses
        ? faults.processes(since: Nanoseconds(started), until: ready) : nil
    )
  }

  private var trace: LaunchTrace {
    LaunchTrace(
      begin: Nanoseconds(started),
      process: process,
      readyProcess: readyProcess == 0 ? nil : readyProcess
    )
  }

  private func observation(of request: LaunchRequest, _ faults: MajorFaults?) -> StageObservation? {
    guard let places = request.breakpoints else { return nil }
    var seen = traced.observation(of: places, trace: trace, ready: ready)
    if let faults { seen.add(faults) }
    return seen
  }

  private var ready: Nanoseconds? { outcome == 0 ? Nanoseconds(started + launch) : nil }

  private func decodedOutcome(of request: LaunchRequest) -> Outcome {
    switch outcome {
    case 0: .ready
    case 1: .exited(code: code)
    case 2: .signalled(signal: code)
    case 3: .timedOut
    default:
      .notStarted(
        reason: FailedStep(number: step, errno: code, detail: detail).reason(for: request)
      )
    }
  }

  private var decodedFlags: [LaunchFlag] {
    let names: [(UInt32, LaunchFlag)] = [
      (1, .outputBlocked), (2, .leftProcesses), (4, .killed), (8, .outputTruncated),
      (32, .crowded), (64, .stoppedEarly),
    ]
    return names.filter { flags & $0.0 != 0 }.map(\.1)
  }

  private func decodedFigures(of request: LaunchRequest) -> Figures {
    var decoded = Figures(
      peakRSS: figure(0),
      peakRSSTree: figure(1),
      minorFaults: figure(2),
      majorFaults: figure(3),
      voluntarySwitches: figure(4),
      involuntarySwitches: figure(5),
      userTime: figure(6).map(Nanoseconds.init),
      systemTime: figure(7).map(Nanoseconds.init),
      bytesRead: figure(8),
      includesWaitedChildren: flags & 16 != 0
    )
    for (index, name) in Self.figureNames.enumerated() where figureErrors[index] != 0 {
      decoded.missing[name] = Errno(rawValue: figureErrors[index]).description.lowercased()
    }
    if let chosen = request.chosen, figureErrors[0] != 0 {
      decoded.missing[Self.figureNames[0]] = Self.chosenReason(figureErrors[0], chosen)
    }
    if counterMask != 0 { addCounters(to: &decoded) }
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

  private func addCounters(to figures: inout Figures) {
    for (index, event) in CounterEvent.inSpawnerOrder.enumerated()
    where counterMask >> index & 1 == 1 {
      let name = event.rawValue
      if counterErrors[index] == 0 {
        figures.counters[name] = counterValues[index]
      } else {
        figures.missing[name] = Self.counterReason(counterErrors[index])
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

/// Reads fields one after the other; what lies beyond the end is 0.
struct MessageReader {
  let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func skip(_ count: Int) { position += count }

  mutating func next<Value: FixedWidthInteger & BitwiseCopyable>() -> Value {
    let size = MemoryLayout<Value>.size
    guard position + size <= bytes.count else { return 0 }
    defer { position += size }
    return unsafe bytes.withUnsafeBytes { buffer in
      unsafe buffer.loadUnaligned(fromByteOffset: position, as: Value.self)
    }
  }

  mutating func next<Value: FixedWidthInteger & BitwiseCopyable>(_ count: Int) -> [Value] {
    (0..<count).map { _ in next() }
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { position += count }
    return Array(bytes.dropFirst(position).prefix(count))
  }
}

extension CounterEvent {
  /// The order of the spawner's own table, in `spawner_counters.c`.
  static let inSpawnerOrder: [Self] = [
    .instructions, .cycles, .branches, .branchMisses, .cacheReferences, .cacheMisses, .pageFaults,
    .minorFaults, .majorFaults, .contextSwitches, .cpuMigrations, .taskClock, .cpuClock,
  ]

  /// The bit mask that asks the spawner for events, by their names.
  static func mask(of names: [String]) throws(HostError) -> UInt32 {
    var mask: UInt32 = 0
    for name in names {
      guard let event = Self(rawValue: name), let index = inSpawnerOrder.firstIndex(of: event)
      else { throw .launchRefused(.unknownCounter(name)) }
      mask |= 1 << UInt32(index)
    }
    return mask
  }
}
