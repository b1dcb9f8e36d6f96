/// What one start of a target gave.
package struct LaunchResult: Hashable, Sendable {
  package var outcome: Outcome

  /// From the instant just before `execve` until ready; nil unless the outcome is `ready`.
  package var launch: Nanoseconds?

  /// From before `clone` to the instant just before `execve`; not part of `launch`.
  package var spawn: Nanoseconds?

  /// How far `launch` may lie above the truth because readiness is polled; 0 when it is awaited.
  package var resolution: Nanoseconds

  package var figures: Figures

  package var flags: [LaunchFlag]

  package var output: CapturedOutput

  /// What was launched and when, for collectors; not stored.
  package var trace: LaunchTrace?

  /// When the user saw what, where the launch waited for a window.
  package var windowTimes = WindowTimes()

  /// How the window looked meanwhile, on filmed launches only; it is not read back with the launch.
  package var film: Film?

  /// The Speed Index of the film.
  package var speedIndex: Nanoseconds?

  /// The windows that were seen, where the launch waited for one; not stored.
  package var windows: [SeenWindow]?

  /// What a collector saw, on collector launches only; it is concluded from at once, and not stored.
  package var observation: StageObservation?

  /// The pages that the launch had to wait for, where they were recorded; not stored.
  package var faults: MajorFaults?

  /// The programs of the launch, where they were recorded; stored with the stages.
  package var processes: [LaunchProcess]?
  /// What the processes did before their time ran out; only of launches that timed out, not stored.
  package var sight: TreeSight?

  /// The pages that came into the page cache, of cold collector launches; stored with the stages.
  package var pageIns: PageIns?

  /// What of its own files a cold launch brought in, and how much was read; judged at once, and not
  /// stored.
  package var readIn: ReadIn?

  /// What got in the way of the launch, where that is watched.
  package var disturbances: [Disturbance]

  /// What the threads of the launch did, on traced launches only; not stored.
  package var timeline: LaunchTimeline?

  /// The path of what the timeline was read from, until the next launch is traced.
  package var timelineFile: String?

  /// What was sampled of the launch, on profiled launches only; not stored.
  package var profile: ProfileRecording?

  /// The instructions of its functions, where they were counted; not stored.
  package var functions: InstructionCounts?

  /// What it asked its terminal first that was not answered; not stored.
  package var unansweredQuery: String?

  package init(
    outcome: Outcome,
    launch: Nanoseconds? = nil,
    spawn: Nanoseconds? = nil,
    resolution: Nanoseconds = .zero,
    figures: Figures = Figures(),
    flags: [LaunchFlag] = [],
    output: CapturedOutput = CapturedOutput(),
    trace: LaunchTrace? = nil,
    observation: StageObservation? = nil,
    faults: MajorFaults? = nil,
    processes: [LaunchProcess]? = nil,
    sight: TreeSight? = nil,
    pageIns: PageIns? = nil,
    readIn: ReadIn? = nil,
    disturbances: [Disturbance] = []
  ) {
    self.outcome = outcome
    self.launch = launch
    self.spawn = spawn
    self.resolution = resolution
    self.figures = figures
    self.flags = flags
    self.output = output
    self.trace = trace
    self.observation = observation
    self.faults = faults
    self.processes = processes
    self.sight = sight
    self.pageIns = pageIns
    self.readIn = readIn
    self.disturbances = disturbances
  }
}

/// The samples of a profiled launch as they were recorded; functions are named after the launches.
package struct ProfileRecording: Hashable, Codable, Sendable {
  /// The absolute path of what was recorded.
  package var path: String

  /// The instant just before `execve`, on the monotonic clock.
  package var begin: Nanoseconds

  /// When the target was ready.
  package var ready: Nanoseconds

  /// The process that was launched.
  package var process: Int32

  package init(path: String, begin: Nanoseconds, ready: Nanoseconds, process: Int32) {
    self.path = path
    self.begin = begin
    self.ready = ready
    self.process = process
  }
}

/// What was launched and when, so that what collectors saw can be laid beside it.
package struct LaunchTrace: Hashable, Sendable {
  /// The instant just before `execve`, on the monotonic clock.
  package var begin: Nanoseconds

  /// The process that was launched.
  package var process: Int32

  /// The process that said it is ready, where one said so.
  package var readyProcess: Int32?

  package init(begin: Nanoseconds, process: Int32, readyProcess: Int32? = nil) {
    self.begin = begin
    self.process = process
    self.readyProcess = readyProcess
  }
}

