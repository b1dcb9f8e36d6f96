import LaunchCore

extension DoctorCheck {
  /// What else is there beside the launches.
  static let surroundings: [Self] = [
    Self("virtual-host", "real hardware") { host in
      guard let hypervisor = host.hypervisor else { return .ok("no hypervisor below") }
      return .degraded(
        "this machine is virtual (\(hypervisor)): its host may still cache the blocks that a cold "
          + "launch reads, and share the processors with others",
        remedy: "compare its numbers only with others from this machine"
      )
    },
    Self("mains-power", "mains power", find: mainsPower),
    Self("load", "load") { host in
      let load = (host.tree.text(at: "proc/loadavg") ?? "").split(separator: " ").first
        .flatMap { Double($0) }
      guard let load else { return .missing("it cannot be read", remedy: "mount /proc") }
      let count = host.processorCount ?? 1
      let processors = count == 1 ? "one processor" : "\(count) processors"
      return load <= Double(count) / 2
        ? .ok("\(load) on \(processors)")
        : .degraded(
          "\(load) on \(processors): machine busy",
          remedy: host.isRoot
            ? "stop other processes (see `top`), or use `--control scheduling=fifo`, which runs "
              + "launches before them"
            : "stop other processes (see `top`), or use `--control 'settle={cpu_idle: 90%}'`"
        )
    },
    Self("systemd", "timers and services") { host in
      guard host.tree.exists(at: "run/systemd/system") else {
        return .ok("systemd does not run here, so that there is none to stop")
      }
      return host.isRoot
        ? .ok("systemd can stop them during a run, by `--control services=timers`")
        : .degraded(
          "systemd stops them for root only",
          remedy: "run launchlab as root, with `--control services=timers`"
        )
    },
    Self("nmi-watchdog", "the NMI watchdog") { host in
      host.tree.text(at: "proc/sys/kernel/nmi_watchdog") == "1"
        ? .degraded(
          "it interrupts every processor, and takes one of its counters",
          remedy: "use `--control nmi_watchdog=off`"
        ) : .ok("it is off")
    },
    Self("webhooks", "notification by webhook") {
      program(.curl, for: "`notify: webhook`", on: $0)
    },
    Self("mail", "notification by mail") {
      program(.sendmail, for: "`notify: email`", on: $0)
    },
    Self("windows", "programs with windows") { host in
      let missing = host.trials.missingForWindows()
      return missing.isEmpty
        ? .ok("Xvfb, weston and dbus-daemon are installed")
        : .missing(
          "not installed: \(missing.joined(separator: ", "))",
          remedy: DisplayProblem.remedy(forMissing: missing)
        )
    },
    Self("debug-build", "launchlab itself") { host in
      host.trials.isDebugBuild()
        ? .degraded(
          "built without optimisation: slower between launches",
          remedy: "build it with `swift build -c release`"
        ) : .ok("built with optimisation")
    },
    Self("lab-lock", "other runs") { host in
      host.record.holder.map {
        .degraded("one is going on: \($0)", remedy: "wait until it has ended")
      } ?? .ok("none is going on")
    },
    Self("leftovers", "leftovers of killed runs") { host in
      let count = host.record.leftovers
      guard count > 0 else { return .ok("nothing") }
      return .degraded(
        "\(count == 1 ? "one run has" : "\(count) runs have") not restored what they changed",
        remedy: "restore it with `launchlab restore`"
      )
    },
    Self("noise", "noise of this host", find: noise),
  ]

  private static func program(
    _ program: NoticeProgram,
    for way: String,
    on host: HostExamination
  ) -> Finding {
    host.trials.hasProgram(program)
      ? .ok("\(program.rawValue) is installed, for \(way)")
      : .missing(
        "\(program.rawValue) is not installed, so that \(way) reaches nobody",
        remedy: program.remedy
      )
  }

  private static func mainsPower(_ host: HostExamination) -> Finding {
    let directory = "sys/class/power_supply"
    let supplies = host.tree.names(in: directory).map { "\(directory)/\($0)" }
    let batteries = supplies.filter {
      // A mouse has a battery too.
      host.tree.text(at: "\($0)/type") == "Battery" && host.tree.text(at: "\($0)/scope") != "Device"
    }
    let isDischarging = batteries.contains { host.tree.text(at: "\($0)/status") == "Discharging" }
    if isDischarging {
      return .degraded("running on battery lowers clocks", remedy: "plug it in")
    }
    return .ok(batteries.isEmpty ? "it has no battery" : "it is plugged in")
  }

