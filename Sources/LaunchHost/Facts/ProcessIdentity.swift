import CLabHost
import CLaunchWire
package import Glibc
import LaunchCore
import SystemPackage

/// A process, told from a later one that was given the same id by when it started.
///
/// Its description, `<pid>-<start>`, is part of the names of what the process leaves behind.
package struct ProcessIdentity: Hashable, Sendable, CustomStringConvertible {
  package let pid: Int

  /// Field 22 of `/proc/PID/stat`, in clock ticks after the boot; proc_pid_stat(5).
  let start: UInt64

  /// Reads the identity of a living process; nil when there is none.
  package init?(ofLiving pid: Int, tree: HostTree = HostTree()) {
    guard let text = tree.text(at: "proc/\(pid)/stat"), let comm = text.lastIndex(of: ")"),
      let start = text[comm...].split(separator: " ").dropFirst(20).first.flatMap({ UInt64($0) })
    else { return nil }
    self.pid = pid
    self.start = start
  }

  /// Reads a description.
  package init?(_ description: some StringProtocol) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let pid = Int(parts[0]), let start = UInt64(parts[1]) else {
      return nil
    }
    self.pid = pid
    self.start = start
  }

  private init(pid: Int, start: UInt64) {
    self.pid = pid
    self.start = start
  }

  /// This process.
  package static let current =
    ProcessIdentity(ofLiving: Int(getpid())) ?? ProcessIdentity(pid: Int(getpid()), start: 0)

  /// Whether this very process still runs; one that only waits for its parent has ended.
  var isAlive: Bool {
    ProcessIdentity(ofLiving: pid) == self && ProcessStatus(of: pid_t(pid)) != nil
  }

  package var description: String { "\(pid)-\(start)" }
}

/// One living process, as far as `/proc/PID/stat` is needed; proc_pid_stat(5).
package struct ProcessStatus {
  package var pid: pid_t
  var parent: pid_t
  package var session: pid_t

  /// Reads the status of a process; nil when there is none, or it only waits for its parent.
  init?(of pid: pid_t) {
    guard let line = HostTree().text(at: "proc/\(pid)/stat"),
      let nameEnd = line.lastIndex(of: ")")
    else { return nil }
    let fields = Array(line[nameEnd...].split(separator: " ").dropFirst().prefix(4))
    guard fields.count == 4, fields[0] != "Z", fields[0] != "X", let parent = pid_t(fields[1]),
      let session = pid_t(fields[3])
    else { return nil }
    self.pid = pid
    self.parent = parent
    self.session = session
  }

  /// Every process that may be seen.
  package static var all: [Self] {
    HostTree().names(in: "proc").compactMap { pid_t($0) }.compactMap(Self.init(of:))
  }
}

/// What the kernel tells of one task.
///
/// Source: proc_pid_status(5).
struct TaskStatus {
  let name: String

  /// The processors that it may run on.
  let cpus: Set<Int>

  /// Whether it has memory of its own, which threads of the kernel have not.
  let isOfProgram: Bool

  /// Reads the status of a process or thread; nil when there is none.
  init?(of task: String, in tree: HostTree) {
    let lines = tree.text(at: "proc/\(task)/status")?.split(separator: "\n") ?? []
    func value(_ name: String) -> String? {
      lines.first { $0.hasPrefix("\(name):") }?.dropFirst(name.count + 1).trimmed
    }
    guard let name = value("Name"), let cpus = value("Cpus_allowed_list").flatMap({ CPUList($0) })
    else { return nil }
    self.name = name
    self.cpus = cpus.cpus
    isOfProgram = value("VmSize") != nil
  }
}

/// On which processors the threads of this process run; sched_setaffinity(2).
///
/// Processors from 1,024 on are not known to launchlab.
package enum ProcessAffinity {
  /// How many processors there can be, in whole words of the mask.
  static let limit = CPU_WORDS * 64

  /// The processors that the calling thread may run on now, ascending; empty when they cannot be
  /// read.
  package static func allowed() -> [Int] {
    var mask = [UInt8](repeating: 0, count: limit / 8)
    guard unsafe lab_get_affinity(0, &mask, UInt(mask.count)) == 0 else { return [] }
    return cpus(of: mask)
  }

  /// The processors that a process may be put on, ascending: those that are on, and in its cpuset.
  ///
  /// They may be more than ``allowed()``. Only a trial tells, for which the calling thread may run
  /// on all of them for an instant.
  package static func available() -> [Int] {
    let before = allowed()
    guard set(0, to: Array(0..<limit)) == 0 else { return before }
    defer { _ = set(0, to: before) }
    return allowed()
  }

  /// Keeps every thread of this process, and those they start from now on, on some processors.
  ///
  /// - Returns: 0, or the errno of the first thread that could not be moved; EINVAL when none of
  ///   the processors is there or allowed.
  package static func pin(to cpus: [Int]) -> Int32 {
    var pinned: Set<Int32> = []
    // A thread that was started meanwhile may still have the old processors.
    while true {
      let threads = HostTree().names(in: "proc/self/task").compactMap { Int32($0) }
      let rest = threads.filter { !pinned.contains($0) }
      if rest.isEmpty { return pinned.isEmpty ? ENOENT : 0 }
      for thread in rest {
        let errno = set(thread, to: cpus)
        guard errno == 0 || errno == ESRCH else { return errno }
        pinned.insert(thread)
      }
    }
  }

  private static func set(_ thread: Int32, to cpus: [Int]) -> Int32 {
    var mask = [UInt8](repeating: 0, count: limit / 8)
    for cpu in cpus where (0..<limit).contains(cpu) { mask[cpu / 8] |= 1 << UInt8(cpu % 8) }
    return unsafe -lab_set_affinity(thread, mask, UInt(mask.count))
  }

  private static func cpus(of mask: [UInt8]) -> [Int] {
    (0..<mask.count * 8).filter { mask[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
  }
}

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

/// What executing a file gives or takes.
enum ProcessPrivileges {
  /// Why a program must not be traced; nil when tracing changes nothing for it.
  ///
  /// A traced program does not get the privileges of its file, unless its tracer has them too;
  /// execve(2) and ptrace(2).
  static func refusalToTrace(_ path: String, mayTraceAll: Bool = mayTraceAll) -> String? {
    guard !mayTraceAll, let privilege = privilege(of: path) else { return nil }
    return "\(path) \(privilege), and would lose that while it is watched by a user without "
      + "CAP_SYS_PTRACE, so that nothing of its start is seen"
  }

  /// What more a program may do than who starts it, such as `is setuid`; nil when nothing.
  private static func privilege(of path: String) -> String? {
    // It may be allowed to execute a file that may not be read, such as sudo.
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    if status.st_mode & S_ISUID != 0, status.st_uid != geteuid() { return "is setuid" }
    if status.st_mode & S_ISGID != 0, status.st_mode & S_IXGRP != 0 { return "is setgid" }
    guard let file = try? OpenFile(reading: FilePath(path)) else { return nil }
    let length = unsafe lab_get_attribute(file.descriptor, "security.capability", nil, 0)
    return length > 0 ? "has file capabilities" : nil
  }

  /// Bit 19 of the effective set, by capabilities(7).
  static let mayTraceAll: Bool = {
    let line = (HostTree().text(at: "proc/self/status") ?? "").split(separator: "\n")
      .first { $0.hasPrefix("CapEff:") }
    let bits = line?.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) }
    return (bits ?? 0) & 1 << 19 != 0
  }()
}
