import LabModel

extension DoctorCheck {
  /// What settling and the check for disturbances watch.
  static let watching: [Self] = [
    Self("psi", "pressure of storage") { host in
      host.tree.text(at: "proc/pressure/io") != nil
        ? .ok("/proc/pressure/io tells how long tasks wait for storage")
        : .missing(
          "the kernel tells no pressure, so that `settle` does not look at storage",
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
    Self("throttling", "slowing down by heat", find: throttling),
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
    let finding = "\(count), the hottest at \(Int(hottest.rounded())) °C"
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
