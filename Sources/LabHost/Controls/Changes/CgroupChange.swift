import Glibc
import SystemPackage

/// The cgroup of a run, which ends with everything in it.
struct CgroupChange {
  var directory: String

  func undo(in tree: HostTree) throws(ChangeFailure) -> Undoing {
    let cgroup = RunCgroup(directory: tree.path(of: directory))
    guard cgroup.exists else { return .alreadyRestored }
    // A damaged journal must not end other processes.
    guard cgroup.isOfLaunchlab else { throw ChangeFailure("it is no cgroup of launchlab") }
    cgroup.kill()
    cgroup.remove()
    guard !cgroup.exists else { throw ChangeFailure("it still has processes") }
    return .restored
  }
}
