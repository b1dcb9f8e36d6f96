import Glibc
import LaunchCore
import SystemPackage

/// Traces the launches of a run, by a helper for each kind of arm, never by two of them at once.
///
/// The spawner does not know of it, and plain launches between traced ones run on a kernel that has
/// nothing attached.
final class LaunchTracer {
  private let helpers: [Arm.Kind: TraceHelper]
  private let directory: FilePath

  /// The profiles that were recorded so far, which name their files.
  private var count = 0

  /// How long the launches of each arm took, for those that are sampled to be no burden.
  private var lengths: [Arm: Nanoseconds] = [:]

  /// A sample costs 20 to 30 µs in a virtual machine: more of them would slow the launch down by
  /// half or more.
  private static let shortestPeriod = Nanoseconds(200_000)

  /// As many samples of a launch tell as much as more of them.
  private static let mostSamples: Int64 = 2_000

  /// Interpreters have deep stacks; what a stack does not have is not copied.
  private static let stackBytes: UInt32 = 32 << 10

  /// - Parameter directory: Where the helpers write; it is there, and private.
  init(in directory: FilePath) {
    self.directory = directory
    let timeline = TraceHelper(.timeline, in: directory)
    helpers = [
      .timeline: timeline, .auto: timeline,
      .ptrace: TraceHelper(.tracer, in: directory),
      .profile: TraceHelper(.profiler, in: directory),
    ]
  }

  /// Traces the launch of an arm, which comes next.
  ///
  /// - Throws: ``HostError/tracing(_:)``.
  func begin(_ arm: Arm, spawner: Int32) throws(HostError) {
    let length = lengths[arm] ?? .zero
    let period = max(Self.shortestPeriod, Nanoseconds(length.count / Self.mostSamples))
    let sampling = TraceHelper.Sampling(period: period, stackBytes: Self.stackBytes)
    try helpers[arm.kind]?.begin(spawner: spawner, sampling: arm.kind == .profile ? sampling : nil)
  }

  /// Adds what was traced to the result of the launch.
  ///
  /// - Throws: ``HostError/tracing(_:)``.
  func end(_ arm: Arm, _ result: inout LaunchResult) throws(HostError) {
    guard let trace = try helpers[arm.kind]?.end(), let launched = result.trace,
      let length = result.launch
    else { return }
    let ready = launched.begin + length
    if arm.kind == .profile {
      lengths[arm] = length
      result.profile = ProfileRecording(
        path: try keep(trace.file).string,
        begin: launched.begin,
        ready: ready,
        process: launched.process
      )
    } else if let bytes = HostTree().bytes(at: trace.file.string),
      let file = TimelineFile(bytes, process: launched.process)
    {
      result.timelineFile = trace.file.string
      result.timeline = LaunchTimeline(
        begin: launched.begin,
        ready: ready,
        process: launched.process,
        readyProcess: launched.readyProcess,
        events: file.events,
        lostEvents: file.lostEvents,
        eventCost: trace.cost,
        tracerTime: trace.used,
        withoutRights: file.withoutRights
      )
    }
  }

  /// Gives a file that the next launch would write over a name of its own.
  private func keep(_ file: FilePath) throws(HostError) -> FilePath {
    count += 1
    let place = directory.appending("\(file.lastComponent?.string ?? "profile")-\(count)")
    guard unsafe rename(file.string, place.string) == 0 else {
      throw .system(operation: "keep a profile", path: place.string, errno: errno)
    }
    return place
  }

  /// Ends the helpers, and with them all that traces.
  func close() {
    for helper in helpers.values { helper.close() }
  }
}
