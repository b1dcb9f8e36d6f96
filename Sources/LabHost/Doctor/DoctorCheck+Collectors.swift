import Glibc

extension DoctorCheck {
  /// What counters and stages need.
  static let collectors: [Self] = [
    Self("perf-events", "perf events") { host in
      events(
        host,
        named: "software events",
        isKernelSeen: host.trials.softwareEvent(true),
        isSeen: host.trials.softwareEvent(false)
      )
    },
    Self("hardware-counters", "counters of the processor") { host in
      events(
        host,
        named: "instructions and cycles",
        isKernelSeen: host.trials.hardwareEvent(true),
        isSeen: host.trials.hardwareEvent(false)
      )
    },
    Self("breakpoints", "breakpoints") { host in
      let code = host.trials.tracing()
      if code == 0 { return .ok("launched programs can be traced, for `--collect breakpoints`") }
      let scope = host.tree.text(at: "proc/sys/kernel/yama/ptrace_scope")
      let yama = scope.flatMap { Int($0) ?? 0 > 1 ? $0 : nil }
      return .missing(
        "no program can be traced (\(code.errorText)\(yama.map { "; ptrace_scope is \($0)" } ?? ""))"
          + ", so that stages cannot be seen by breakpoints",
        remedy: yama == "3"
          ? "set kernel.yama.ptrace_scope to 1 in /etc/sysctl.d and reboot"
          : host.remedy(forRoot: "allow ptrace in the container, as `--cap-add SYS_PTRACE` does")
      )
    },
    Self("probe", "the probe") { host in
      guard let problem = host.trials.probeProblem() else {
        return .ok("the loader of this system takes the probe")
      }
      return .degraded(
        "the probe cannot be used: \(problem)",
        remedy: "see stages by `--collect breakpoints`"
      )
    },
  ]

  private static func events(
    _ host: HostExamination,
    named name: String,
    isKernelSeen kernel: Int32,
    isSeen user: Int32
  ) -> Finding {
    let needed = "so that `counters` stay empty"
    if kernel == 0 { return .ok("\(name) can be counted, the kernel's part included") }
    let level = host.tree.text(at: "proc/sys/kernel/perf_event_paranoid") ?? "?"
    if user == 0 {
      return .degraded(
        "\(name) can be counted without the kernel's part only: perf_event_paranoid is \(level)",
        remedy: "allow it with `sudo sysctl kernel.perf_event_paranoid=1`"
      )
    }
    if user == EACCES || user == EPERM {
      return .missing(
        "\(name) cannot be counted (perf_event_paranoid is \(level)), \(needed)",
        remedy: host.remedy(forRoot: "allow perf_event_open in the container's seccomp profile")
          + (host.isRoot ? "" : ", or use `sudo sysctl kernel.perf_event_paranoid=1`")
      )
    }
    return .missing(
      "\(name) cannot be counted (\(user.errorText)), \(needed)",
      remedy: host.remedy(onBareMetal: "use a kernel with perf events for this processor")
    )
  }
}
