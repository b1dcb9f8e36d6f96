import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

/// Cgroups that are mounted at several places, as where a chroot has a bind mount of `/sys`.
@Suite(.temporaryDirectory) struct CgroupPlacesTests {
  private func tree(_ mounts: [String], cgroup: String = "0::/user.slice") throws -> HostTree {
    let root = TemporaryDirectory.path
    try TestMachine.shell(
      """
      mkdir -p proc/self
      for top in sys/fs/cgroup srv/chroot/sys/fs/cgroup; do
        mkdir -p $top/user.slice $top/cpuset
        echo cpuset cpu > $top/cgroup.controllers; echo cpuset > $top/cgroup.subtree_control
      done
      """,
      in: root
    )
    for (name, text) in [("mountinfo", mounts.joined(separator: "\n")), ("cgroup", cgroup)] {
      try Data("\(text)\n".utf8).write(to: URL(filePath: "\(root)/proc/self/\(name)"))
    }
    return HostTree(root: FilePath(root))
  }

  private static let second = [
    "31 22 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
    "45 44 0:27 / /srv/chroot/sys/fs/cgroup rw - cgroup2 cgroup2 rw",
  ]

  private static let first = [
    "32 31 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset",
    "46 45 0:28 / /srv/chroot/sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset",
  ]

  @Test(arguments: [second, second.reversed()])
  func `takes the cgroups of this system, not those of a chroot`(mounts: [String]) throws {
    for cgroup in ["0::/user.slice", "0::/../elsewhere", ""] {
      let tree = try tree(mounts, cgroup: cgroup)
      #expect(CgroupPlaces(tree: tree).unified == "/sys/fs/cgroup")
      #expect(CpusetHierarchy(tree: tree) == .second(top: "sys/fs/cgroup", isOn: true))
    }
  }

  @Test(arguments: [first, first.reversed()])
  func `takes the cpusets of this system, not those of a chroot`(mounts: [String]) throws {
    let tree = try tree(mounts)
    #expect(CgroupPlaces(tree: tree).legacy("cpuset") == "/sys/fs/cgroup/cpuset")
    #expect(CpusetHierarchy(tree: tree) == .first(top: "sys/fs/cgroup/cpuset"))
  }

  @Test func `passes over a mount that is hidden`() throws {
    let tree = try tree(Self.first)
    try TestMachine.shell("rm -r sys/fs/cgroup/cpuset", in: TemporaryDirectory.path)
    #expect(CgroupPlaces(tree: tree).legacy("cpuset") == "/srv/chroot/sys/fs/cgroup/cpuset")
  }
}
