import Glibc
import SystemPackage

/// The directories of a machine that no scenario may empty or rewrite, wherever they are mounted.
///
/// They are those of the system, those of package managers, home directories, and what lies
/// directly in a home. A directory is looked at under each name that it has: its own, those that
/// mounts give it, and those of the protected directories that it is the same as by device and
/// inode.
struct ProtectedPlaces: Sendable {
  /// Absolute, with links resolved.
  let homes: [FilePath]

  private let mounts: MountInfo

  /// - Parameters:
  ///   - own: The HOME of launchlab itself, if it has one.
  ///   - mounts: Those of this machine.
  init(home own: FilePath?, mounts: MountInfo = MountInfo()) {
    let found = [own, "/root"].compactMap(\.self) + Self.homesOfUsers
    homes = Set(found.map { DeclaredDirectory.realPath(of: $0) ?? $0 })
      .filter { $0.lastComponent != nil }.sorted { $0.string < $1.string }
    self.mounts = mounts
  }

  /// Why a directory must never be emptied or rewritten; nil when it is not protected.
  ///
  /// The path is absolute, with the links of its parents resolved; it need not exist.
  func refusal(of path: FilePath) -> DirectoryRefusal? {
    if let refusal = refusal(named: path) { return refusal }
    for name in names(of: path) {
      if refusal(named: name) != nil { return .leadsTo(name.string) }
    }
    return held(by: path).map { .holds(what: "the protected", path: $0.string) }
  }

  /// Whether a directory may hold what a scenario has emptied, because somebody made it for that.
  ///
  /// Unlike what is emptied, it may be right in a home, or at the top of the file system.
  func isOwnPlace(_ directory: FilePath) -> Bool {
    switch refusal(of: directory) {
    case nil, .homeEntry: true
    case .systemDirectory:
      directory.components.count == 1
        && !roots.contains(directory) && !(directory.components.first?.string == "tmp")
    default: false
    }
  }

  /// Whether one directory lies in another, in the same mount, so that nothing that is mounted in
  /// between hides what it really is.
  func holds(_ directory: FilePath, _ path: FilePath) -> Bool {
    guard directory != path, path.starts(with: directory), let outer = place(of: directory),
      let inner = place(of: path)
    else { return false }
    return outer.holds(inner) && outer != inner
  }

  // MARK: - Names

  /// What is refused by the name alone.
  private func refusal(named path: FilePath) -> DirectoryRefusal? {
    if Self.isSystem(path) { return .systemDirectory }
    if let manager = Self.packageManager(of: path) { return .packageManager(manager) }
    if homes.contains(where: { $0.starts(with: path) }) { return .homeDirectory }
    let names = path.components.map(\.string)
    if names.first == "home", names.count <= 2 { return .homeDirectory }
    let parent = path.removingLastComponent()
    return homes.contains(parent) ? .homeEntry(parent.string) : nil
  }

  /// Whether a directory is the system's: as a whole, or down to a depth where packages own it.
  private static func isSystem(_ path: FilePath) -> Bool {
    let names = path.components.map(\.string)
    guard let top = names.first else { return true }
    switch top {
    case "bin", "boot", "dev", "etc", "proc", "sbin", "sys": return true
    case "usr": return names.count < 4 || names[1] != "local"
    case "var", "mnt", "media": return names.count < 3
    case "run": return names.count < 4
    default: return names.count == 1 || top.hasPrefix("lib")
    }
  }

  /// The directories of package managers, which also a container or another root may hold.
  private static let packageManagers = [
    "var/lib/dpkg", "var/lib/apt", "var/cache/apt", "var/lib/aptitude", "var/cache/debconf",
    "var/lib/rpm", "usr/lib/sysimage", "var/lib/dnf", "var/cache/dnf", "var/lib/yum",
    "var/cache/yum", "var/lib/zypp", "var/cache/zypp", "var/lib/pacman", "var/cache/pacman",
    "lib/apk/db", "var/cache/apk", "var/db/pkg", "var/db/repos", "var/lib/portage",
    "var/db/xbps", "var/cache/xbps", "var/lib/snapd", "var/lib/flatpak", "nix/store", "nix/var",
    "gnu/store", "var/guix",
  ].map { FilePath($0).components.map(\.string) }

