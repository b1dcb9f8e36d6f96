import CLaunchWire
import Glibc
import SystemPackage

/// The cgroup of one run: what is in it can be killed at once, whatever it does.
///
/// It holds a cgroup `targets`, where the spawner and everything it launches live. See
/// `spawner/tree.c` for why the spawner is in it too. Source: Linux,
/// Documentation/admin-guide/cgroup-v2.rst.
struct RunCgroup {
  private static let prefix = "launchlab-"

  let directory: FilePath

  /// Makes the cgroup of this process.
  ///
  /// Cgroups that a controller which is gone has left are killed and removed first.
  ///
  /// - Parameter parent: Where it is made; nil means below the cgroup of this process.
  /// - Returns: Nil where no cgroup v2 can be written to.
  static func make(in parent: FilePath? = nil) -> Self? {
    removeStale()
    guard let parent = parent ?? CgroupPlaces(tree: HostTree()).ownAndTop?.own else { return nil }
    // One process may have several spawners, one after the other or side by side.
    for number in 1...1_000 {
      let name = "\(prefix)\(ProcessIdentity.current)-\(LabMark.ownNamespaces)-\(number)"
      let cgroup = Self(directory: parent.appending(name))
      if unsafe mkdir(cgroup.directory.string, 0o755) == 0 {
        let targets = cgroup.directory.appending(TARGETS_CGROUP)
        if unsafe mkdir(targets.string, 0o755) == 0 { return cgroup }
        cgroup.remove()
        return nil
      }
      guard errno == EEXIST else { return nil }
    }
    return nil
  }

  /// Kills everything in it, the spawner included.
  ///
  /// Before Linux 5.14, which cannot do that at once, the processes are killed one by one.
  func kill() {
    guard
      let file = try? FileDescriptor.open(
        directory.appending("cgroup.kill"),
        .writeOnly,
        options: .closeOnExec
      )
    else { return killEach() }
    _ = try? file.closeAfter { try file.writeAll("1".utf8) }
  }

  /// Removes it once its processes are gone, for which it waits up to two seconds.
  func remove() {
    for _ in 0..<2_000 {
      for child in children { _ = unsafe rmdir(child.string) }
      guard unsafe rmdir(directory.string) != 0, errno == EBUSY || errno == ENOTEMPTY else {
        return
      }
      _ = poll(nil, 0, 1)
    }
  }

  var exists: Bool { unsafe access(directory.string, F_OK) == 0 }

  /// Whether it holds processes of another container, whose lab may be alive there.
  ///
  /// The kernel lists them as 0; pid_namespaces(7).
  var isOfOtherNamespace: Bool { members.contains(0) }

  /// The processes in it that have not ended.
  var living: [pid_t] { members.filter { $0 > 0 && ProcessStatus(of: $0) != nil } }

  private func killEach() {
    for pid in members where pid > 0 { _ = Glibc.kill(pid, SIGKILL) }
  }

  private var members: [pid_t] {
    (children + [directory]).flatMap { cgroup in
      (HostTree().text(at: cgroup.appending("cgroup.procs").string) ?? "").split(separator: "\n")
        .compactMap { pid_t($0) }
    }
  }

  /// The cgroups right below, such as `targets`.
  private var children: [FilePath] {
    HostTree().names(in: directory.string).map { directory.appending($0) }.filter { path in
      var status = stat()
      return unsafe lstat(path.string, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
  }

  // MARK: - What others have left

  /// Kills and removes what labs that are gone have left below this process's cgroup and below the
  /// topmost one.
  ///
  /// - Parameter isOwn: Whether those of this process are removed too.
  /// - Returns: The directories that were found, whether or not they could be removed.
  @discardableResult
  static func removeStale(orOwn isOwn: Bool = false) -> [Self] {
    guard let places = CgroupPlaces(tree: HostTree()).ownAndTop else { return [] }
    return Set([places.own, places.top]).flatMap { removeStale(in: $0, orOwn: isOwn) }
  }

  private static func removeStale(in parent: FilePath, orOwn isOwn: Bool) -> [Self] {
    var found: [Self] = []
    for name in HostTree().names(in: parent.string) where isLeftover(name, orOwn: isOwn) {
      let cgroup = Self(directory: parent.appending(name))
      guard DiskUse.status(of: cgroup.directory)?.st_uid == geteuid(), !cgroup.isOfOtherNamespace
      else { continue }
      cgroup.kill()
      cgroup.remove()
      found.append(cgroup)
    }
    return found
  }

  /// Whether a name is that of a cgroup whose lab was of this container, and is gone.
  ///
  /// Its processes say nothing: those of another container may be seen from here by other numbers.
  static func isLeftover(_ name: String, orOwn isOwn: Bool = false) -> Bool {
    let parts = name.dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false)
    guard name.hasPrefix(prefix), parts.count == 4,
      let controller = ProcessIdentity(parts[0...1].joined(separator: "-"))
    else { return false }
    // No cgroup outlives a boot.
    let mark = LabMark(of: controller, namespaces: String(parts[2]))
    return mark.isGone || isOwn && mark.isOwn
  }
}
