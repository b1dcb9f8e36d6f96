import Glibc
import SystemPackage

/// The file of a journal, which only its own user can have written.
enum JournalFile {
  /// Reads the whole file.
  ///
  /// - Returns: Nil when it cannot be read, or is a link, another user's, or one that others may
  ///   write to: root would do whatever it says.
  static func bytes(at path: FilePath) -> [UInt8]? {
    let options: FileDescriptor.OpenOptions = [.noFollow, .nonBlocking, .closeOnExec]
    guard let file = try? FileDescriptor.open(path, .readOnly, options: options) else { return nil }
    defer { try? file.close() }
    var status = stat()
    guard unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid(), status.st_mode & 0o022 == 0
    else { return nil }
    return HostTree.bytes(of: file)
  }
}
