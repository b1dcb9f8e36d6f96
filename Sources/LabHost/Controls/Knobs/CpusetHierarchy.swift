import SystemPackage

/// The cgroups that say which processors tasks may use.
///
/// Sources: Linux, Documentation/admin-guide/cgroup-v1/cpusets.rst and cgroup-v2.rst (Cpuset).
enum CpusetHierarchy: Hashable {
  /// The cpusets of cgroup v1, mounted at `top`.
  case first(top: String)

  /// The cgroups of v2, mounted at `top`; `isOn` says whether they have the cpuset controller.
  case second(top: String, isOn: Bool)

  /// Finds where the cpuset controller is; nil when this machine has none.
  ///
  /// - Returns: Directories relative to the root of the tree.
  init?(tree: HostTree) {
    var second: CpusetHierarchy?
    for mount in MountInfo(tree: tree).mounts {
      let top = mount.point.removingRoot().string
      if mount.type == "cgroup", mount.options.contains("cpuset") {
        self = .first(top: top)
        return
      }
      if mount.type == "cgroup2", Self.words(of: "\(top)/cgroup.controllers", tree, "cpuset") {
        let isOn = Self.words(of: "\(top)/cgroup.subtree_control", tree, "cpuset")
        second = .second(top: top, isOn: isOn)
      }
    }
    guard let second else { return nil }
    self = second
  }

  private static func words(of path: String, _ tree: HostTree, _ word: Substring) -> Bool {
    (tree.text(at: path) ?? "").split(separator: " ").contains(word)
  }
}
