@testable import LaunchCore
@testable import LaunchHost

extension DoctorCheckTests {
  private static let cpu = "sys/devices/system/cpu"
  private static let clock = "sys/devices/system/clocksource/clocksource0"

  static let processors = [
    Case("governor", .ok, "performance"),
    Case("governor", .degraded, "powersave: ", remedy: "--control governor=performance") {
      try $0.write("powersave", to: "\(cpu)/cpu0/cpufreq/scaling_governor")
    },
    Case("governor", .missing, "no cpufreq driver", remedy: "firmware") {
      try $0.remove("\(cpu)/cpu0/cpufreq")
    },
    Case("governor", .missing, "no cpufreq driver", remedy: "nothing can be done") {
      try $0.becomeVirtual()
      try $0.remove("\(cpu)/cpu0/cpufreq")
    },
    Case("boost", .ok, "off"),
    Case("boost", .degraded, "are used", remedy: "--control boost=off") {
      try $0.write("0", to: "\(cpu)/intel_pstate/no_turbo")
    },
    Case("boost", .degraded, "are used", remedy: "--control boost=off") {
      try $0.remove("\(cpu)/intel_pstate")
      try $0.write("1", to: "\(cpu)/cpufreq/boost")
    },
    Case("boost", .ok, "off") {
      try $0.remove("\(cpu)/intel_pstate")
      try $0.write("0", to: "\(cpu)/cpufreq/policy0/boost")
    },
    Case("boost", .missing, "neither reports", remedy: "turbo modes off") {
      try $0.remove("\(cpu)/intel_pstate")
    },
    Case("smt", .ok, "a core of its own"),
    Case("smt", .degraded, "share a core", remedy: "echo off | sudo tee /sys") {
      try $0.write("1", to: "\(cpu)/smt/active")
    },
    Case("cpu-count", .ok, "2, so that"),
    Case("cpu-count", .degraded, "one only", remedy: "a second processor") {
      try $0.write("processor\t: 0\nmodel name\t: x", to: "proc/cpuinfo")
    },
    Case("cpu-count", .missing, "cannot be read", remedy: "/proc") {
      try $0.remove("proc/cpuinfo")
    },
    Case("clock-source", .ok, "tsc is read"),
    Case("clock-source", .degraded, "hpet takes a system call", remedy: "echo tsc | sudo tee /sys/")
    { try $0.write("hpet", to: "\(clock)/current_clocksource") },
    Case("clock-source", .degraded, "acpi_pm", remedy: "tsc=reliable") {
      try $0.write("acpi_pm", to: "\(clock)/current_clocksource")
      try $0.write("acpi_pm", to: "\(clock)/available_clocksource")
    },
    Case("clock-source", .missing, "cannot be read") { try $0.remove(clock) },
  ]

  static let memory = [
    Case("thp", .ok, "only where a program asks"),
    Case("thp", .ok, "makes none") { try $0.remove("sys/kernel/mm/transparent_hugepage") },
    Case("thp", .ok, "never") {
      try $0.write("always madvise [never]", to: "sys/kernel/mm/transparent_hugepage/enabled")
    },
    Case("thp", .degraded, "always: ", remedy: "--control thp=madvise") {
      try $0.write("[always] madvise never", to: "sys/kernel/mm/transparent_hugepage/enabled")
    },
    Case("aslr", .ok, "a layout of its own"),
    Case("aslr", .degraded, "the heap of every launch", remedy: "kernel.randomize_va_space=2") {
      try $0.write("1", to: "proc/sys/kernel/randomize_va_space")
    },
    Case("aslr", .degraded, "randomize_va_space is 0", remedy: "sysctl kernel.randomize_va_space=2")
    { try $0.write("0", to: "proc/sys/kernel/randomize_va_space") },
    Case("aslr", .missing, "cannot be read") {
      try $0.remove("proc/sys/kernel/randomize_va_space")
    },
    Case("swap", .ok, "no area"),
    Case("swap", .ok, "one area, with nothing in it") {
      try $0.write("Filename Type Size Used\n/dev/sda3 partition 999420 0 -2", to: "proc/swaps")
    },
    Case("swap", .degraded, "2 areas with 3072 MiB", remedy: "--control swap=off") {
      try $0.write(
        "Filename Type Size Used\n/dev/sda5 partition 8388604 3145728 -2\n/a\\040b file 84 0 -3",
        to: "proc/swaps"
      )
    },
    Case("proactive-reclaim", .ok, "no agent"),
    Case("proactive-reclaim", .degraded, "DAMON reclaim drops", remedy: "proactive_reclaim=off") {
      try $0.write("Y", to: "sys/module/damon_reclaim/parameters/enabled")
    },
    Case("proactive-reclaim", .degraded, "only root can see", remedy: "sudo launchlab doctor") {
      try $0.write("1", to: "sys/kernel/mm/damon/admin/kdamonds/0/pid")
    },
  ]