  private static func noise(_ host: HostExamination) -> Finding {
    let known = host.record.noise.compactMap { noise -> (phrase: String, effect: Double)? in
      guard let effect = noise.detectable.last else { return nil }
      let percent = (effect.effect * 1_000).rounded() / 10
      let command = noise.command.joined(separator: " ")
      let phrase =
        "\(noise.state.rawValue) \(percent) % with \(effect.pairs) pairs of \"\(command)\""
      return (phrase, effect.effect)
    }
    guard let worst = known.map(\.effect).max() else {
      return .degraded(
        "not measured yet: noise floor unknown",
        remedy: "measure it with `launchlab selftest`"
      )
    }
    let finding = "differences are seen from: \(known.map(\.phrase).joined(separator: ", "))"
    return worst <= 0.1
      ? .ok(finding)
      : .degraded(
        finding,
        remedy: "fix what is listed here, and measure again with `launchlab selftest`"
      )
  }
}

extension DoctorCheck {
  /// What settling and the check for disturbances watch.
  static let watching: [Self] = [
    Self("psi", "pressure of storage") { host in
      host.tree.text(at: "proc/pressure/io") != nil
        ? .ok("/proc/pressure/io reports how long tasks wait for storage")
        : .missing(
          "the kernel reports no I/O pressure, so `settle` ignores storage",
          remedy: "boot with `psi=1`, or use a kernel with CONFIG_PSI"
        )
    },
    Self("cpu-accounting", "others' use of processors") { host in
      let legacy = CgroupPlaces(tree: host.tree).legacy("cpuacct").map {
        "\($0)/cpuacct.usage_percpu"
      }
      let precise = [legacy, "/proc/schedstat"].compactMap(\.self)
        .first { host.tree.text(at: $0) != nil }
      if let precise { return .ok("\(precise) counts it in nanoseconds") }
      return .degraded(
        "it is counted in ticks of /proc/stat only, so that little of it is seen in short launches",
        remedy: "use a kernel with CONFIG_SCHEDSTATS, or mount the controller cpuacct of cgroup v1"
      )
    },
    Self("steal", "stolen time", find: steal),
    Self("temperature", "temperature", find: temperature),
    Self("throttling", "thermal throttling", find: throttling),
  ]

  private static func steal(_ host: HostExamination) -> Finding {
    guard host.hypervisor != nil else { return .ok("no hypervisor can steal time") }
    let line = host.tree.text(at: "proc/stat")?.split(separator: "\n").first ?? ""
    let ticks = line.split(separator: " ").dropFirst().compactMap { Double($0) }
    guard ticks.count >= 8 else {
      return .missing(
        "the kernel does not tell stolen time, so that `steal` cannot see it",
        remedy: "use a newer kernel"
      )
    }
    // Time of guests is part of user time.
    let share = ticks[7] / max(1, ticks.prefix(8).reduce(0, +))
    if share == 0 { return .ok("none since the machine started, or the hypervisor hides it") }
    let percent = "\((share * 1_000).rounded() / 10) %"
    return share < 0.01
      ? .ok("\(percent) of the processors' time since the machine started")
      : .degraded(
        "the hypervisor took \(percent) of the processors' time since the machine started",
        remedy: "give this virtual machine processors of its own, or use `--control steal=on`"
      )
  }

  private static func temperature(_ host: HostExamination) -> Finding {
    let sensors = TemperatureSensors(tree: host.tree).degrees
    guard let hottest = sensors.max() else {
      return .missing(
        "there is no sensor, so that `settle` cannot wait for the machine to cool",
        remedy: host.remedy(onBareMetal: "load its driver, which `sensors-detect` finds")
      )
    }
    let count = sensors.count == 1 ? "one sensor" : "\(sensors.count) sensors"
    let finding = "\(count), the hottest at \(Int(clamping: hottest.rounded())) °C"
    return hottest < 80
      ? .ok(finding)
      : .degraded(
        finding,
        remedy: "let the machine cool, or use `--control 'settle={temperature: 70}'`"
      )
  }

  private static func throttling(_ host: HostExamination) -> Finding {
    let counts = host.processors.flatMap { processor in
      ["core", "package"].compactMap {
        host.tree.text(at: "\(processor)/thermal_throttle/\($0)_throttle_count")
      }
    }
    .compactMap { Int($0) }
    guard let most = counts.max() else {
      return .missing(
        "the processor does not count it, so that `steal` cannot see it",
        remedy: host.remedy(onBareMetal: "hold the clock still with `--control boost=off`")
      )
    }
    return most == 0
      ? .ok("never since the machine started")
      : .degraded(
        "\(most) times since the machine started",
        remedy: "cool the machine better, or use `--control boost=off`"
      )
  }
}
