import Foundation
import Glibc
import SystemPackage

/// A file that is written beside its place and moved there when it is whole.
///
/// A path that names something other than a regular file, such as `/dev/null` or a pipe, is
/// written to directly.
package struct WholeFile {
  private let path: FilePath

  package init(_ path: String) { self.path = FilePath(path) }

  /// Writes what `body` passes on, in chunks of 64 KiB, and replaces the file by it.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``, and what `body` throws; then a file
  ///   that was there before is as it was.
  package func write(_ body: (_ sink: (String) throws -> Void) throws -> Void) throws {
    if isSpecial { return try write(to: path, options: [], body) }
    let temporary = FilePath("\(path.string).\(getpid()).tmp")
    // What a process of this id has left, or somebody who may write here has put there.
    _ = unsafe unlink(temporary.string)
    do {
      try write(to: temporary, options: [.create, .exclusiveCreate, .noFollow], body)
      guard unsafe rename(temporary.string, path.string) == 0 else {
        throw HostError.system(operation: "replace the file", path: path.string, errno: errno)
      }
    } catch {
      _ = unsafe unlink(temporary.string)
      throw error
    }
  }

  private var isSpecial: Bool {
    // An open file, such as `/dev/fd/3`, has no place where another could be moved to.
    if path.starts(with: "/dev") || path.starts(with: "/proc") { return true }
    var status = stat()
    guard unsafe stat(path.string, &status) == 0 else { return false }
    return status.st_mode & S_IFMT != S_IFREG
  }

  private func write(
    to file: FilePath,
    options: FileDescriptor.OpenOptions,
    _ body: (_ sink: (String) throws -> Void) throws -> Void
  ) throws {
    do {
      let descriptor = try FileDescriptor.open(
        file,
        .writeOnly,
        options: options.union(.closeOnExec),
        permissions: [.ownerReadWrite, .groupRead, .otherRead]
      )
      try descriptor.closeAfter {
        var pending: [UInt8] = []
        try body { piece in
          pending.append(contentsOf: piece.utf8)
          guard pending.count >= 64 * 1_024 else { return }
          try descriptor.writeAll(pending)
          pending.removeAll(keepingCapacity: true)
        }
        try descriptor.writeAll(pending)
      }
    } catch let error as Errno {
      throw HostError.system(
        operation: "write the file",
        path: path.string,
        errno: error.rawValue
      )
    }
  }
}

/// A file that is only ever appended to, by one process at a time, which has a lock on it.
package struct AppendedFile: Sendable {
  private let file: FileDescriptor

  /// Another process appends to the file.
  package struct InUse: Error {}

  /// Makes a new file, and the directories above it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - permissions: Of the directory that it is in.
  /// - Throws: `Errno`, also when the file exists, and ``HostError/placeRefused(path:_:)`` when others
  ///   have the say of one of the two directories above it.
  package init(creating path: String, in permissions: UInt32 = 0o755) throws {
    let directory = FilePath(path).removingLastComponent()
    try OwnPlace.make(directory.removingLastComponent().string)
    try OwnPlace.make(directory.string, permissions: permissions)
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
