import LabModel

extension DoctorCheck {
  /// The processors and their clocks.
  static let processors: [Self] = [
    Self("governor", "governor of the clock", find: governor),
    Self("boost", "clocks above the base clock", find: boost),
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
        "the kernel does not tell whether they are used, nor can it change that",
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
