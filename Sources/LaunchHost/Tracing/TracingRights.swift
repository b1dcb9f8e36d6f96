import Glibc
package import LaunchCore
import SystemPackage

/// What records the timelines of launches.
package enum TimelineCollector: String, Codable, CaseIterable, Sendable {
  /// Programs in the kernel (eBPF), which see every event.
  case bpf

  /// A tracer, which sees system calls, threads and processes.
  case ptrace

  /// The arms whose launches it records.
  package var kind: Arm.Kind { self == .bpf ? .timeline : .ptrace }
}

/// Which ways of tracing this host allows, and why not better ones.
package struct TracingRights: Hashable, Codable, Sendable {
  /// Why there are no timelines by a collector; those that work are not in it.
  private let refused: [TimelineCollector: TracingFailure]

  /// Why there are no profiles; nil when there are.
  package let profiles: TracingFailure?

  /// Whether profiles have what the kernel does for a program, too.
  package let samplesKernel: Bool

  /// What helps against profiles without the kernel.
  package static let kernelRemedy =
    "run as root, or with CAP_PERFMON, or set kernel.perf_event_paranoid to 1 or less"

  init(
    refused: [TimelineCollector: TracingFailure] = [:],
    profiles: TracingFailure?,
    samplesKernel: Bool = true
  ) {
    self.refused = refused
    self.profiles = profiles
    self.samplesKernel = samplesKernel
  }

  /// Tries all of them, in a directory of one's own.
  ///
  /// - Throws: ``HostError`` when not even that can be tried.
  package init(in directory: String) throws(HostError) {
    let directory = FilePath(directory)
    let sampling = TraceHelper.Sampling(period: .milliseconds(1), stackBytes: 8_192)
    // Yama lets only those be traced that allow it, as the spawner does.
    let spawner = try Spawner()
    defer { spawner.close() }
    let process = spawner.processID ?? getpid()
    let bpf = try Trial(of: .timeline, in: directory, on: process)
    let ptrace = try Trial(of: .tracer, in: directory, on: process)
    let profile = try Trial(of: .profiler, in: directory, on: process, sampling)
    refused = [.bpf: bpf.failure, .ptrace: ptrace.failure].compactMapValues(\.self)
    profiles = profile.failure
    samplesKernel = profile.level
  }

  /// Why a collector records no timelines; nil when it does.
  package func failure(of collector: TimelineCollector) -> TracingFailure? { refused[collector] }

  /// The best collector of timelines that works; nil when none does.
  package var best: TimelineCollector? {
    TimelineCollector.allCases.first { refused[$0] == nil }
  }

  /// Why no collector of timelines works, the best one first; empty where one does.
  package var failures: [TracingFailure] {
    best == nil ? TimelineCollector.allCases.compactMap { refused[$0] } : []
  }

  /// What a helper says when it is asked to trace.
  private struct Trial {
    var failure: TracingFailure?

    /// Whether the kernel is sampled, too.
    var level = false

    init(
      of program: EmbeddedHelper,
      in directory: FilePath,
      on process: Int32,
      _ sampling: TraceHelper.Sampling? = nil
    ) throws(HostError) {
      let helper = TraceHelper(program, in: directory)
      defer { helper.close() }
      do throws(HostError) {
        level = try helper.begin(spawner: process, sampling: sampling)
        _ = try helper.end()
      } catch .tracing(let failures) {
        failure = failures.first
      }
    }
  }
}

extension HostError {
  /// That launches cannot be traced.
  ///
  /// - Parameter failures: Why not in each way, the best way first.
  /// - Returns: An error with what helps against any of them.
  static func tracingDiagnostic(_ failures: [TracingFailure]) -> Diagnostic {
    let remedies = failures.compactMap(\.remedy)
    return Diagnostic(
      .error,
      id: "cannot-trace",
      problem: "launches cannot be traced: "
        + failures.map(\.reason).joined(separator: "; "),
      remedy: remedies.isEmpty ? nil : remedies.joined(separator: "; or ")
    )
  }
}
