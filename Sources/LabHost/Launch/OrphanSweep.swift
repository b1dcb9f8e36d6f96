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

  /// Kills until nothing is left, at most 100 times.
  func run() {
    for _ in 0..<100 {
      let orphans = orphans()
      for orphan in orphans { _ = kill(orphan.pid, SIGKILL) }
      if orphans.isEmpty { return }
      _ = poll(nil, 0, 1)
      for orphan in orphans { _ = waitpid(orphan.pid, nil, WNOHANG) }
    }
  }

  private func orphans() -> [ProcessStatus] {
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
