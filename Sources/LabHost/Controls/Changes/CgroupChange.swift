import Glibc
import SystemPackage

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
