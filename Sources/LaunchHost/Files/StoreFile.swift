import Foundation
import Glibc
import SystemPackage

/// The file of a store that is going to be written to, with the files that SQLite keeps beside it.
///
/// Root takes none of them from another user: SQLite would read and write whatever that one has put
/// there, and what the store holds decides what is launched.
package struct StoreFile: Sendable {
  private let path: String
  private let directory: FilePath

  /// - Parameter path: An absolute path.
  package init(_ path: String) {
    self.path = path
    directory = FilePath(path).removingLastComponent()
  }

  /// Opens the store between two looks at its files.
  ///
  /// In a directory that anybody may write to the files are made before, so that nobody can make
  /// them in the moment in between.
  ///
  /// - Parameter open: Opens it, or makes it.
  /// - Returns: What `open` returns.
  /// - Throws: ``HostError/placeRefused(path:_:)``, and what `open` throws.
  package func opened<Store>(_ open: () throws -> Store) throws -> Store {
    try check()
    guard geteuid() == 0 else { return try open() }
    let reserved = try isShared ? reserve() : []
    defer { reserved.forEach(Self.removeEmptyJournal) }
    let store = try open()
    try check()
    return store
  }

  /// Looks at the files of the store, as far as they are there.
  ///
  /// - Throws: ``HostError/placeRefused(path:_:)``, for root only.
  package func check() throws(HostError) {
    guard geteuid() == 0 else { return }
    try OwnPlace.checkWay(to: directory.string)
    for file in files {
      guard let status = DiskUse.status(of: FilePath(file)) else { continue }
      if status.isSymbolicLink { throw .placeRefused(path: file, .symbolicLink) }
      guard OwnPlace.trusted.contains(status.st_uid) else {
        throw .placeRefused(path: file, .owner(OwnPlace.user(status.st_uid)))
      }
      if isShared, status.isRegular, status.st_nlink > 1 {
        throw .placeRefused(path: file, .linked)
      }
    }
  }

  /// An empty one is no journal of SQLite's, and in the way of the next who looks for one.
  private static func removeEmptyJournal(_ file: String) {
    guard file.hasSuffix("-journal"), DiskUse.status(of: FilePath(file))?.st_size == 0
    else { return }
    _ = unsafe unlink(file)
  }

  /// The store first.
  private var files: [String] { [path] + ["-wal", "-shm", "-journal"].map { path + $0 } }

  private var isShared: Bool {
    var status = stat()
    return unsafe stat(directory.string, &status) == 0 && status.permissions & 0o022 != 0
  }

  /// Makes the files that are not there.
  ///
  /// - Returns: Those that were made.
  private func reserve() throws(HostError) -> [String] {
    let isNew = (DiskUse.status(of: FilePath(path))?.st_size ?? 0) == 0
    var made: [String] = []
    // SQLite takes a journal beside a new file for a leftover.
    for file in files where !(isNew && file.hasSuffix("-journal")) {
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let descriptor = unsafe Glibc.open(file, flags, 0o600)
      let code = errno
      if descriptor >= 0 {
        close(descriptor)
        made.append(file)
      } else if code == EROFS {
        // Nobody makes them there; SQLite says what is wrong.
        break
      } else if code != EEXIST {
        throw .system(operation: "make the store", path: file, errno: code)
      }
    }
    try check()
    return made
  }
}
