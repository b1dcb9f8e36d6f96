import Glibc

@testable import LaunchCore
@testable import LaunchHost

extension DoctorCheckTests {
  static let rights = [
    Case("root", .ok, "as root"),
    Case("root", .degraded, "as user 1000", remedy: "`sudo`", trials: .refused),
    Case("drop-caches", .ok, "can be written"),
    Case("drop-caches", .missing, "reboot-cold is refused", remedy: "--privileged") {
      try $0.remove("proc/sys/vm/drop_caches")
    },
    Case("drop-caches", .missing, "refused", remedy: "launchlab as root", trials: .refused) {
      try $0.remove("proc/sys/vm/drop_caches")
    },
    Case("page-cache", .ok, "every file"),
    Case("page-cache", .degraded, "not verified", remedy: "own the target's", trials: .refused),
    Case("cgroup", .ok, "made in /sys/fs/cgroup/user.slice (cgroup v2 mounted on /sys/fs/cgroup)"),
    Case("cgroup", .ok, "made in /run/cgroup2/user.slice (cgroup v2 mounted on /run/cgroup2)") {
      try $0.remove("sys/fs/cgroup/user.slice")
      try $0.write("1", to: "run/cgroup2/user.slice/cgroup.procs")
      try $0.write(
        """
        31 22 0:27 / /sys/fs/cgroup ro - cgroup2 cgroup2 rw
        32 22 0:27 / /run/cgroup2 rw - cgroup2 cgroup2 rw
        33 22 0:27 / /mnt/locked ro - cgroup2 cgroup2 rw
        """,
        to: "proc/self/mountinfo"
      )
    },
    Case("cgroup", .degraded, "until `launchlab restore`", remedy: "remount,rw /sys/fs/cgroup`") {
      try $0.remove("sys/fs/cgroup/user.slice")
    },
    Case("cgroup", .degraded, "daemonises", remedy: "-t cgroup2") {
      try $0.write("27 1 8:2 / / rw - ext4 /dev/sda2 rw", to: "proc/self/mountinfo")
    },
    Case("cgroup", .degraded, "daemonises", remedy: "Delegate=yes", trials: .refused) {
      try $0.remove("sys/fs/cgroup/user.slice")
    },
    Case("cpuset", .ok, "cpusets of /sys/fs/cgroup can be set"),
    Case("cpuset", .ok, "made in /sys/fs/cgroup/cpuset") {
      try $0.write(
        "36 30 0:32 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset",
        to: "proc/self/mountinfo"
      )
      try $0.write("1", to: "sys/fs/cgroup/cpuset/tasks")
    },
    Case("cpuset", .missing, "/cpuset cannot be written", remedy: "as root", trials: .refused) {
      try $0.write(
        "36 30 0:32 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset",
        to: "proc/self/mountinfo"
      )
    },
    Case("cpuset", .degraded, "is not on", remedy: "echo +cpuset | sudo tee /sys/fs") {
      try $0.write("cpu", to: "sys/fs/cgroup/cgroup.subtree_control")
    },
    Case("cpuset", .missing, "there is no cpuset", remedy: "isolcpus=") {
      try $0.write("cpu memory", to: "sys/fs/cgroup/cgroup.controllers")
    },
    Case("cpuset", .missing, "cannot be written", remedy: "as root", trials: .refused) {
      try $0.remove("sys/fs/cgroup/cgroup.subtree_control")
    },
    Case("network-namespace", .ok, "a network of its own"),
    Case(
      "network-namespace",
      .missing,
      "operation not permitted",
      remedy: "sysctl user.max_user_namespaces=15000",
      trials: .refused
    ) { try $0.write("0", to: "proc/sys/user/max_user_namespaces") },
  ]