/// Something about a launch that a reader of its time should know.
package enum LaunchFlag: String, Codable, CaseIterable, Sendable {
  /// A pipe was full, so that the target may have waited for launchlab to read.
  case outputBlocked = "output-blocked"

  /// Processes were left when the target had exited, and were killed.
  case leftProcesses = "left-processes"

  /// The target did not stop within its grace time and was killed.
  case killed

  /// What it should do before it is stopped had not come within the time that a launch may take.
  case stoppedEarly = "stopped-early"

  /// The target had to be killed in the launch of it before, so it may have had to recover.
  case afterKill = "after-kill"

  /// Output was dropped from the middle of a stream.
  case outputTruncated = "output-truncated"

  /// The executable was another file than at the first launch of the run.
  case replaced

  /// It is the repetition of a launch that was cut off because launchlab's spawner was killed.
  case relaunched

  /// More threads wanted to run when it was ready than there were processors, under
  /// `scheduling: fifo`, where none gives way to another.
  case crowded
}

/// The first and the last bytes of each output stream.
package struct CapturedOutput: Hashable, Codable, Sendable {
  package var stdout: CapturedStream

  package var stderr: CapturedStream

  package init(stdout: CapturedStream = CapturedStream(), stderr: CapturedStream = CapturedStream())
  {
    self.stdout = stdout
    self.stderr = stderr
  }
}

/// The first and the last 64 KiB of a stream, and how much there was.
package struct CapturedStream: Hashable, Codable, Sendable {
  package static let limit = 64 * 1_024

  package var head: [UInt8]

  /// Empty unless the stream was longer than `head`.
  package var tail: [UInt8]

  package var totalBytes: Int64

  package init(head: [UInt8] = [], tail: [UInt8] = [], totalBytes: Int64 = 0) {
    self.head = head
    self.tail = tail
    self.totalBytes = totalBytes
  }
}

/// How one launch ended.
package enum Outcome: Hashable, Codable, Sendable {
  /// The target became ready in time.
  case ready

  /// The target exited before it was ready, or with a status that is not expected.
  case exited(code: Int32)

  /// A signal ended the target before it was ready.
  case signalled(signal: Int32)

  /// The target was not ready within its timeout.
  case timedOut

  /// The target could not be started at all.
  case notStarted(reason: String)
}

extension Outcome {
  /// The name used in JSON, the store and reports: the case without its values.
  package var name: String {
    switch self {
    case .ready: "ready"
    case .exited: "exited"
    case .signalled: "signalled"
    case .timedOut: "timed-out"
    case .notStarted: "not-started"
    }
  }
}

extension Outcome: CustomStringConvertible {
  /// The outcome with its values, such as `exited with status 3`.
  package var description: String {
    switch self {
    case .ready: "ready"
    case .exited(let code): "exited with status \(code)"
    case .signalled(let signal): "ended by signal \(signal)"
    case .timedOut: "timed out"
    case .notStarted(let reason): "not started: \(reason)"
    }
  }
}

/// A span of time, or an instant of the monotonic clock, in whole nanoseconds.
///
/// Sums and differences end at the largest and the smallest number, since spans are read from files too.
package struct Nanoseconds: Hashable, Comparable, Sendable {
  package let count: Int64

  package init(_ count: Int64) { self.count = count }

  package static let zero = Self(0)

  package static func seconds(_ seconds: Int64) -> Self { milliseconds(seconds).times(1_000) }

  package static func milliseconds(_ milliseconds: Int64) -> Self {
    Self(milliseconds).times(1_000_000)
  }

  package static func < (left: Self, right: Self) -> Bool { left.count < right.count }

  package static func + (left: Self, right: Self) -> Self {
    let (sum, isTooLarge) = left.count.addingReportingOverflow(right.count)
    return isTooLarge ? limit(isNegative: left.count < 0) : Self(sum)
  }

  package static func - (left: Self, right: Self) -> Self {
    let (difference, isTooLarge) = left.count.subtractingReportingOverflow(right.count)
    return isTooLarge ? limit(isNegative: left.count < 0) : Self(difference)
  }

  /// The span so many times.
  package func times(_ factor: Int64) -> Self {
    let (product, isTooLarge) = count.multipliedReportingOverflow(by: factor)
    return isTooLarge ? Self.limit(isNegative: (count < 0) != (factor < 0)) : Self(product)
  }

  private static func limit(isNegative: Bool) -> Self { Self(isNegative ? .min : .max) }
}

extension FixedWidthInteger {
  /// The nearest whole number of the type, towards zero; 0 for what is not a number.
  ///
  /// Numbers that come from a file may be any.
  package init(clamping value: Double) {
    if let whole = Self(exactly: value.rounded(.towardZero)) {
      self = whole
    } else {
      self = value > 0 ? .max : value < 0 ? .min : 0
    }
  }
}

/// Encoded as a bare integer, so that JSON fields ending in `_ns` are numbers.
extension Nanoseconds: Codable {
  package init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Int64.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(count)
  }
}
