import CLabHost
import Glibc

/// Kills what a lost spawner has left, where there is no cgroup to do it.
///
/// This process adopts the orphans of its spawner. A target has a session of its own, by which it
/// is told from other children of this process.
struct OrphanSweep {
  /// Makes this process adopt orphans from now on.
  static func prepare() { _ = lab_adopt_orphans() }

  /// Kills until nothing is left, for which it waits up to two seconds.
  func run() {
    // One that waits for its parent may have threads that still hold its files.
    var killed: Set<pid_t> = []
    for _ in 0..<2_000 {
      let orphans = orphans
      for orphan in orphans { _ = kill(orphan.pid, SIGKILL) }
      killed.formUnion(orphans.map(\.pid))
      if orphans.isEmpty, killed.isEmpty { return }
      _ = poll(nil, 0, 1)
      killed = killed.filter { waitpid($0, nil, WNOHANG) == 0 }
    }
  }

  /// What is left of launches, living or not, but for processes that only wait for their parent.
  ///
  /// Other spawners of this process and their targets are left alone. What has the spawner's program
  /// otherwise is a target that it was about to execute.
  var orphans: [ProcessStatus] {
    // No spawner is between its start and being known meanwhile.
    ForcedEnd.changing { found }
  }

  private var found: [ProcessStatus] {
    let children = Dictionary(grouping: ProcessStatus.all, by: \.parent)
    let session = getsid(0)
    var found: [ProcessStatus] = []
    var pending = children[getpid()] ?? []
    while let process = pending.popLast() {
      if process.session == session || ForcedEnd.isSpawner(process.pid) { continue }
      found.append(process)
      pending.append(contentsOf: children[process.pid] ?? [])
    }
    return found
  }
}
