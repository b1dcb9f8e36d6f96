import Foundation
import Glibc
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

extension HostTrials {
  /// Of a process that may do everything.
  static let allowed = Self(
    user: { 0 },
    seesResidency: { true },
    networkNamespace: { 0 },
    tracing: { 0 },
    softwareEvent: { _ in 0 },
    hardwareEvent: { _ in 0 },
    probeProblem: { nil },
    tracingRights: { TracingRights(profiles: nil) },
    isDebugBuild: { false },
    hasProgram: { _ in true },
    hasValgrind: { true },
    missingForWindows: { [] }
  )

  /// Of a user who may trace processes, and nothing in the kernel.
  static var plainUser: Self {
    var trials = allowed
    let failure = TracingFailure(helper: "timeline", step: .load, errno: EPERM)
    trials.tracingRights = {
      TracingRights(refused: [.bpf: failure], profiles: nil, samplesKernel: false)
    }
    return trials
  }

  /// Of a user who may do everything but sample the kernel.
  static var withoutKernel: Self {
    var trials = allowed
    trials.tracingRights = { TracingRights(profiles: nil, samplesKernel: false) }
    return trials
  }

  /// Of a user who may do nothing.
  static let refused = Self(
    user: { 1000 },
    seesResidency: { false },
    networkNamespace: { EPERM },
    tracing: { EPERM },
    softwareEvent: { _ in EACCES },
    hardwareEvent: { _ in ENOENT },
    probeProblem: { "with the probe /bin/true says: no" },
    tracingRights: {
      TracingRights(
        refused: [
          .bpf: TracingFailure(helper: "timeline", step: .load, errno: EPERM),
          .ptrace: TracingFailure(helper: "tracer", step: .attach, errno: EPERM),
        ],
        profiles: nil
      )
    },
    isDebugBuild: { true },
    hasProgram: { _ in false },
    hasValgrind: { false },
    missingForWindows: { ["Xvfb", "dbus-daemon"] }
  )
}

extension MachineTree {
  /// Makes the machine one on which every check is content.
  func pleaseDoctor() throws {
    let files = [
      "proc/sys/vm/drop_caches": "0", "proc/loadavg": "0.12 0.20 0.17 1/612 4821",
      "proc/pressure/io": "some avg10=0.00 avg60=0.00 avg300=0.00 total=0", "proc/schedstat": "15",
      "proc/stat": "cpu  10 0 10 900 0 0 0 0 0 0", "proc/self/cgroup": "0::/user.slice",
      "proc/self/mountinfo": """
      27 1 8:2 / / rw - ext4 /dev/sda2 rw
      31 22 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw
      """, "proc/sys/kernel/randomize_va_space": "2", "proc/swaps": "Filename Type Size Used",
      "sys/fs/cgroup/cgroup.controllers": "cpuset cpu io memory",
      "sys/fs/cgroup/cgroup.subtree_control": "cpuset cpu",
      "sys/fs/cgroup/user.slice/cgroup.procs": "1",
      "sys/class/thermal/thermal_zone0/temp": "48000",
      "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance",
      "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "0",
      "sys/devices/system/cpu/intel_pstate/no_turbo": "1",
      "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
      "sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet acpi_pm",
      "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    ]
    for (path, text) in files { try write(text, to: path) }
  }

  /// Makes the machine a virtual one.
  func becomeVirtual() throws {
    try replace("fpu vme tsc", with: "fpu vme tsc hypervisor", in: "proc/cpuinfo")
  }

  func capability(
    _ id: String,
    trials: HostTrials = .allowed,
    record: LabRecord = LabRecord()
  ) throws -> Capability {
    let host = HostExamination(tree: tree, trials: trials, record: record)
    return try #require(Doctor.checks.first { $0.id == id }).capability(of: host)
  }
}

extension HostNoise {
  /// A warm selftest that sees differences from `effect` on.
  static func sample(effect: Double) -> Self {
    HostNoise(
      run: "20261121T043000Z-3fa2",
      measuredAt: Date(timeIntervalSince1970: 1_795_235_400),
      fingerprint: "f",
      command: ["/bin/sh", "-c", ":"],
      state: .warm,
      pairs: 60,
      median: 1_000_000,
      coefficientOfVariation: 0.04,
      detectable: [
        DetectableEffect(pairs: 20, effect: 2 * effect),
        DetectableEffect(pairs: 50, effect: effect),
      ],
      comparisons: 41,
      falseAlarms: 0
    )
  }
}