  static let surroundings = [
    Case("virtual-host", .ok, "no hypervisor"),
    Case("virtual-host", .degraded, "virtual (unknown hypervisor)", remedy: "compare") {
      try $0.becomeVirtual()
    },
    Case("mains-power", .ok, "no battery"),
    Case("mains-power", .ok, "no battery") {
      try $0.write("Battery", to: "sys/class/power_supply/mouse/type")
      try $0.write("Device", to: "sys/class/power_supply/mouse/scope")
      try $0.write("Discharging", to: "sys/class/power_supply/mouse/status")
    },
    Case("mains-power", .ok, "plugged in") {
      try $0.write("Battery", to: "sys/class/power_supply/BAT0/type")
      try $0.write("Not charging", to: "sys/class/power_supply/BAT0/status")
    },
    Case("mains-power", .degraded, "on battery", remedy: "plug it in") {
      try $0.write("Battery", to: "sys/class/power_supply/BAT0/type")
      try $0.write("Discharging", to: "sys/class/power_supply/BAT0/status")
    },
    Case("load", .ok, "0.12 on 2 processors"),
    Case("load", .degraded, "1.82 on 2 processors", remedy: "`--control scheduling=fifo`") {
      try $0.write("1.82 1.20 0.97 3/402 28211", to: "proc/loadavg")
    },
    Case("load", .missing, "cannot be read") { try $0.remove("proc/loadavg") },
    Case("systemd", .ok, "does not run here"),
    Case("systemd", .ok, "services=timers") { try $0.write("", to: "run/systemd/system/README") },
    Case("systemd", .degraded, "for root only", remedy: "as root", trials: .refused) {
      try $0.write("", to: "run/systemd/system/README")
    },
    Case("nmi-watchdog", .ok, "off"),
    Case("nmi-watchdog", .degraded, "interrupts", remedy: "nmi_watchdog=off") {
      try $0.write("1", to: "proc/sys/kernel/nmi_watchdog")
    },
    Case("webhooks", .ok, "curl is installed"),
    Case("webhooks", .missing, "reaches nobody", remedy: "install curl`", trials: .refused),
    Case("mail", .ok, "sendmail is installed"),
    Case("mail", .missing, "reaches nobody", remedy: "mail server", trials: .refused),
    Case("windows", .ok, "Xvfb, weston and dbus-daemon"),
    Case(
      "windows",
      .missing,
      "not installed: Xvfb, dbus-daemon",
      remedy: "apt-get install xvfb dbus",
      trials: .refused
    ),
    Case("debug-build", .ok, "with optimisation"),
    Case("debug-build", .degraded, "without optimisation", remedy: "-c release", trials: .refused),
    Case("lab-lock", .ok, "none"),
    Case(
      "lab-lock",
      .degraded,
      "pid 4711 of ada",
      remedy: "wait",
      record: LabRecord(holder: "pid 4711 of ada")
    ), Case("leftovers", .ok, "nothing"),
    Case(
      "leftovers",
      .degraded,
      "2 runs have",
      remedy: "launchlab restore",
      record: LabRecord(leftovers: 2)
    ), Case("noise", .degraded, "not measured", remedy: "launchlab selftest"),
    Case(
      "noise",
      .ok,
      "warm 3.2 % with 50 pairs",
      record: LabRecord(noise: [.sample(effect: 0.032)])
    ),
    Case(
      "noise",
      .degraded,
      "warm 20.0 % with 50 pairs",
      remedy: "measure again",
      record: LabRecord(noise: [.sample(effect: 0.2)])
    ),
  ]
}
