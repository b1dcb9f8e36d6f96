package import Foundation
import Glibc
package import SystemPackage

/// A directory that launchlab has made, and the only thing that it removes with its content.
///
/// The proof is a file in it that says which process has made it, see ``LabMark``, in a directory of
/// this user that nobody else may write to. Neither links nor mounts are ever followed, so that
/// nothing outside of it is reached.
package struct OwnedDirectory: Hashable, Sendable {
  package let path: FilePath

  /// The process that made it, as the file in it says; nil for one that is proven otherwise.
  let mark: LabMark?

  /// The same as `path`, with the links of its parents resolved.
  private let real: FilePath
  private let device: UInt64
  private let inode: UInt64

  private init(_ path: FilePath, real: FilePath, mark: LabMark?, status: stat) {
    self.path = path
    self.mark = mark
    self.real = real
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }

  // MARK: - Making

  /// Makes a directory that is not there yet, with the mark of this process in it.
  ///
  /// - Parameters:
  ///   - path: Its parent must be one in which others cannot exchange it.
  ///   - permissions: Whatever the mask of file modes is.
  /// - Returns: The directory.
  /// - Throws: ``HostError/system(operation:path:errno:)``, with `EEXIST` when something is there.
  package static func make(_ path: FilePath, permissions: mode_t) throws(HostError) -> Self {
    let real = DeclaredDirectory.resolved(path)
    guard let name = real.lastComponent else { throw failure(path, EINVAL) }
    let parent = try ConfinedDirectory(followingMountsTo: real.removingLastComponent())
    let code = unsafe real.withPlatformString { unsafe mkdir($0, 0o700) == 0 ? 0 : errno }
    guard code == 0 else { throw failure(path, code) }
    let opened = try parent.directory(name)
    let status = try opened.status()
    guard status.st_uid == geteuid() else { throw failure(path, EPERM) }
    try LabMark.current.write(in: opened)
    try opened.setPermissions(permissions)
    return Self(path, real: real, mark: .current, status: status)
  }

  /// Makes a directory with a new name, by which the next lab finds it if this process is killed.
  ///
  /// - Parameters:
  ///   - parent: Such as `/tmp`.
  ///   - permissions: Whatever the mask of file modes is.
  /// - Returns: The directory.
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package static func makeTemporary(
    in parent: String = FileManager.default.temporaryDirectory.path,
    permissions: mode_t = 0o700
  ) throws(HostError) -> Self {
    var number = 0
    while true {
      number += 1
      let name = "\(Workspace.prefix)\(ProcessIdentity.current)-t\(number)"
      do throws(HostError) {
        return try make(FilePath(parent).appending(name), permissions: permissions)
      } catch .system(_, _, EEXIST) where number < 1_000 {
        continue
      }
    }
  }

  /// The same, but for one that this very process has made already.
  static func makeOrReuse(_ path: FilePath, permissions: mode_t) throws(HostError) -> Self {
    do throws(HostError) {
      return try make(path, permissions: permissions)
    } catch {
      guard case .system(_, _, EEXIST) = error, let made = made(at: path), made.mark?.isOwn == true
      else { throw error }
      return made
    }
  }

  private static func failure(_ path: FilePath, _ code: CInt) -> HostError {
    .system(operation: "make a private directory", path: path.string, errno: code)
  }

  // MARK: - Proving

  /// A directory that launchlab has made, by whichever process.
  ///
  /// - Returns: Nil for anything else: without a mark, of another user, that others may write to, or
  ///   behind a link.
  package static func made(at path: FilePath) -> Self? {
    proven(at: path) { opened, status in
      guard status.permissions & 0o022 == 0, let mark = LabMark(in: opened) else { return nil }
      return .some(mark)
    }
  }

  /// A directory of this user that something else than a mark proves to be launchlab's.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - proof: Looks into the directory itself.
  /// - Returns: Nil for anything else.
  package static func made(at path: FilePath, proof: (borrowing ConfinedDirectory) -> Bool) -> Self?
  {
    proven(at: path) { opened, _ in proof(opened) ? .some(nil) : nil }
  }

  private static func proven(
    at path: FilePath,
    by proof: (borrowing ConfinedDirectory, stat) -> LabMark??
  ) -> Self? {
    let real = DeclaredDirectory.resolved(path)
    guard let name = real.lastComponent,
      let parent = try? ConfinedDirectory(followingMountsTo: real.removingLastComponent()),
      let opened = try? parent.directory(name), let status = try? opened.status(),
      status.st_uid == geteuid(), let mark = proof(opened, status)
    else { return nil }
    return Self(path, real: real, mark: mark, status: status)
  }

  /// What processes that are gone have left in a directory.
  ///
  /// - Parameters:
  ///   - parent: It must not be a link itself.
  ///   - prefix: What the names begin with, before the process id and start of the maker.
  ///   - isOwn: Whether what this process has made counts too.
  /// - Returns: Those that are proven to be launchlab's, ascending by name.
  package static func leftovers(
    in parent: FilePath,
    prefix: String,
    orOwn isOwn: Bool = false
  ) -> [Self] {
    candidates(in: parent, prefix: prefix).compactMap { name, _ in
      guard let made = made(at: parent.appending(name)), let mark = made.mark,
        mark.isGone || isOwn && mark.isOwn,
        name == prefix + mark.lab || name.hasPrefix("\(prefix)\(mark.lab)-")
      else { return nil }
      return made
    }
  }

  /// The entries whose names may be of directories of launchlab, with their makers, ascending by name.
  private static func candidates(
    in parent: FilePath,
    prefix: String
  ) -> [(name: String, maker: ProcessIdentity)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.string)) ?? []
    // There may be thousands of others.
    return names.filter { $0.hasPrefix(prefix) }.sorted().compactMap { name in
      let words = name.dropFirst(prefix.count).split(separator: "-", maxSplits: 2)
      return ProcessIdentity(words.prefix(2).joined(separator: "-")).map { (name, $0) }
    }
  }

  // MARK: - Removing

  /// Removes what processes that are gone have left in a directory, as ``leftovers(in:prefix:orOwn:)``
  /// finds it, and empty directories, which their makers were killed before they could mark.
  ///
  /// - Returns: What was found, and whether each could be removed.
  static func removeLeftovers(
    in parent: FilePath,
    prefix: String,
    orOwn isOwn: Bool = false
  ) -> [(path: FilePath, isRemoved: Bool)] {
    let marked = leftovers(in: parent, prefix: prefix, orOwn: isOwn)
      .map { (path: $0.path, isRemoved: $0.remove()) }
    let empty = candidates(in: parent, prefix: prefix)
      .filter { LabMark(of: $0.maker).isGone && removeEmpty(parent.appending($0.name)) }
      .map { (path: parent.appending($0.name), isRemoved: true) }
    return marked + empty
  }

  /// Removes the directory with its content, unless something else is in its place by now.
  ///
  /// The mark goes last, so that a removal that is cut off can be gone on with.
  ///
  /// - Returns: Whether it is gone.
  @discardableResult
  package func remove() -> Bool {
    guard let name = real.lastComponent,
      let parent = try? ConfinedDirectory(followingMountsTo: real.removingLastComponent())
    else { return !isThere }
    guard let opened = try? parent.directory(name), let status = try? opened.status(),
      UInt64(status.st_dev) == device, UInt64(status.st_ino) == inode
    else { return !isThere }
    do throws(HostError) {
      try opened.removeContent(keeping: LabMark.fileName)
      try opened.removeContent()
      try parent.removeEmptyDirectory(name)
      return true
    } catch {
      return false
    }
  }

  /// Removes something in the directory with all that is in it.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)`` when something of it stays.
  package func remove(_ name: FilePath.Component) throws(HostError) {
    let opened = try ConfinedDirectory(followingMountsTo: real)
    let status = try opened.status()
    guard UInt64(status.st_dev) == device, UInt64(status.st_ino) == inode else {
      throw .system(operation: "remove", path: path.appending(name).string, errno: ESTALE)
    }
    try opened.removeWhole(name)
  }

  /// Removes a directory of this user that is empty, so that nothing is lost.
  ///
  /// One in which there is but a mark that was never written counts as empty.
  ///
  /// - Returns: Whether it is gone.
  static func removeEmpty(_ path: FilePath) -> Bool {
    guard let status = DiskUse.status(of: path), status.isDirectory, status.st_uid == geteuid()
    else { return false }
    let mark = path.appending(LabMark.fileName)
    if let status = DiskUse.status(of: mark), status.isRegular, status.st_uid == geteuid(),
      status.st_size == 0
    {
      _ = unsafe mark.withPlatformString { unsafe unlink($0) }
    }
    return unsafe path.withPlatformString { unsafe rmdir($0) } == 0
  }

  /// Whether this very directory is still at its path.
  private var isThere: Bool {
    guard let status = DiskUse.status(of: real) else { return false }
    return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
  }
}

