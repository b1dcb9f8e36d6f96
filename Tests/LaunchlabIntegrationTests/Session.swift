import Foundation
import Glibc
import Testing

/// A launchlab that runs, or has ended, with what it may leave behind.
struct Session {
  let tool: RunningTool
  let directory: String

  var pid: pid_t { tool.process.processIdentifier }

  func send(_ signal: Int32) { _ = kill(pid, signal) }

  /// Waits for the end; one that does not come within two minutes fails the test.
  func finish(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Tool.Output {
    let hasEnded = try await eventually(within: .seconds(120)) { !tool.process.isRunning }
    if !hasEnded {
      Issue.record("launchlab did not end", sourceLocation: sourceLocation)
      send(SIGKILL)
    }
    return tool.finish()
  }

  /// The spawner of this launchlab, once there is one.
  var spawner: pid_t? {
    ProcessTable.ids.first {
      ProcessTable.parent(of: $0) == pid && ProcessTable.commandLine(of: $0).contains("/spawner\0")
    }
  }

  // MARK: - Leftovers

  /// What is left of this session: processes, private directories and cgroups.
  var leftovers: [String] {
    processes + socketDirectories + workDirectories + scratchDirectories + probeDirectories
      + cgroups
  }

  /// Launchlab itself, its spawner, and everything that inherited the mark of the test.
  var processes: [String] {
    let mark = "\(Launchlab.mark)=\(directory)"
    return ProcessTable.ids.filter {
      ProcessTable.environment(of: $0).contains(mark)
        || ProcessTable.commandLine(of: $0).contains("/launchlab-\(pid)-")
    }
    .map { "process \($0): \(ProcessTable.commandLine(of: $0))" }
  }

  private var socketDirectories: [String] { entries(of: "/tmp", prefix: "launchlab-\(pid)-") }

  /// Where the probe and the file of events are, in memory.
  var probeDirectories: [String] { entries(of: "/dev/shm", prefix: "launchlab-probe-\(pid)-") }

  /// Private directories of launches that are not stored, in the cache of the user.
  var scratchDirectories: [String] {
    let environment = ProcessInfo.processInfo.environment
    let cache = environment["XDG_CACHE_HOME"] ?? "\(environment["HOME"] ?? "/root")/.cache"
    return entries(of: "\(cache)/launchlab/scratch/work", prefix: "launchlab-\(pid)-")
  }

  private var workDirectories: [String] {
    entries(of: "\(directory)/.launchlab/work", prefix: "launchlab-\(pid)-")
  }

  private var cgroups: [String] {
    let parents = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/cpuset"]
    return parents.flatMap { entries(of: $0, prefix: "launchlab-\(pid)-") }
  }

  private func entries(of parent: String, prefix: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    return names.filter { $0.hasPrefix(prefix) }.map { "\(parent)/\($0)" }
  }
}

/// The processes of the machine, as proc(5) shows them; one that is gone has empty texts.
enum ProcessTable {
  static var ids: [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }
  }

  static func commandLine(of pid: pid_t) -> String { text(pid, "cmdline") }

  static func environment(of pid: pid_t) -> String { text(pid, "environ") }

  static func parent(of pid: pid_t) -> pid_t? {
    let line = text(pid, "status").split(separator: "\n").first { $0.hasPrefix("PPid:") }
    return line?.split(separator: "\t").last.flatMap { pid_t($0) }
  }

  /// The paths of the open files of a process.
  static func openFiles(of pid: pid_t) -> [String] {
    let files = FileManager.default
    let names = (try? files.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []
    return names.compactMap {
      try? files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)")
    }
  }

  private static func text(_ pid: pid_t, _ name: String) -> String {
    let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/\(name)") ?? Data()
    return String(decoding: bytes, as: UTF8.self)
  }
}
