import Foundation
import Glibc
import SystemPackage

/// A file that is only ever appended to, by one process at a time, which has a lock on it.
package struct AppendedFile: Sendable {
  private let file: FileDescriptor

  /// Another process appends to the file.
  package struct InUse: Error {}

  /// Makes a new file, and the directories above it.
  ///
  /// - Throws: `Errno`, also when the file exists, and ``HostError/placeRefused(path:_:)`` when others
  ///   have the say of one of the two directories above it.
  package init(creating path: String) throws {
    let directory = FilePath(path).removingLastComponent()
    try OwnPlace.make(directory.removingLastComponent().string)
    try OwnPlace.make(directory.string)
    file = try FileDescriptor.open(
      FilePath(path),
      .writeOnly,
      options: [.create, .exclusiveCreate, .append, .closeOnExec],
      permissions: [.ownerReadWrite, .groupRead, .otherRead]
    )
    try lock()
  }

  /// Goes on with a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - length: How many of its bytes are kept.
  /// - Throws: `Errno`, ``InUse``, and ``HostError/placeRefused(path:_:)`` as for a new one.
  package init(continuing path: String, keeping length: Int) throws {
    try Self.check(path)
    file = try FileDescriptor.open(
      FilePath(path),
      .writeOnly,
      options: [.append, .noFollow, .closeOnExec]
    )
    try lock()
    guard ftruncate(file.rawValue, length) == 0 else { throw Errno(rawValue: errno) }
  }

  private func lock() throws {
    guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
      let error = Errno(rawValue: errno)
      try? file.close()
      throw error == .wouldBlock ? InUse() : error
    }
  }

  /// Looks at the two directories above a file before what it says is done.
  ///
  /// - Throws: ``HostError/placeRefused(path:_:)`` when others have the say of one of them.
  package static func check(_ path: String) throws(HostError) {
    let directory = FilePath(path).removingLastComponent()
    for place in [directory.removingLastComponent(), directory] {
      guard try OwnPlace.check(place.string) else {
        throw .system(operation: "open the directory", path: place.string, errno: ENOENT)
      }
    }
  }

  /// Hands bytes to the kernel, which a killed process loses none of.
  ///
  /// - Throws: `Errno`.
  package func append(_ bytes: some Sequence<UInt8>) throws { try file.writeAll(bytes) }

  /// Returns when everything is on the disk.
  ///
  /// - Throws: `Errno`.
  package func sync() throws {
    guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
  }

  package func close() { try? file.close() }
}