/// What files take on the disk.
package enum DiskUse {
  /// The space of a file, or of a directory with everything below it.
  ///
  /// Links are not followed; a file with several names counts for each. Cost: one call per file.
  package static func bytes(below path: FilePath) -> Int64 {
    let own = status(of: path).map { Int64($0.st_blocks) * 512 } ?? 0
    guard status(of: path)?.isDirectory == true,
      let files = FileManager.default.enumerator(atPath: path.string)
    else { return own }
    var total = own
    for case let name as String in files {
      total += status(of: path.pushing(FilePath(name))).map { Int64($0.st_blocks) * 512 } ?? 0
    }
    return total
  }

  /// When a file was last changed, in nanoseconds; nil when it is not there.
  package static func changedAt(_ path: FilePath) -> Int64? {
    status(of: path).map { Int64($0.st_mtim.tv_sec) * 1_000_000_000 + Int64($0.st_mtim.tv_nsec) }
  }

  /// Marks a file as used now.
  package static func touch(_ path: FilePath) {
    _ = unsafe path.withPlatformString {
      unsafe utimensat(AT_FDCWD, $0, nil, AT_SYMLINK_NOFOLLOW)
    }
  }

  /// What is there itself, even if it is a link.
  package static func status(of path: FilePath) -> stat? {
    var status = stat()
    return unsafe path.withPlatformString { unsafe lstat($0, &status) } == 0 ? status : nil
  }
}
