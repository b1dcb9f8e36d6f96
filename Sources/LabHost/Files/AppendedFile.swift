import Foundation
import Glibc
import SystemPackage

/// A file that is only ever appended to, by one process at a time.
package struct AppendedFile: Sendable {
  private let file: FileDescriptor

  /// Makes a new file, and the directories above it.
  ///
  /// - Throws: `Errno`, also when the file exists.
  package init(creating path: String) throws {
    let directory = FilePath(path).removingLastComponent()
    try FileManager.default.createDirectory(
      atPath: directory.string,
      withIntermediateDirectories: true
    )
    file = try FileDescriptor.open(
      FilePath(path),
      .writeOnly,
      options: [.create, .exclusiveCreate, .append, .closeOnExec],
      permissions: [.ownerReadWrite, .groupRead, .otherRead]
    )
  }

  /// Goes on with a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - length: How many of its bytes are kept.
  /// - Throws: `Errno`.
  package init(continuing path: String, keeping length: Int) throws {
    file = try FileDescriptor.open(FilePath(path), .writeOnly, options: [.append, .closeOnExec])
    guard ftruncate(file.rawValue, length) == 0 else { throw Errno(rawValue: errno) }
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
