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
