import CLaunchWire
import Glibc
import LaunchCore
import SystemPackage

/// Traces launches, by a helper that writes what it sees into a file.
///
/// It follows what the spawner starts next, so that the spawner need not know of it. The helper holds
/// all that traces: whatever ends it or launchlab leaves nothing attached.
final class TraceHelper {
  private var helper: AnsweringHelper?

  /// The file that the helper writes anew for each launch.
  private let file: FilePath

  private let program: EmbeddedHelper

  /// How long an answer may take: loading the kernel's programs takes longest.
  private static let patience = Nanoseconds.seconds(30)

  /// - Parameters:
  ///   - program: The helper: `timeline`, `tracer` or `profiler`.
  ///   - directory: Where it writes; it is there.
  init(_ program: EmbeddedHelper, in directory: FilePath) {
    self.program = program
    file = directory.appending(program.name)
  }

  /// How much of a launch is sampled, for a profile.
  struct Sampling {
    /// How much processor time of a thread lies between two samples.
    var period: Nanoseconds

    /// How much of the stack a sample copies; a multiple of 8.
    var stackBytes: UInt32
  }

  /// Traces the launch that comes next.
  ///
  /// - Parameters:
  ///   - spawner: The process that will launch.
  ///   - sampling: How often a profile is sampled; nil for a timeline.
  /// - Returns: Of a profile, whether the kernel is sampled, too.
  /// - Throws: ``HostError/tracing(_:)`` when this host does not allow it.
  @discardableResult
  func begin(spawner: Int32, sampling: Sampling? = nil) throws(HostError) -> Bool {
    if helper == nil {
      helper = try AnsweringHelper(program, arguments: [file.string], patience: Self.patience)
    }
    var request = trace_request()
    request.command = TRACE_BEGIN.rawValue
    request.spawner = spawner
    request.period = UInt64(sampling?.period.count ?? 0)
    request.stack_bytes = sampling?.stackBytes ?? 0
    return try answer(to: request).level != 0
  }

  /// What a traced launch left.
  struct Trace {
    /// The file, whose content is that of this launch until the next one ends.
    let file: FilePath

    /// How many events there was no room for.
    let lost: Int

    /// How much time an event takes on this host, in nanoseconds; 0 for a profile, and where it is
    /// taken off already.
    let cost: Double

    /// How much time of the processors the helper took.
    let used: Nanoseconds
  }

  /// Stops tracing, and has what was seen written.
  ///
  /// - Returns: Where it is.
  /// - Throws: ``HostError/tracing(_:)``.
  func end() throws(HostError) -> Trace {
    var request = trace_request()
    request.command = TRACE_END.rawValue
    let answer = try answer(to: request)
    return Trace(
      file: file,
      lost: Int(clamping: answer.lost),
      cost: Double(answer.cost) / 1_000,
      used: Nanoseconds(Int64(clamping: answer.used))
    )
  }

  /// Ends the helper, and with it all that traces.
  func close() { helper = nil }

  private func answer(to request: trace_request) throws(HostError) -> trace_answer {
    let answer = try received(request)
    guard answer.error == 0 else {
      throw failure(TracingFailure.Step(answer.step), errno: answer.error)
    }
    return answer
  }

  /// The answer, whatever it says; a helper without one is given up.
  private func received(_ request: trace_request) throws(HostError) -> trace_answer {
    do throws(AnsweringHelper.Loss) {
      let bytes = try helper?.answer(to: [UInt8](of: request)) ?? []
      guard let answer: trace_answer = bytes.value() else {
        throw helper?.lose("its answer is too short") ?? .init(reason: "it has ended")
      }
      return answer
    } catch {
      helper = nil
      throw failure(.helper(reason: error.reason))
    }
  }

  private func failure(_ step: TracingFailure.Step, errno: Int32 = 0) -> HostError {
    .tracing([TracingFailure(helper: program.name, step: step, errno: errno)])
  }
}

/// Why launches cannot be traced on this host, or no more.
package struct TracingFailure: Hashable, Codable, Sendable {
  /// The helper that failed, such as `timeline`.
  package let helper: String

  package let step: Step

  package let errno: Int32

  /// What the helper failed at.
  package enum Step: Hashable, Codable, Sendable {
    /// The kernel refuses the programs, or has no type information.
    case load
    case attach
    case event
    case ring
    case file

    /// The helper itself failed; the reason is a sentence without a full stop.
    case helper(reason: String)

    init(_ step: UInt32) {
      switch trace_step(step) {
      case TRACE_STEP_LOAD: self = .load
      case TRACE_STEP_ATTACH: self = .attach
      case TRACE_STEP_EVENT: self = .event
      case TRACE_STEP_RING: self = .ring
      case TRACE_STEP_FILE: self = .file
      default: self = .helper(reason: "it did not understand the request")
      }
    }
  }

  /// Why, as a sentence without a full stop.
  package var reason: String {
    let text = errno.errorText
    return switch step {
    case .load where isByPtrace, .attach where isByPtrace: "ptrace is refused (\(text))"
    case .load where errno == ESRCH:
      "the kernel has no type information (BTF) for programs that record events"
    case .load: "the kernel does not load the programs that record events (\(text))"
    case .attach: "the kernel does not attach programs to its events (\(text))"
    case .event: "perf events are refused (\(text))"
    case .ring: "there is no memory for the events (\(text))"
    case .file: "what was recorded cannot be written (\(text))"
    case .helper(let reason): "the helper \"\(helper)\" failed: \(reason)"
    }
  }

  /// What helps against it, where something does.
  package var remedy: String? {
    switch step {
    case .load where isByPtrace, .attach where isByPtrace:
      "set kernel.yama.ptrace_scope to 1 or less, or allow ptrace in the container, as "
        + "`--cap-add SYS_PTRACE` does"
    case .load, .attach:
      "run as root, or with the capabilities CAP_BPF and CAP_PERFMON, on Linux 5.18 or newer with "
        + "CONFIG_DEBUG_INFO_BTF, and without lockdown=confidentiality"
    case .event:
      "run as root, or with `sysctl kernel.perf_event_paranoid=2` or less"
    case .ring: "raise `kernel.perf_event_mlock_kb`, or run as root"
    case .file: "free some space beside the store"
    case .helper(let reason):
      reason.contains("status 127")
        ? "install its libraries, such as with `apt-get install libelf1 zlib1g`" : nil
    }
  }

  private var isByPtrace: Bool { helper == EmbeddedHelper.tracer.name }
}
