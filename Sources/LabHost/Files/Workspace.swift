import Foundation
import Glibc
import SystemPackage

/// The private directories of one run: homes on the disk of the store, sockets at a short path.
///
/// Both bear the process id and start time of launchlab, so that what a killed run left is told
/// from what a living one needs, and removed by the next run.
struct Workspace: Sendable {
  /// For sockets, whose paths may have no more than 107 bytes; others may pass through it.
  let sockets: FilePath

  private let homes: FilePath

  /// Makes the directories, which the journal has before they are there.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``, and what the journal throws.
  init(below directory: String, journal: ControlJournal? = nil) throws(HostError) {
    let name = ProcessIdentity.current.description
    homes = Self.homes(below: directory)
    let work = homes.removingLastComponent()
    sockets = Self.socketRoot.appending("\(Self.prefix)\(name)")
    Self.removeStale(in: work, prefix: "")
    Self.removeStaleSockets()
    for path in [homes, sockets] {
      try journal?.record(.directory(path: Self.absolute(path).string), of: nil)
    }
    do {
      try FileManager.default.createDirectory(
        atPath: work.string,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw .system(operation: "make a private directory", path: work.string, errno: errno)
    }
    try Self.make(homes, permissions: 0o700)
    do throws(HostError) {
      try Self.make(sockets, permissions: 0o711)
    } catch {
      Self.remove(homes)
      throw error
    }
  }

  /// Where the private directories of this process are on the disk of the store.
  static func homes(below directory: String) -> FilePath {
    FilePath(directory).appending("work").appending(ProcessIdentity.current.description)
  }

  /// The private HOME of an arm; names have one length, so that no arm's environment is larger.
  func home(ofArm index: Int) -> FilePath {
    let digits = String(index)
    return homes.appending(
      "home" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    )
  }

  /// Removes both directories.
  func remove() {
    Self.remove(homes)
    Self.remove(sockets)
  }

  private static func absolute(_ path: FilePath) -> FilePath {
    path.isAbsolute ? path : FilePath(FileManager.default.currentDirectoryPath).pushing(path)
  }

  /// What the names of directories of sockets begin with.
  static let prefix = "launchlab-"

  private static let socketRoot = FilePath("/tmp")

  /// Removes the directories of sockets of labs that are gone.
  ///
  /// - Returns: The directories that were found, whether or not they could be removed.
  @discardableResult
  static func removeStaleSockets() -> [FilePath] { removeStale(in: socketRoot, prefix: prefix) }

  /// Makes a directory.
  ///
  /// One that is there already may not be another user's, who could put anything into it.
  static func make(_ path: FilePath, permissions: mode_t) throws(HostError) {
    let code = unsafe path.withPlatformString { unsafe mkdir($0, permissions) == 0 ? 0 : errno }
    var status = stat()
    let isOwn =
      unsafe path.withPlatformString { unsafe lstat($0, &status) } == 0 && status.isDirectory
      && status.st_uid == geteuid() && status.permissions & 0o022 == 0
    guard code == 0 || (code == EEXIST && isOwn) else {
      throw .system(operation: "make a private directory", path: path.string, errno: code)
    }
    // The mask of file modes may have taken the permission to pass through.
    _ = unsafe path.withPlatformString { unsafe chmod($0, permissions) }
  }

  /// Removes the directories of processes that are gone, and gives those that were found.
  @discardableResult
  private static func removeStale(in parent: FilePath, prefix: String) -> [FilePath] {
    var found: [FilePath] = []
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.string)) ?? []
    for name in names where name.hasPrefix(prefix) {
      guard let owner = ProcessIdentity(name.dropFirst(prefix.count)), !owner.isAlive else {
        continue
      }
      let path = parent.appending(name)
      guard mayRemove(path) else { continue }
      remove(path)
      found.append(path)
    }
    return found
  }

  /// Whether a directory is this user's, or this user is root.
  static func mayRemove(_ path: FilePath) -> Bool {
    var status = stat()
    guard unsafe path.withPlatformString({ unsafe lstat($0, &status) }) == 0 else { return false }
    return geteuid() == 0 || status.st_uid == geteuid()
  }

  /// Removes a directory with its content, through no link and no mount.
  static func remove(_ path: FilePath) {
    let directory = PrivateDirectory(DeclaredDirectory(path, role: .home), template: nil)
    guard (try? directory.reset()) != nil else { return }
    _ = unsafe path.withPlatformString { unsafe rmdir($0) }
  }
}