  static let collectors = [
    Case("perf-events", .ok, "the kernel's part included"),
    Case(
      "perf-events",
      .degraded,
      "perf_event_paranoid is 2",
      remedy: "sysctl kernel.perf_event_paranoid=1",
      trials: with { $0.softwareEvent = { withKernel in withKernel ? EACCES : 0 } }
    ) { try $0.write("2", to: "proc/sys/kernel/perf_event_paranoid") },
    Case("perf-events", .missing, "stay empty", remedy: "as root", trials: .refused),
    Case("hardware-counters", .ok, "instructions and cycles"),
    Case(
      "hardware-counters",
      .missing,
      "no such file",
      remedy: "a kernel with perf events",
      trials: .refused
    ),
    Case(
      "hardware-counters",
      .missing,
      "no such file",
      remedy: "nothing can be done in this virtual machine",
      trials: .refused
    ) { try $0.becomeVirtual() },
    Case("breakpoints", .ok, "can be traced"),
    Case("breakpoints", .missing, "not permitted", remedy: "as root", trials: .refused),
    Case("breakpoints", .missing, "ptrace_scope is 3", remedy: "reboot", trials: .refused) {
      try $0.write("3", to: "proc/sys/kernel/yama/ptrace_scope")
    },
    Case("probe", .ok, "takes the probe"),
    Case("explain", .ok, "traced and sampled"),
    Case("explain", .missing, "cannot be traced", remedy: "CAP_BPF", trials: .refused),
    Case("explain", .degraded, "by ptrace", remedy: "CAP_BPF", trials: .plainUser),
    Case("gate", .ok, "by eBPF and instructions by valgrind"),
    Case("gate", .ok, "by ptrace", trials: .plainUser),
    Case("gate", .degraded, "are not counted, and instr", remedy: "valgrind", trials: .refused),
    Case("explain", .degraded, "own code only", remedy: "CAP_PERFMON", trials: .withoutKernel),
    Case("probe", .degraded, "says: no", remedy: "--collect breakpoints", trials: .refused),
  ]

  static let watching = [
    Case("psi", .ok, "/proc/pressure/io"),
    Case("psi", .missing, "no I/O pressure", remedy: "psi=1") { try $0.remove("proc/pressure/io") },
    Case("cpu-accounting", .ok, "/proc/schedstat counts it in nanoseconds"),
    Case("cpu-accounting", .ok, "cpuacct.usage_percpu") {
      try $0.write(
        "36 30 0:32 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpu,cpuacct",
        to: "proc/self/mountinfo"
      )
      try $0.write("1 2", to: "sys/fs/cgroup/cpuacct/cpuacct.usage_percpu")
    },
    Case("cpu-accounting", .degraded, "ticks of /proc/stat", remedy: "CONFIG_SCHEDSTATS") {
      try $0.remove("proc/schedstat")
    },
    Case("steal", .ok, "no hypervisor"),
    Case("steal", .ok, "none since") { try $0.becomeVirtual() },
    Case("steal", .ok, "0.5 % of the processors' time") {
      try $0.becomeVirtual()
      try $0.write("cpu  10 0 10 975 0 0 0 5 0 0", to: "proc/stat")
    },
    Case("steal", .degraded, "took 5.0 %", remedy: "--control steal=on") {
      try $0.becomeVirtual()
      try $0.write("cpu  10 0 10 930 0 0 0 50 7 0", to: "proc/stat")
    },
    Case("steal", .missing, "does not tell", remedy: "newer kernel") {
      try $0.becomeVirtual()
      try $0.write("cpu  10 0 10 930", to: "proc/stat")
    },
    Case("temperature", .ok, "one sensor, the hottest at 48 °C"),
    Case("temperature", .degraded, "2 sensors, the hottest at 91 °C", remedy: "cool") {
      try $0.write("91000", to: "sys/class/hwmon/hwmon1/temp2_input")
      try $0.write("-128000", to: "sys/class/hwmon/hwmon1/temp3_input")
    },
    Case("temperature", .missing, "no sensor", remedy: "sensors-detect") {
      try $0.remove("sys/class/thermal")
    },
    Case("throttling", .ok, "never"),
    Case("throttling", .degraded, "14 times", remedy: "boost=off") {
      let directory = "sys/devices/system/cpu/cpu0/thermal_throttle"
      try $0.write("14", to: "\(directory)/package_throttle_count")
    },
    Case("throttling", .missing, "does not count it", remedy: "boost=off") {
      try $0.remove("sys/devices/system/cpu/cpu0/thermal_throttle")
    },
  ]

  static func with(_ change: (inout HostTrials) -> Void) -> HostTrials {
    var trials = HostTrials.allowed
    change(&trials)
    return trials
  }
}
