import SystemPackage

/// Where the control groups of a machine are.
///
/// Source: the kernel's admin-guide/cgroup-v2.rst and cgroup-v1/cpusets.rst.
struct CgroupPlaces {
  private let tree: HostTree
  private let mounts: [Mount]

  init(tree: HostTree) {
    self.tree = tree
    mounts = MountInfo(tree: tree).mounts
  }

  /// Where the cgroup v2 that launchlab uses is mounted, or the last one where none of them shows
  /// its own cgroup; nil where there is no cgroup v2.
  var unified: String? {
    ownAndTop?.top.string ?? mounts.last { $0.type == "cgroup2" }?.point.string
  }

  /// The directory of this process's own cgroup v2; nil where it cannot be seen.
  var own: String? { ownAndTop?.own.string }

  /// The directories of this process's own cgroup v2 and of the topmost one that is seen.
  ///
  /// Of several mounts that show them the first one counts that can be written to.
  var ownAndTop: (own: FilePath, top: FilePath)? {
    let memberships = tree.text(at: "proc/self/cgroup")?.split(separator: "\n") ?? []
    guard let own = memberships.first(where: { $0.hasPrefix("0::") })?.dropFirst(3) else {
      return nil
    }
    let places = mounts.filter { $0.type == "cgroup2" }.compactMap { mount in
      var path = FilePath(String(own))
      return path.removePrefix(mount.root)
        ? (own: mount.point.appending(path.components), top: mount.point) : nil
    }
    return places.first { tree.isWritable(at: $0.own.string) } ?? places.first
  }

  /// Where a controller of cgroup v1 is mounted; nil where it is not.
  func legacy(_ controller: String) -> String? {
    mounts.last { $0.type == "cgroup" && $0.options.contains(controller) }?.point.string
  }

  /// The controllers that a file of a cgroup v2 lists, such as `cgroup.subtree_control`.
  func controllers(in file: String) -> [String] {
    guard let unified else { return [] }
    return (tree.text(at: "\(unified)/\(file)") ?? "").split(separator: " ").map { String($0) }
  }
}
