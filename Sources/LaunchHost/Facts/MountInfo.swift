import Glibc
import SystemPackage

/// The mounts of a machine, as `/proc/self/mountinfo` lists them.
///
/// Source of the format: proc_pid_mountinfo(5).
package struct MountInfo: Hashable, Sendable {
  /// In the order of the file: a later mount hides an earlier one at the same place.
  var mounts: [Mount]

  package init(text: String) {
    mounts = text.split(separator: "\n").compactMap { Mount(line: $0) }
  }

  package init(tree: HostTree = HostTree()) {
    self.init(text: tree.text(at: "proc/self/mountinfo") ?? "")
  }

  /// Finds the mount that holds a path; nil when none is known.
  ///
  /// - Parameter path: Absolute, with symbolic links resolved.
  /// - Returns: The deepest one, and of several at one place the last.
  func mount(holding path: FilePath) -> Mount? {
    var found: Mount?
    for mount in mounts where path.starts(with: mount.point) {
      let isDeeper = mount.point.components.count >= (found?.point.components.count ?? 0)
      if isDeeper { found = mount }
    }
    return found
  }

  /// Finds the mount that a path really is in, as the kernel says; nil when none is known.
  ///
  /// The path is absolute, with symbolic links resolved; of one that does not exist the deepest
  /// directory that does counts.
  func mount(of path: FilePath) -> Mount? {
    var existing = path
    while existing.lastComponent != nil, DeclaredDirectory.realPath(of: existing) == nil {
      existing = existing.removingLastComponent()
    }
    let id = Self.mountID(of: existing)
    return mounts.last { $0.id == id && path.starts(with: $0.point) } ?? mount(holding: path)
  }

  /// The id of the mount that a file is in; proc_pid_fdinfo(5).
  private static func mountID(of path: FilePath) -> String? {
    let flags = OpenFile.pathOnly | O_CLOEXEC | O_NOFOLLOW
    let descriptor = unsafe path.withPlatformString { unsafe open($0, flags) }
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return HostTree().text(at: "proc/self/fdinfo/\(descriptor)")?.split(separator: "\n")
      .first { $0.hasPrefix("mnt_id:") }
      .map { $0.dropFirst("mnt_id:".count).trimmed }
  }
}

/// One mounted file system.
package struct Mount: Hashable, Sendable {
  /// Tells the mount from the others, as long as it is mounted.
  var id: String

  /// The device number as `major:minor`.
  var number: String

  /// The directory of the file system that is mounted here; `/` unless a part of it is.
  var root: FilePath
  var point: FilePath

  /// The file system type, such as `ext4`.
  var type: String

  /// What is mounted, such as `/dev/vda1`.
  var source: String

  /// What is set for the whole file system, such as the controllers of a cgroup v1.
  var options: [String]

  init?(line: Substring) {
    let fields = line.split(separator: " ").map { String($0) }
    guard let dash = fields.firstIndex(of: "-"), dash >= 6, fields.count > dash + 2 else {
      return nil
    }
    id = fields[0]
    number = fields[2]
    root = FilePath(Self.unescaped(fields[3]))
    point = FilePath(Self.unescaped(fields[4]))
    type = fields[dash + 1]
    source = Self.unescaped(fields[dash + 2])
    options = fields.dropFirst(dash + 3).first?.split(separator: ",").map { String($0) } ?? []
  }

  /// Whether what is written here stays in memory, so that nothing can be cold.
  var isInMemory: Bool { ["tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "rootfs"].contains(type) }

  /// Whether other machines or layers hold the pages too, so that eviction here may not be all.
  var isIndirect: Bool {
    let names = ["overlay", "nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "virtiofs", "aufs"]
    return names.contains(type) || type.hasPrefix("fuse")
  }

  /// Replaces the octal escapes of white space and backslashes.
  private static func unescaped(_ field: String) -> String {
    guard field.utf8.contains(UInt8(ascii: "\\")) else { return field }
    return [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
      .reduce(field) { $0.replacing($1.0, with: $1.1) }
  }
}

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

  /// Where the cgroup v2 that launchlab uses is mounted, or the best one where none of them shows
  /// its own cgroup; nil where there is no cgroup v2.
  var unified: String? { ownAndTop?.top.string ?? second.first?.point.string }

  /// The mounts of cgroup v2, the best first.
  var second: [Mount] { ordered { $0.type == "cgroup2" } }

  /// The mounts of a controller of cgroup v1, the best first.
  func first(_ controller: String) -> [Mount] {
    ordered { $0.type == "cgroup" && $0.options.contains(controller) }
  }

  /// Mounts in the order of the file, but those that are hidden, or cannot be written to, after the others.
  ///
  /// Those below the root of a container or a chroot, which may be gone at any time, come after those of
  /// this system.
  private func ordered(_ isMeant: (Mount) -> Bool) -> [Mount] {
    func flaws(_ mount: Mount) -> Int {
      let point = mount.point.string
      return (tree.exists(at: point) ? 0 : 4) + (tree.isWritable(at: point) ? 0 : 2)
        + (mount.point.starts(with: "/sys") ? 0 : 1)
    }
    return mounts.filter(isMeant).enumerated()
      .sorted { (flaws($0.element), $0.offset) < (flaws($1.element), $1.offset) }
      .map(\.element)
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
    let places = second.compactMap { mount in
      var path = FilePath(String(own))
      return path.removePrefix(mount.root)
        ? (own: mount.point.appending(path.components), top: mount.point) : nil
    }
    return places.first { tree.isWritable(at: $0.own.string) } ?? places.first
  }

  /// Where a controller of cgroup v1 is mounted; nil where it is not.
  func legacy(_ controller: String) -> String? { first(controller).first?.point.string }

  /// The controllers that a file of a cgroup v2 lists, such as `cgroup.subtree_control`.
  func controllers(in file: String) -> [String] {
    guard let unified else { return [] }
    return (tree.text(at: "\(unified)/\(file)") ?? "").split(separator: " ").map { String($0) }
  }
}
