import Glibc
import SystemPackage

extension HostTree {
  /// Whether this process may write to a file, or make files in a directory.
  ///
  /// - Parameter path: Relative to the root.
  /// - Returns: What access(2) says for the effective user.
  func isWritable(at path: String) -> Bool { mayAccess(path, W_OK) }

  /// Whether there is something at a path, relative to the root.
  func exists(at path: String) -> Bool { mayAccess(path, F_OK) }

  private func mayAccess(_ path: String, _ mode: Int32) -> Bool {
    let location = root.appending(FilePath(path).removingRoot().components)
    return unsafe location.withPlatformString {
      unsafe faccessat(AT_FDCWD, $0, mode, AT_EACCESS) == 0
    }
  }
}
