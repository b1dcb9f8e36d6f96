import Glibc
import SystemPackage

/// A cpuset that keeps the tasks of its parent to some processors.
///
/// A task that was bound to processors by its own will, and one that the kernel does not let go,
/// stay in the parent: moving the first could not be undone on every kernel. Source: Linux,
/// Documentation/admin-guide/cgroup-v1/cpusets.rst.
struct CpusetChange {
  var directory: String
  var cpus: String
  var memoryNodes: String

  /// New tasks are born while others are moved, so it is done until none is left that can go.
  private static let rounds = 100

  func apply(in tree: HostTree) throws(ChangeFailure) {
    guard unsafe mkdir(tree.path(of: directory).string, 0o755) == 0 else {
      throw ChangeFailure("\(Errno(rawValue: errno))")
    }
    do throws(ChangeFailure) {
      try set(cpus, "cpuset.cpus", in: tree)
      try set(memoryNodes, "cpuset.mems", in: tree)
      fill(in: tree)
    } catch {
      _ = try? undo(in: tree)
      throw error
    }
  }

  func undo(in tree: HostTree) throws(ChangeFailure) -> Undoing {
    let path = tree.path(of: directory).string
    for _ in 0..<Self.rounds {
      for task in tasks(of: directory, in: tree) { try? tree.write(task, to: "\(parent)/tasks") }
      if unsafe rmdir(path) == 0 { return .restored }
      switch Errno(rawValue: errno) {
      case .noSuchFileOrDirectory: return .alreadyRestored
      // A task that has just ended holds its cpuset for a moment.
      case .resourceBusy: _ = poll(nil, 0, 1)
      case let error: throw ChangeFailure("\(error)")
      }
    }
    let count = tasks(of: directory, in: tree).count
    throw ChangeFailure("\(count) of its tasks cannot be moved back")
  }

  private func fill(in tree: HostTree) {
    let available = Self.processors(of: parent, in: tree)
    var seen: Set<String> = []
    for _ in 0..<Self.rounds {
      let new = tasks(of: parent, in: tree).filter { seen.insert($0).inserted }
      if new.isEmpty { return }
      for task in new where isFree(task, available, in: tree) {
        try? tree.write(task, to: "\(directory)/tasks")
      }
    }
  }

  /// Whether a task may run on every processor of the parent.
  private func isFree(_ task: String, _ available: Set<Int>, in tree: HostTree) -> Bool {
    TaskStatus(of: task, in: tree)?.cpus.isSuperset(of: available) ?? false
  }

  /// The processors that a cpuset has now; empty when they cannot be read.
  static func processors(of directory: String, in tree: HostTree) -> Set<Int> {
    let lists = ["cpuset.effective_cpus", "cpuset.cpus"].compactMap {
      tree.text(at: "\(directory)/\($0)").flatMap { CPUList($0)?.cpus }
    }
    return lists.first { !$0.isEmpty } ?? []
  }

  private var parent: String {
    FilePath(directory).removingLastComponent().string
  }

  private func tasks(of directory: String, in tree: HostTree) -> [String] {
    tree.text(at: "\(directory)/tasks")?.split(separator: "\n").map(String.init) ?? []
  }

  private func set(_ value: String, _ name: String, in tree: HostTree) throws(ChangeFailure) {
    do throws(Errno) {
      try tree.write(value, to: "\(directory)/\(name)")
    } catch {
      throw ChangeFailure("\(name) cannot be set to \(value): \(error)")
    }
  }
}

/// The processes that a run has launched where there is no cgroup, told by their environment.
///
/// A program that writes its title over its environment, as some servers do, is not found.
/// Source: proc_pid_environ(5).
struct MarkedProcesses {
  /// The variable that every target has in its environment.
  package static let variable = "LAUNCHLAB_RUN"

  var mark: String

  /// Kills until none is left, since they may have children meanwhile; at most 1000 times.
  func undo(in tree: HostTree) throws(ChangeFailure) -> Undoing {
    guard tree.isMachine else {
      throw ChangeFailure("the processes of a tree of files cannot be ended")
    }
    guard !mark.isEmpty else { throw ChangeFailure("the mark is empty") }
    var killed: Set<pid_t> = []
    for _ in 0..<1_000 {
      let found = found(in: tree)
      if found.isEmpty { return killed.isEmpty ? .alreadyRestored : .restored }
      for pid in found {
        _ = kill(pid, SIGKILL)
        killed.insert(pid)
      }
      _ = poll(nil, 0, 1)
    }
    let pids = found(in: tree).map(String.init).joined(separator: ", ")
    throw ChangeFailure("processes do not end: \(pids)")
  }

  /// The marked processes but this one; one that has ended has no environment any more.
  private func found(in tree: HostTree) -> [pid_t] {
    let entry = Array("\(Self.variable)=\(mark)".utf8)
    return tree.names(in: "proc").compactMap { pid_t($0) }.filter { pid in
      guard pid != getpid(), let environment = tree.bytes(at: "proc/\(pid)/environ") else {
        return false
      }
      return environment.split(separator: 0).contains { $0.elementsEqual(entry) }
    }
  }
}

/// The cgroup of a run, which ends with everything in it.
struct CgroupChange {
  var directory: String

  func undo(in tree: HostTree) throws(ChangeFailure) -> Undoing {
    let cgroup = RunCgroup(directory: tree.path(of: directory))
    guard cgroup.exists else { return .alreadyRestored }
    cgroup.kill()
    cgroup.remove()
    guard !cgroup.exists else { throw ChangeFailure("it still has processes") }
    return .restored
  }
}
