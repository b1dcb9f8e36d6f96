import Foundation
import Glibc
package import SystemPackage

/// What tells a file from every other one, by whatever path it is reached.
///
/// A file that is not there yet is told by the directory in which it would be made.
package enum PathIdentity: Hashable, Sendable {
  case file(device: UInt64, inode: UInt64)

  /// `names` lead from the deepest directory that exists to the file.
  case missing(device: UInt64, inode: UInt64, names: [String])

  /// The identity of what is at a path, with links followed; nil when nothing is there.
  init?(of path: FilePath) {
    var status = stat()
    guard unsafe path.withPlatformString({ unsafe stat($0, &status) }) == 0 else { return nil }
    self = .file(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  /// All that a path stands for: what it leads to, and the link itself where it is one.
  ///
  /// Two paths with a common identity must not both be written.
  ///
  /// - Parameter path: Absolute, or relative to the working directory.
  /// - Returns: At least one, unless not even the top of the file system can be examined.
  package static func all(of path: String) -> Set<PathIdentity> {
    var found: Set<PathIdentity> = []
    var path = FilePath.absolute(path)
    // As many links as the kernel follows: one that leads nowhere yet is written through.
    for _ in 0..<40 {
      var status = stat()
      guard unsafe path.withPlatformString({ unsafe lstat($0, &status) }) == 0 else { break }
      found.insert(.file(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)))
      guard status.isSymbolicLink else { return found }
      let target = unsafe path.withPlatformString { unsafe realpath($0, nil) }
      if let target = unsafe target {
        unsafe free(target)
        return found.union([PathIdentity(of: path)].compactMap(\.self))
      }
      guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path.string)
      else { return found }
      path = path.removingLastComponent().pushing(FilePath(link))
    }
    return found.union([missing(path)].compactMap(\.self))
  }

  /// Whether this is a directory to come in which the other one is to come too.
  package func isAbove(_ other: PathIdentity) -> Bool {
    guard case .missing(let device, let inode, let names) = self,
      case .missing(device, inode, let longer) = other
    else { return false }
    return longer.count > names.count && longer.starts(with: names)
  }

  /// The identities of a path that exists and of the directories that it lies in, from the inside.
  ///
  /// Of a path that does not exist, those of the directories that do.
  package static func chain(of path: String) -> [PathIdentity] {
    var path = DeclaredDirectory.resolved(.absolute(path))
    var found: [PathIdentity] = []
    while true {
      if let identity = PathIdentity(of: path) { found.append(identity) }
      guard path.lastComponent != nil else { return found }
      path = path.removingLastComponent()
    }
  }

  /// Whether what is at a path takes what is written without being replaced, such as `/dev/null`.
  package static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return false }
    return !status.isRegular && !status.isDirectory
  }

  /// Whether there is anything at a path, a link that leads nowhere too.
  static func isThere(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// Whether a path leads to a directory.
  static func isDirectory(_ path: FilePath) -> Bool {
    var status = stat()
    return unsafe path.withPlatformString { unsafe stat($0, &status) } == 0 && status.isDirectory
  }

  private static func missing(_ path: FilePath) -> PathIdentity? {
    var parent = path
    var names: [String] = []
    while let name = parent.lastComponent {
      names.insert(name.string, at: 0)
      parent = parent.removingLastComponent()
      if case .file(let device, let inode) = PathIdentity(of: parent) {
        return .missing(device: device, inode: inode, names: names)
      }
    }
    return nil
  }
}

extension FilePath {
  /// A path from the root, of one that may start at the working directory.
  package static func absolute(_ path: String) -> FilePath {
    FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath(path))
  }
}
