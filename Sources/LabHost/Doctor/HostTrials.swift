import CLabHost
import Foundation
import Glibc
import LabModel
import SystemPackage

/// What cannot be read of a machine, but only be tried.
///
/// Numbers are those of errno; 0 means that it works.
struct HostTrials: Sendable {
  /// The effective user id.
  var user: @Sendable () -> UInt32

  /// Whether the kernel tells what is resident of files that belong to others.
  var seesResidency: @Sendable () -> Bool

  var networkNamespace: @Sendable () -> Int32

  var tracing: @Sendable () -> Int32

  /// A software event, with the kernel's part or without.
  var softwareEvent: @Sendable (_ withKernel: Bool) -> Int32

  /// A counter of the processor, with the kernel's part or without.
  var hardwareEvent: @Sendable (_ withKernel: Bool) -> Int32

  /// Why the probe cannot be used; nil when it can.
  var probeProblem: @Sendable () -> String?

  /// Whether launchlab was built without optimisation.
  var isDebugBuild: @Sendable () -> Bool

  /// Whether a program that notifications need is installed.
  var hasProgram: @Sendable (NoticeProgram) -> Bool

  /// Those of this process, on the machine that it runs on.
  static let live = Self(
    user: { geteuid() },
    seesResidency: { PageCache().canVerify("/proc/self/exe") && PageCache().canVerify("/bin/sh") },
    networkNamespace: { -lab_try_network_namespace() },
    tracing: { -lab_try_tracing() },
    // PERF_TYPE_SOFTWARE with PERF_COUNT_SW_PAGE_FAULTS.
    softwareEvent: { -lab_try_counter(1, 2, $0 ? 1 : 0) },
    // PERF_TYPE_HARDWARE with PERF_COUNT_HW_INSTRUCTIONS.
    hardwareEvent: { -lab_try_counter(0, 1, $0 ? 1 : 0) },
    probeProblem: probeProblem,
    isDebugBuild: {
      #if DEBUG
      true
      #else
      false
      #endif
    },
    hasProgram: {
      let sender = NoticeSender(directory: "/", environment: ProcessInfo.processInfo.environment)
      return sender.path(of: $0) != nil
    }
  )

  /// Launches a program that does nothing, with the probe.
  @Sendable private static func probeProblem() -> String? {
    do throws(HostError) {
      let spawner = try Spawner()
      defer { spawner.close() }
      let probe = try StageProbe(fallback: "/tmp")
      defer { probe.remove() }
      return try probe.problem(with: spawner)
    } catch {
      return error.diagnostics.first?.problem ?? "it cannot be tried"
    }
  }
}

extension Int32 {
  /// What an error number means, such as `Operation not permitted`.
  var errorText: String { Errno(rawValue: self).description }
}
