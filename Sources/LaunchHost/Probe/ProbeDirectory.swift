import CLaunchWire
import Foundation
import Glibc
import SystemPackage

/// The directory that holds the probe and its events.
///
/// It is in memory where possible: there nothing waits for a disk, and `drop_caches` lets the
/// probe stay, so that a cold launch is not made colder by being watched.
struct ProbeDirectory: Sendable {
  var path: FilePath { directory.path }

  private let directory: OwnedDirectory

  /// Holds the files.
  ///
  /// Every user may write events, so nobody can guess its name or list it: who cannot read the
  /// environment of the target does not find them.
  private let room: FilePath

  /// Whether every user can reach it, as a target that changes its user needs.
  let isOpenToAll: Bool

  var probe: String { room.appending(Self.fileName).string }
  var events: String { room.appending(LAUNCH_EVENTS_NAME).string }
  var nodeScript: String { room.appending("timing.cjs").string }

  /// What the probe is called; programs with launch marks find the events beside it.
  static let fileName = "probe.so"

  private static let prefix = "launchlab-probe-"

  /// The loader takes no longer path of an auditor, with its NUL; glibc, elf/rtld.c.
  private static let pathLimit = 255

  /// `ST_NOEXEC` of statvfs(3).
  private static let noExecution: UInt = 8

  /// Makes a directory in the first place that will do.
  ///
  /// - Parameters:
  ///   - memory: Directories that may be in memory, the best first.
  ///   - fallback: A directory on a disk.
  ///   - journal: Has the directory before it is there.
  /// - Returns: An empty directory with a name of its own.
  /// - Throws: ``HostError/system(operation:path:errno:)`` when no place will do.
  static func make(
    memory: [String],
    fallback: String,
    journal: ControlJournal? = nil
  ) throws(HostError) -> Self {
    var failure = EACCES
    for place in memory where isMemory(place) {
      if let made = try make(in: FilePath(place), journal, failure: &failure) { return made }
    }
    if let made = try make(in: FilePath(fallback), journal, failure: &failure) { return made }
    throw .system(
      operation: "make a directory that the loader takes a library from",
      path: fallback,
      errno: failure
    )
  }

  /// Removes the directory with all that is in it.
  func remove() { directory.remove() }

  /// Whether a path is that of a probe, of this process or another.
  static func isProbe(_ path: String) -> Bool {
    path.hasSuffix("/\(fileName)") && path.contains("/\(prefix)")
  }

  // MARK: - Details

  private static func make(
    in parent: FilePath,
    _ journal: ControlJournal?,
    failure: inout CInt
  ) throws(HostError) -> Self? {
    var system = statvfs()
    guard unsafe statvfs(parent.string, &system) == 0, system.f_flag & noExecution == 0,
      !parent.string.contains(where: { $0 == ":" || $0 == "$" })
    else { return nil }
    removeStale(in: parent)
    // One process may have several, one after the other or side by side.
    for number in 1...1_000 {
      let path = parent.appending("\(prefix)\(ProcessIdentity.current)-\(number)")
      let room = path.appending(UUID().uuidString)
      guard room.string.utf8.count + "/\(fileName)".utf8.count < pathLimit else { return nil }
      if DiskUse.status(of: path) != nil { continue }
      try journal?.record(.directory(path: path.string), of: nil)
      do throws(HostError) {
        let directory = try OwnedDirectory.make(path, permissions: 0o711)
        failure = makeOpenToPass(room)
        if failure == 0 {
          return Self(directory: directory, room: room, isOpenToAll: isOpenToAll(parent))
        }
        directory.remove()
        return nil
      } catch .system(_, _, let code) {
        failure = code
        if code != EEXIST { return nil }
      }
    }
    return nil
  }

  /// Makes a directory that others may pass through, whatever the mask of file modes; 0 or errno.
  private static func makeOpenToPass(_ path: FilePath) -> CInt {
    unsafe mkdir(path.string, 0o711) == 0 && chmod(path.string, 0o711) == 0 ? 0 : errno
  }

  private static func isMemory(_ path: String) -> Bool {
    let place = DeclaredDirectory.realPath(of: FilePath(path))
    return place.flatMap { MountInfo().mount(holding: $0)?.isInMemory } ?? false
  }

  private static func isOpenToAll(_ directory: FilePath) -> Bool {
    var place = directory
    repeat {
      var status = stat()
      guard unsafe stat(place.string, &status) == 0, status.st_mode & S_IXOTH != 0 else {
        return false
      }
    } while place.removeLastComponent()
    return true
  }

  /// Removes what processes that are gone have left.
  ///
  /// - Parameters:
  ///   - parent: Where they are.
  ///   - isOwn: Whether those of this process are removed too.
  /// - Returns: The directories that were found, and whether each could be removed.
  @discardableResult
  static func removeStale(
    in parent: FilePath = "/dev/shm",
    orOwn isOwn: Bool = false
  ) -> [(path: FilePath, isRemoved: Bool)] {
    OwnedDirectory.removeLeftovers(in: parent, prefix: prefix, orOwn: isOwn)
  }
}
