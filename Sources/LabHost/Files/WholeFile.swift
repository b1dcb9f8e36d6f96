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
