import CLabHost
package import Foundation
import Glibc
package import SystemPackage

/// An open directory from which nothing outside of it can be reached.
///
/// Every operation takes a single name and works relative to the open directory, so that a
/// symbolic link or a mount that someone puts in the way, at whatever moment, is never followed:
/// openat2(2) with `RESOLVE_BENEATH`, `RESOLVE_NO_SYMLINKS` and `RESOLVE_NO_XDEV`.
package struct ConfinedDirectory: ~Copyable {
  private let file: OpenFile

  package var path: FilePath { file.path }

  private init(file: consuming OpenFile) { self.file = file }

  /// Opens a directory that is neither a symbolic link nor a mount point.
  ///
  /// - Parameter path: Absolute, without symbolic links.
  /// - Throws: When it is not there, or a link is in it.
  init(at path: FilePath) throws(HostError) {
    let parent = try Self(followingMountsTo: path.removingLastComponent())
    self = try parent.directory(named: path)
  }

  /// Opens such a directory unless another user can exchange it, or anything on the way to it.
  ///
  /// - Parameter path: Absolute, without symbolic links.
  /// - Returns: The directory.
  /// - Throws: ``HostError/placeRefused(path:_:)`` too.
  static func trusted(_ path: FilePath) throws(HostError) -> ConfinedDirectory {
    let way = try TrustedWay.open(to: path.removingLastComponent(), care: .allWithoutLinks)
    let isShared = way.isShared
    let opened = try Self(endOf: way).directory(named: path)
    let owner = try opened.status().st_uid
    // Where others may make entries, only the owner keeps them from exchanging this one.
    if isShared, !OwnPlace.trusted.contains(owner) {
      throw .placeRefused(path: path.string, .owner(OwnPlace.user(owner)))
    }
    return opened
  }

  /// The directory that a way leads to, to reach what is in it.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)`` when it is not there.
  init(endOf way: consuming TrustedWay) throws(HostError) {
    guard way.rest.names.isEmpty else {
      throw .system(
        operation: "open the directory",
        path: way.resolved.string,
        errno: way.rest.errno
      )
    }
    self.init(file: way.directory)
  }

  /// Opens a directory to reach what is in it, wherever links on the way lead.
  init(following path: FilePath) throws(HostError) {
    let result = unsafe path.withPlatformString {
      unsafe Glibc.open($0, OpenFile.pathOnly | O_DIRECTORY | O_CLOEXEC)
    }
    guard result >= 0 else {
      throw .system(operation: "open the directory", path: path.string, errno: errno)
    }
    self.init(file: OpenFile(descriptor: result, path: path))
  }

  /// Opens the directory of a path whose parent this is.
  private func directory(named path: FilePath) throws(HostError) -> ConfinedDirectory {
    guard let name = path.lastComponent else {
      throw .system(operation: "open the directory", path: path.string, errno: EXDEV)
    }
    return try directory(name)
  }

  /// Opens a directory that may lie on another mount, for reading or to start from.
  init(followingMountsTo path: FilePath) throws(HostError) {
    let result = unsafe path.withPlatformString {
      unsafe lab_open_in(-1, $0, O_RDONLY | O_DIRECTORY, 0, 0)
    }
    guard result >= 0 else {
      throw .system(operation: "open the directory", path: path.string, errno: -result)
    }
    self.init(file: OpenFile(descriptor: result, path: path))
  }

  /// What the directory itself is.
  func status() throws(HostError) -> stat { try file.status() }

  func synchronize() throws(HostError) { try file.synchronize() }

  func setTimes(of status: stat) throws(HostError) { try file.setTimes(of: status) }

  func takeMetadata(of other: borrowing ConfinedDirectory, owner: OwnerRule) throws(HostError) {
    try file.takeMetadata(of: other.file, owner: owner)
  }

  /// Whether entries can be made and removed here.
  var isWritable: Bool {
    unsafe ".".withCString {
      unsafe faccessat(file.descriptor, $0, W_OK | X_OK, AT_EACCESS) == 0
    }
  }

  /// Lets the owner write here, which removing something below takes without root.
  func makeWritable() throws(HostError) {
    let mode = try file.status().permissions
    if mode & 0o700 != 0o700 { try file.check(fchmod(file.descriptor, mode | 0o700), "unlock") }
  }

  func setPermissions(_ mode: mode_t) throws(HostError) {
    try file.check(fchmod(file.descriptor, mode), "set the mode of")
  }

  // MARK: - Names

  /// The names in the directory, without `.` and `..`, in no certain order.
  func names() throws(HostError) -> [FilePath.Component] {
    let duplicate = unsafe ".".withCString {
      unsafe lab_open_in(file.descriptor, $0, O_RDONLY | O_DIRECTORY, 0, 1)
    }
    guard duplicate >= 0 else { throw file.failure("list the directory", -duplicate) }
    guard let stream = unsafe fdopendir(duplicate) else {
      close(duplicate)
      throw file.failure("list the directory", ENOMEM)
    }
    defer { unsafe closedir(stream) }
    var names: [FilePath.Component] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
          unsafe characters.baseAddress.flatMap { unsafe FilePath.Component(platformString: $0) }
        }
      }
      if let name, name.kind == .regular { names.append(name) }
    }
    return names
  }

  /// What an entry is, a symbolic link being itself; nil when there is no such entry.
  package func status(of name: FilePath.Component) throws(HostError) -> stat? {
    var status = stat()
    let (result, code) = unsafe name.withPlatformString {
      unsafe (fstatat(file.descriptor, $0, &status, AT_SYMLINK_NOFOLLOW), errno)
    }
    if result != 0, code == ENOENT { return nil }
    guard result == 0 else { throw failure("examine", name, code) }
    return status
  }

  /// Opens a directory right below.
  func directory(_ name: FilePath.Component) throws(HostError) -> ConfinedDirectory {
    Self(file: try open(name, O_RDONLY | O_DIRECTORY))
  }

  /// Opens a file right below; it must not be a symbolic link or a mount point.
  func open(
    _ name: FilePath.Component,
    _ flags: CInt,
    mode: mode_t = 0
  ) throws(HostError) -> OpenFile {
    let result = unsafe name.withPlatformString {
      unsafe lab_open_in(file.descriptor, $0, flags | O_NONBLOCK | O_NOCTTY, mode, 1)
    }
    guard result >= 0 else { throw failure("open", name, -result) }
    return OpenFile(descriptor: result, path: path.appending(name))
  }

  /// Makes a file that did not exist, readable by its owner only.
  func makeFile(_ name: FilePath.Component) throws(HostError) -> OpenFile {
    try open(name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
  }

  func makeDirectory(_ name: FilePath.Component) throws(HostError) {
    try unsafe call("make", name) { unsafe mkdirat(file.descriptor, $0, 0o700) }
  }

  /// Removes an entry that is not a directory; a symbolic link itself, never what it points at.
  func remove(_ name: FilePath.Component) throws(HostError) {
    try unsafe call("remove", name) { unsafe unlinkat(file.descriptor, $0, 0) }
  }

  func removeEmptyDirectory(_ name: FilePath.Component) throws(HostError) {
    try unsafe call("remove", name) { unsafe unlinkat(file.descriptor, $0, AT_REMOVEDIR) }
  }

  /// Removes everything in the directory, through no link and no mount.
  ///
  /// - Parameter kept: What stays, right below; nil when nothing does.
  /// - Throws: At what cannot be removed, such as a mount point; the rest may be gone by then.
  func removeContent(keeping kept: FilePath.Component? = nil) throws(HostError) {
    try makeWritable()
    for name in try names() where name != kept { try removeWhole(name) }
  }

  /// Removes an entry, a directory with all that is in it.
  func removeWhole(_ name: FilePath.Component) throws(HostError) {
    var pending = [name]
    while let next = pending.popLast() {
      try removeWhole(next, depth: 1, below: self, raised: &pending)
    }
  }

  /// Removes an entry, of which every directory is open at once.
  ///
  /// - Parameters:
  ///   - name: The entry.
  ///   - depth: How many directories are open.
  ///   - top: Takes what lies too deep.
  ///   - raised: Gets the names of that.
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  private func removeWhole(
    _ name: FilePath.Component,
    depth: Int,
    below top: borrowing ConfinedDirectory,
    raised: inout [FilePath.Component]
  ) throws(HostError) {
    guard let status = try status(of: name) else { return }
    guard status.isDirectory else { return try remove(name) }
    let opened = try directory(name)
    try opened.makeWritable()
    guard depth < Reinstaller.depthLimit else {
      guard let fresh = FilePath.Component("\(Reinstaller.prefix)\(UUID())") else { return }
      try unsafe call("raise", name) { source in
        unsafe fresh.withPlatformString { target in
          unsafe renameat(file.descriptor, source, top.file.descriptor, target)
        }
      }
      return raised.append(fresh)
    }
    for inner in try opened.names() {
      try opened.removeWhole(inner, depth: depth + 1, below: top, raised: &raised)
    }
    try removeEmptyDirectory(name)
  }

  /// Puts one entry in the place of another, in one step.
  func rename(_ name: FilePath.Component, over other: FilePath.Component) throws(HostError) {
    try unsafe call("replace", other) { target in
      unsafe name.withPlatformString { source in
        unsafe renameat(file.descriptor, source, file.descriptor, target)
      }
    }
  }

  /// Makes a symbolic link like one in another directory, with its owner and times.
  func copyLink(
    _ name: FilePath.Component,
    from other: borrowing ConfinedDirectory
  ) throws(HostError) {
    guard let status = try other.status(of: name) else { return }
    var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let (length, code) = unsafe name.withPlatformString {
      unsafe (readlinkat(other.file.descriptor, $0, &target, Int(PATH_MAX)), errno)
    }
    guard length >= 0 else { throw other.failure("read the link", name, code) }
    try unsafe call("make the link", name) { unsafe symlinkat(target, file.descriptor, $0) }
    try unsafe call("set the owner of", name) {
      unsafe fchownat(file.descriptor, $0, status.st_uid, status.st_gid, AT_SYMLINK_NOFOLLOW)
    }
    let times = [status.st_atim, status.st_mtim]
    try unsafe call("set the times of", name) {
      unsafe utimensat(file.descriptor, $0, times, AT_SYMLINK_NOFOLLOW)
    }
  }

  // MARK: - Errors

  func failure(_ operation: String, _ name: FilePath.Component, _ errno: CInt) -> HostError {
    .system(operation: operation, path: path.appending(name).string, errno: errno)
  }

  private func call(
    _ operation: String,
    _ name: FilePath.Component,
    _ body: (UnsafePointer<CChar>) -> CInt
  ) throws(HostError) {
    let (result, code) = unsafe name.withPlatformString { unsafe (body($0), errno) }
    guard result == 0 else { throw failure(operation, name, code) }
  }
}
