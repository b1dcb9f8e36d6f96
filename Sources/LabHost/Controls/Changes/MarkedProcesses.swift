import Glibc

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
