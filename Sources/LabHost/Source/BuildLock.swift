import Glibc
import SystemPackage

/// An exclusive lock on one build, so that two runs do not build in the same place.
struct BuildLock {
  private let file: FileDescriptor

  /// Waits until no other process holds the lock.
  init(_ path: FilePath) throws {
    file = try FileDescriptor.open(
      path, .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite])
    while flock(file.rawValue, LOCK_EX) != 0 {
      guard errno == EINTR else { throw Errno(rawValue: errno) }
    }
  }

  func release() { try? file.close() }
}
