import Foundation
import Glibc
import SystemPackage

/// The private directories of one run: homes on the disk of the store, sockets at a short path.
///
/// Both bear the process id and start time of launchlab, and the mark of its process in them, so that
/// what a killed run left is told from what a living one needs and from what is a user's, and removed
/// by the next run.
struct Workspace: Sendable {
  /// For sockets, whose paths may have no more than 107 bytes; others may pass through it.
  var sockets: FilePath { socketDirectory.path }

  private let socketDirectory: OwnedDirectory
  private let homes: OwnedDirectory

  /// Makes the directories, which the journal has before they are there.
  ///
  /// - Throws: ``HostError/placeRefused(path:_:)`` when others have the say of `work` beside the
  ///   store, ``HostError/system(operation:path:errno:)``, and what the journal throws.
  init(below directory: String, journal: ControlJournal? = nil) throws(HostError) {
    let homes = Self.homes(below: directory)
    let work = homes.removingLastComponent()
    try OwnPlace.make(work.string, permissions: 0o700)
    // One process may have labs of several stores.
    let number = DiskUse.status(of: work).map { "-\($0.st_ino)" } ?? ""
    let sockets = Self.socketRoot.appending("\(Self.prefix)\(ProcessIdentity.current)\(number)")
    let leftovers = OwnedDirectory.leftovers(in: work, prefix: Self.prefix)
    for path in leftovers.map(\.path) + [homes, sockets] {
      try journal?.record(.directory(path: FilePath.absolute(path.string).string), of: nil)
    }
    for leftover in leftovers { leftover.remove() }
    Self.removeStaleSockets()
    self.homes = try OwnedDirectory.makeOrReuse(homes, permissions: 0o700)
    do throws(HostError) {
      socketDirectory = try OwnedDirectory.makeOrReuse(sockets, permissions: 0o711)
      temporary = socketDirectory.path.appending(Self.temporaryName)
    } catch {
      self.homes.remove()
      throw error
    }
  }

  /// Where the private directories of this process are on the disk of the store.
  static func homes(below directory: String) -> FilePath {
    FilePath(directory).appending("work").appending("\(prefix)\(ProcessIdentity.current)")
  }

  /// The private HOME of an arm; names have one length, so that no arm's environment is larger.
  func home(ofArm index: Int) -> FilePath {
    let digits = String(index)
    return homes.path.appending(
      "home" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    )
  }

  /// The directory for what traced launches leave; it is there once it was asked for.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  func traces() throws(HostError) -> FilePath {
    let path = homes.path.appending("traces")
    guard unsafe mkdir(path.string, 0o700) == 0 || errno == EEXIST else {
      throw .system(operation: "make a directory for traces", path: path.string, errno: errno)
    }
    return path
  }

  // MARK: - Temporary files

  /// The directory for temporary files of launches.
  ///
  /// Its path is short enough for sockets, and the same for every launch.
  let temporary: FilePath

  private static let temporaryName: FilePath.Component = "tmp"

  /// Makes the directory for temporary files, empty.
  ///
  /// Targets of root may run as somebody else, so that others may write to it as to `/tmp`.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  func makeTemporary() throws(HostError) {
    let path = temporary.string
    let mode: mode_t = geteuid() == 0 ? 0o1777 : 0o700
    // What could not be removed is used again.
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST, unsafe chmod(path, mode) == 0 else {
      throw .system(operation: "make a directory for temporary files", path: path, errno: errno)
    }
  }

  /// Removes the directory for temporary files with what a launch has left in it, as far as that can be
  /// done.
  ///
  /// An empty one stays for the next launch, since making one takes as long as the rest of preparing
  /// a small program.
  ///
  /// - Returns: Whether it is still there.
  func clearTemporary() -> Bool {
    if let stream = unsafe opendir(temporary.string) {
      defer { unsafe closedir(stream) }
      // An empty directory has the entries `.` and `..`.
      let isEmpty = (0..<3).allSatisfy { index in unsafe (readdir(stream) != nil) == (index < 2) }
      if isEmpty { return true }
    } else if errno == ENOENT {
      return false
    }
    try? socketDirectory.remove(Self.temporaryName)
    return false
  }

  /// Removes both directories.
  func remove() {
    homes.remove()
    socketDirectory.remove()
  }

  /// What the names of the directories begin with.
  static let prefix = "launchlab-"

  private static let socketRoot = FilePath("/tmp")

  /// Removes the directories of sockets, and other temporary ones, of processes that are gone.
  ///
  /// - Returns: The directories that were found, and whether each could be removed.
  @discardableResult
  static func removeStaleSockets() -> [(path: FilePath, isRemoved: Bool)] {
    let temporary = FilePath(FileManager.default.temporaryDirectory.path)
    return Set([socketRoot, temporary]).sorted { $0.string < $1.string }
      .flatMap { OwnedDirectory.removeLeftovers(in: $0, prefix: prefix) }
  }
}

/// The private directory of this user for launches that are not stored.
package enum ScratchDirectory {
  /// Makes it unless it is there.
  ///
  /// - Returns: Its absolute path.
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package static func path() throws(HostError) -> String {
    try HelperCache(environment: ProcessInfo.processInfo.environment).scratch()
  }
}
