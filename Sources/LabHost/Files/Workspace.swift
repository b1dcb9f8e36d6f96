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

  // MARK: - Temporary files

  /// The directory for temporary files of the launch that is next; it is there during a launch only.
  ///
  /// Its path is short enough for sockets, and the same for every launch.
  var temporary: FilePath { sockets.appending(Self.temporaryName) }

  private static let temporaryName: FilePath.Component = "tmp"

  /// Makes the directory for temporary files, empty.
  ///
  /// Targets of root may run as somebody else, so that others may write to it as to `/tmp`.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  func makeTemporary() throws(HostError) {
    removeTemporary()
    let path = temporary.string
    // What could not be removed is used again.
    var status = unsafe mkdir(path, 0o700)
    if status != 0, errno == EEXIST { status = 0 }
    if status == 0, geteuid() == 0 { status = unsafe chmod(path, 0o1777) }
    guard status == 0 else {
      throw .system(operation: "make a directory for temporary files", path: path, errno: errno)
    }
  }

  /// Removes the directory for temporary files with all that is in it, as far as that can be done.
  func removeTemporary() {
    guard unsafe access(temporary.string, F_OK) == 0 else { return }
    try? socketDirectory.remove(Self.temporaryName)
  }

  /// Removes both directories.
  func remove() {
    homes.remove()
    socketDirectory.remove()
  }

  /// What the names of the directories begin with.
  static let prefix = "launchlab-"

  private static let socketRoot = FilePath("/tmp")

  /// Removes the directories of sockets of labs that are gone.
  ///
  /// - Returns: The directories that were found, and whether each could be removed.
  @discardableResult
  static func removeStaleSockets() -> [(path: FilePath, isRemoved: Bool)] {
    OwnedDirectory.leftovers(in: socketRoot, prefix: prefix).map { ($0.path, $0.remove()) }
  }
}
