import Glibc
import LaunchCore

/// One thing that doctor looks at.
struct DoctorCheck: Sendable {
  /// A stable name in kebab case.
  let id: String

  let title: String

  let find: @Sendable (HostExamination) -> Finding

  init(
    _ id: String,
    _ title: String,
    find: @escaping @Sendable (HostExamination) -> Finding
  ) {
    self.id = id
    self.title = title
    self.find = find
  }

  /// What came out of a check; findings and remedies are sentences without a full stop.
  enum Finding: Sendable {
    case ok(String)
    case degraded(String, remedy: String)
    case missing(String, remedy: String)
  }

  func capability(of host: HostExamination) -> Capability {
    switch find(host) {
    case .ok(let finding):
      Capability(id: id, title: title, status: .ok, finding: finding)
    case .degraded(let finding, let remedy):
      Capability(id: id, title: title, status: .degraded, finding: finding, remedy: remedy)
    case .missing(let finding, let remedy):
      Capability(id: id, title: title, status: .missing, finding: finding, remedy: remedy)
    }
  }
}

extension DoctorCheck {
  /// Memory, and where things lie in it.
  static let memory: [Self] = [
    Self("thp", "huge pages") { host in
      let path = "sys/kernel/mm/transparent_hugepage/enabled"
      guard let list = host.tree.text(at: path) else { return .ok("the kernel makes none") }
      return list.contains("[always]")
        ? .degraded(
          "always: whether a launch gets them depends on how memory is split just then",
          remedy: "use `--control thp=madvise`"
        ) : .ok(list.contains("[madvise]") ? "only where a program asks for them" : "never")
    },
    Self("aslr", "random addresses") { host in
      switch host.tree.text(at: "proc/sys/kernel/randomize_va_space") {
      case "2": .ok("every launch has a layout of its own")
      case nil: .missing("whether they are used cannot be read", remedy: "mount /proc")
      case let level?:
        .degraded(
          "kernel.randomize_va_space is \(level), so that "
            + (level == "1"
              ? "the heap of every launch has the same place"
              : "all launches share one layout, which may be fast or slow by chance"),
          remedy: "use `--control aslr=on`, or `sudo sysctl kernel.randomize_va_space=2`"
        )
      }
    },
    Self("swap", "swap") { host in
      let areas = SwapAreas(tree: host.tree)
      guard !areas.all.isEmpty else { return .ok("there is no area") }
      let count = areas.all.count == 1 ? "one area" : "\(areas.all.count) areas"
      guard areas.held > 0 else { return .ok("\(count), with nothing in it") }
      return .degraded(
        "\(count) with \(areas.held / 1_024) MiB, which launches may have to wait for",
        remedy: "use `--control swap=off`"
      )
    },
    Self("proactive-reclaim", "reclaim of idle pages") { host in
      let reclaim = ProactiveReclaim(tree: host.tree)
      if let agent = reclaim.description {
        return .degraded(
          "\(agent) drops idle pages, so that a warm program grows cold while it rests",
          remedy: "use `--control proactive_reclaim=off`"
        )
      }
      return reclaim.receipt.status == .observed
        ? .ok("no agent does it")
        : .degraded(
          "only root can see whether DAMON does it",
          remedy: "look with `sudo launchlab doctor`"
        )
    },
  ]
}

extension DoctorCheck {
  /// The processors and their clocks.
  static let processors: [Self] = [
    Self("governor", "CPU governor", find: governor),
    Self("boost", "turbo boost", find: boost),
    Self("smt", "two threads per core") { host in
      guard host.tree.text(at: "sys/devices/system/cpu/smt/active") == "1" else {
        return .ok("every processor is a core of its own")
      }
      return .degraded(
        "two processors share a core, and slow each other down",
        remedy: "use `echo off | sudo tee /sys/devices/system/cpu/smt/control`, or pin to one of "
          + "each two with `--control cpus=[…]` and keep the other one idle"
      )
    },
    Self("cpu-count", "number of processors") { host in
      switch host.processorCount {
      case nil: .missing("it cannot be read", remedy: "mount /proc")
      case 1:
        .degraded(
          "there is one only, which launchlab and the target share",
          remedy: "give the machine a second processor"
        )
      case let count?: .ok("\(count), so that launchlab can keep off the target's")
      }
    },
    Self("clock-source", "reading the time", find: clockSource),
  ]

