import CLabHost
import Glibc
import SystemPackage

/// An open file that is closed when it goes out of scope.
struct OpenFile: ~Copyable {
  let descriptor: CInt

  /// Where it was opened, for messages only: what is there may be another file by now.
  let path: FilePath

  init(descriptor: CInt, path: FilePath) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Opens a file for reading, without changing its access time where that is allowed.
  init(reading path: FilePath) throws(HostError) {
    let result = unsafe path.withPlatformString { unsafe lab_open_unnoticed($0) }
    guard result >= 0 else {
      throw .system(operation: "open the file", path: path.string, errno: -result)
    }
    self.init(descriptor: result, path: path)
  }

  deinit { close(descriptor) }

  /// What the file is, by `fstat`.
  func status() throws(HostError) -> stat {
    var status = stat()
    try check(unsafe fstat(descriptor, &status), "examine")
    return status
  }

  /// Waits until contents and metadata are on storage.
  func synchronize() throws(HostError) { try check(fsync(descriptor), "write to storage") }

  /// Drops the pages of the file that are clean and that nobody maps.
  func letGoOfPages() throws(HostError) {
    let code = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    guard code == 0 else { throw failure("evict", code) }
  }

  func check(_ result: CInt, _ operation: String) throws(HostError) {
    let code = errno
    guard result == 0 else { throw failure(operation, code) }
  }

  func failure(_ operation: String, _ errno: CInt) -> HostError {
    .system(operation: operation, path: path.string, errno: errno)
  }
}

extension stat {
  var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
  var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
  var isSymbolicLink: Bool { st_mode & S_IFMT == S_IFLNK }

  /// The permission bits, with set-user-id, set-group-id and sticky.
  var permissions: mode_t { st_mode & 0o7777 }
}
