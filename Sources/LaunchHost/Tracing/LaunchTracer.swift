import Glibc
import LaunchCore
import SystemPackage

/// Traces the launches of a run: timelines by one helper, profiles by another, never both at once.
///
/// The spawner does not know of it, and plain launches between traced ones run on a kernel that has
/// nothing attached.
final class LaunchTracer {
  private let timelines: TraceHelper
  private let profiles: TraceHelper
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
    timelines = TraceHelper(.timeline, in: directory)
    profiles = TraceHelper(.profiler, in: directory)
  }

  /// Traces the launch of an arm, which comes next.
  ///
  /// - Throws: ``HostError/tracing(_:)``.
  func begin(_ arm: Arm, spawner: Int32) throws(HostError) {
    guard arm.kind == .profile else { return try timelines.begin(spawner: spawner) }
    let length = lengths[arm] ?? .zero
    let period = max(Self.shortestPeriod, Nanoseconds(length.count / Self.mostSamples))
    try profiles.begin(
      spawner: spawner,
      sampling: TraceHelper.Sampling(period: period, stackBytes: Self.stackBytes)
    )
  }

  /// Adds what was traced to the result of the launch.
  ///
  /// - Throws: ``HostError/tracing(_:)``.
  func end(_ arm: Arm, _ result: inout LaunchResult) throws(HostError) {
    let trace = try (arm.kind == .profile ? profiles : timelines).end()
    guard let launched = result.trace, let length = result.launch else { return }
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
      result.timeline = LaunchTimeline(
        begin: launched.begin,
        ready: ready,
        process: launched.process,
        readyProcess: launched.readyProcess,
        events: file.events,
        lostEvents: file.lostEvents,
        eventCost: trace.cost
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
    timelines.close()
    profiles.close()
  }
}

/// Which ways of tracing this host allows.
package struct TracingRights: Sendable {
  /// Why there are no timelines; nil when there are.
  package let timelines: TracingFailure?

  /// Why there are no profiles; nil when there are.
  package let profiles: TracingFailure?

  init(timelines: TracingFailure?, profiles: TracingFailure?) {
    self.timelines = timelines
    self.profiles = profiles
  }

  /// Tries both, in a directory of one's own.
  ///
  /// - Throws: ``HostError`` when not even that can be tried.
  package init(in directory: String) throws(HostError) {
    timelines = try Self.failure(of: .timeline, in: FilePath(directory), sampling: nil)
    profiles = try Self.failure(
      of: .profiler,
      in: FilePath(directory),
      sampling: TraceHelper.Sampling(period: .milliseconds(1), stackBytes: 8_192)
    )
  }

  private static func failure(
    of program: EmbeddedHelper,
    in directory: FilePath,
    sampling: TraceHelper.Sampling?
  ) throws(HostError) -> TracingFailure? {
    let helper = TraceHelper(program, in: directory)
    defer { helper.close() }
    do throws(HostError) {
      try helper.begin(spawner: getpid(), sampling: sampling)
      _ = try helper.end()
      return nil
    } catch .tracing(let failure) {
      return failure
    }
  }
}