  private static func packageManager(of path: FilePath) -> String? {
    let names = path.components.map(\.string)
    let found = packageManagers.first { manager in
      names.indices.contains { names[$0...].starts(with: manager) }
    }
    return found.map { "/" + $0.joined(separator: "/") }
  }

  // MARK: - Mounts

  /// Where a directory is in its file system, whatever that is mounted as.
  private struct Place: Hashable {
    var device: String
    var path: FilePath

    func holds(_ other: Place) -> Bool {
      device == other.device && other.path.starts(with: path)
    }
  }

  private func place(of path: FilePath) -> Place? {
    mounts.mount(of: path).map { mount in
      Place(device: mount.number, path: path.moved(from: mount.point, to: mount.root))
    }
  }

  /// The other names of a directory: by mounts, and by being the same as a protected one.
  private func names(of path: FilePath) -> [FilePath] {
    var found: [FilePath] = []
    if let place = place(of: path) {
      // Of another root or a data disk only what is a package manager's says something.
      if Self.packageManager(of: place.path) != nil { found.append(place.path) }
      for mount in mounts.mounts {
        let root = Place(device: mount.number, path: mount.root)
        if root.holds(place) { found.append(place.path.moved(from: mount.root, to: mount.point)) }
      }
    }
    var parent = path
    while parent.lastComponent != nil {
      if let identity = PathIdentity(of: parent) {
        found += roots.filter { PathIdentity(of: $0) == identity }
          .map { path.moved(from: parent, to: $0) }
      }
      parent = parent.removingLastComponent()
    }
    return found.filter { $0 != path }
  }

  /// What is protected, and lies or is mounted below a directory; nil when nothing is.
  private func held(by path: FilePath) -> FilePath? {
    guard let identity = PathIdentity(of: path) else { return nil }
    let isAbove = { (root: FilePath) in
      PathIdentity.chain(of: root.string).dropFirst().contains(identity)
    }
    if let root = roots.first(where: isAbove) { return root }
    guard let place = place(of: path) else { return nil }
    if let root = roots.first(where: { self.place(of: $0).map(place.holds) == true }) {
      return root
    }
    return mounts.mounts.first { mount in
      place.holds(Place(device: mount.number, path: mount.root))
        && !mount.point.starts(with: path) && refusal(named: mount.point) != nil
    }?.point
  }

  /// Protected directories that exist or may, whose identities are compared.
  private var roots: [FilePath] {
    let tops = [
      "/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib32", "/lib64", "/libx32", "/opt",
      "/proc", "/run", "/sbin", "/srv", "/sys", "/usr", "/usr/local", "/var", "/var/cache",
      "/var/lib",
    ]
    let managers = Self.packageManagers.map { "/" + $0.joined(separator: "/") }
    return (tops + managers).map { FilePath($0) } + homes
  }

  // MARK: - Homes

  /// The homes of people: what is right in `/home`, and what `/etc/passwd` says of root and of ids
  /// from 1000 on.
  private static var homesOfUsers: [FilePath] {
    let tree = HostTree()
    let lines = (tree.text(at: "etc/passwd") ?? "").split(separator: "\n")
    let listed = lines.compactMap { line -> FilePath? in
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count > 5, let id = UInt32(fields[2]), id == 0 || (1_000..<60_000).contains(id),
        fields[5].hasPrefix("/")
      else { return nil }
      return FilePath(String(fields[5]))
    }
    return listed + tree.names(in: "home").map { FilePath("/home/\($0)") }
  }
}

extension FilePath {
  /// The same path below another directory than the one that it is below.
  fileprivate func moved(from directory: FilePath, to other: FilePath) -> FilePath {
    other.appending(components.dropFirst(directory.components.count))
  }
}
