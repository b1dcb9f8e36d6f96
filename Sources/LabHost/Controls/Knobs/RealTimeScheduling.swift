import LabModel

/// The control `scheduling: fifo`: what it takes of the host, and which levels it uses.
///
/// Source: sched(7), Real-time group scheduling and Limiting the CPU usage of real-time processes.
enum RealTimeScheduling {
  /// That of targets: the lowest there is, below that of the kernel's own threads.
  static let level = 1

  /// That of the spawner, which a target that spins must not keep from stopping it.
  static let spawnerLevel = level + 1

  static let runtimePath = "proc/sys/kernel/sched_rt_runtime_us"
  private static let periodPath = "proc/sys/kernel/sched_rt_period_us"

  /// What targets are given.
  static let priority = LaunchPriority(policy: .fifo, level: level)

  /// Why this host must not run targets so, as a sentence without a full stop and with the remedy;
  /// nil when it can be tried.
  ///
  /// Without the throttle of the kernel a target that spins on every processor stops the machine.
  static func obstacle(in tree: HostTree) -> String? {
    guard let runtime = tree.text(at: runtimePath).flatMap({ Int($0) }) else {
      return "/\(runtimePath) cannot be read, so it is not known whether the kernel leaves other "
        + "programs any time; mount /proc, or leave `scheduling` out"
    }
    let period = tree.text(at: periodPath).flatMap { Int($0) } ?? 1_000_000
    guard runtime < 0 || runtime >= period else { return nil }
    return "the kernel does not limit real-time work here (kernel.sched_rt_runtime_us is "
      + "\(runtime)), so a target that spins could stop the machine; set it with "
      + "`sysctl kernel.sched_rt_runtime_us=950000`"
  }
}