  private static func governor(_ host: HostExamination) -> Finding {
    guard let governors = CPUGovernor(tree: host.tree).description else {
      return .missing(
        "there is no cpufreq driver, so that the clock cannot be held still",
        remedy: host.remedy(
          onBareMetal: "let the firmware leave the clock to the system, if it can"
        )
      )
    }
    return governors == "performance"
      ? .ok("performance")
      : .degraded(
        "\(governors): the clock follows the load, and is low when a launch begins",
        remedy: "use `--control governor=performance`"
      )
  }

  private static func boost(_ host: HostExamination) -> Finding {
    guard let present = BoostControl(isOn: false).reading(in: host.tree) else {
      return .missing(
        "the kernel neither reports nor controls it",
        remedy: host.remedy(onBareMetal: "switch turbo modes off in the firmware")
      )
    }
    return present != "off"
      ? .degraded(
        "they are used as long as the processor is cool and others are idle",
        remedy: "use `--control boost=off`"
      ) : .ok("they are off")
  }

  private static func clockSource(_ host: HostExamination) -> Finding {
    let directory = "sys/devices/system/clocksource/clocksource0"
    guard let current = host.tree.text(at: "\(directory)/current_clocksource") else {
      return .missing("the clock source cannot be read", remedy: "mount /sys")
    }
    // These are read without a system call.
    let quick = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"]
    if quick.contains(current) { return .ok("\(current) is read within tens of nanoseconds") }
    let others = host.tree.text(at: "\(directory)/available_clocksource")?.split(separator: " ")
    return .degraded(
      "\(current) takes a system call, and microseconds",
      remedy: others?.contains("tsc") == true
        ? "use `echo tsc | sudo tee /\(directory)/current_clocksource`"
        : host.remedy(onBareMetal: "boot with `tsc=reliable`")
    )
  }
}

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
    Self("hardware-counters", "hardware counters") { host in
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
    Self("explain", "explanations") { host in
      guard let rights = host.trials.tracingRights() else {
        return .missing(
          "the helpers that trace launches cannot be started",
          remedy: "see that the cache directory of this user can be written"
        )
      }
      guard let collector = rights.best else {
        return .missing(
          "launches cannot be traced, so that `explain` says nothing: "
            + rights.failures.map(\.reason).joined(separator: "; "),
          remedy: rights.failures.first?.remedy ?? host.remedy(forRoot: "try again")
        )
      }
      var limits: [(text: String, remedy: String?)] = []
      if collector == .ptrace, let failure = rights.failure(of: .bpf) {
        let text = "`explain` traces launches by ptrace, at twice their time or more"
        limits.append(("\(text): \(failure.reason)", failure.remedy))
      }
      if let failure = rights.profiles {
        let text = "launches cannot be sampled, so that `explain` names no functions"
        limits.append(("\(text): \(failure.reason)", failure.remedy))
      } else if !rights.samplesKernel {
        let text = "`explain` samples own code only, and not what the kernel does for it"
        limits.append((text, TracingRights.kernelRemedy))
      }
      if let limit = limits.first {
        return .degraded(
          limits.map(\.text).joined(separator: "; "),
          remedy: limit.remedy ?? host.remedy(forRoot: "try again")
        )
      }
      return .ok("launches can be traced and sampled, for `explain`")
    },
    Self("gate", "checks before a merge") { host in
      let collector = host.trials.tracingRights()?.best
      var missing: [(text: String, remedy: String)] = []
      if collector == nil {
        missing.append(("calls, files and processes are not counted", "see `explain` above"))
      }
      if !host.trials.hasValgrind() {
        missing.append(("instructions are not counted", "install valgrind"))
      }
      let always = "`gate` compares files and times"
      guard missing.isEmpty else {
        return .degraded(
          "\(always); \(missing.map(\.text).joined(separator: ", and "))",
          remedy: missing.map(\.remedy).joined(separator: "; ")
        )
      }
      let way = collector == .bpf ? "eBPF" : "ptrace"
      return .ok("\(always), and counts calls by \(way) and instructions by valgrind")
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
