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

  init(below directory: String) throws(HostError) {
    let name = ProcessIdentity.current.description
    let work = FilePath(directory).appending("work")
    homes = work.appending(name)
    sockets = Self.socketRoot.appending("launchlab-\(name)")
    Self.removeStale(in: work, prefix: "")
    Self.removeStale(in: Self.socketRoot, prefix: "launchlab-")
    try Self.make(homes, permissions: 0o700)
    try Self.make(sockets, permissions: 0o711)
  }

  /// The private HOME of an arm; names have one length, so that no arm's environment is larger.
  func home(ofArm index: Int) -> FilePath {
    let digits = String(index)
    return homes.appending(
      "home" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits)
  }

  /// Removes both directories.
  func remove() {
    Self.remove(homes)
    Self.remove(sockets)
  }

  private static let socketRoot = FilePath("/tmp")

  private static func make(_ path: FilePath, permissions: Int) throws(HostError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path.string, withIntermediateDirectories: true,
        attributes: [.posixPermissions: permissions])
    } catch {
      throw .system(operation: "make a private directory", path: path.string, errno: errno)
    }
  }

  /// Removes the directories of processes that are gone.
  private static func removeStale(in parent: FilePath, prefix: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.string)) ?? []
    for name in names where name.hasPrefix(prefix) {
      guard let owner = ProcessIdentity(name.dropFirst(prefix.count)), !owner.isAlive else {
        continue
      }
      remove(parent.appending(name))
    }
  }

  /// Removes a directory with its content, through no link and no mount.
  private static func remove(_ path: FilePath) {
    let directory = PrivateDirectory(DeclaredDirectory(path, role: .home), template: nil)
    guard (try? directory.reset()) != nil else { return }
    _ = unsafe path.withPlatformString { unsafe rmdir($0) }
  }
}
