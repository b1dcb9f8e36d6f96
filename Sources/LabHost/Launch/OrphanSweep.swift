import CLabHost
import Glibc

/// Kills what a lost spawner has left, where there is no cgroup to do it.
///
/// This process adopts the orphans of its spawner. A target has a session of its own, by which it
/// is told from other children of this process.
struct OrphanSweep {
  /// The path of the spawner's program: another spawner and its targets are left alone.
  let spawner: String

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
  var orphans: [ProcessStatus] {
    let children = Dictionary(grouping: ProcessStatus.all, by: \.parent)
    let session = getsid(0)
    var found: [ProcessStatus] = []
    var pending = children[getpid()] ?? []
    while let process = pending.popLast() {
      if process.session == session || isSpawner(process) { continue }
      found.append(process)
      pending.append(contentsOf: children[process.pid] ?? [])
    }
    return found
  }

  private func isSpawner(_ process: ProcessStatus) -> Bool {
    var own = stat()
    var other = stat()
    guard unsafe stat(spawner, &own) == 0,
      unsafe stat("/proc/\(process.pid)/exe", &other) == 0
    else { return false }
    return own.st_ino == other.st_ino && own.st_dev == other.st_dev
  }
}
