package import Foundation
import Glibc
package import SystemPackage

/// What files take on the disk.
package enum DiskUse {
  /// The space of a file, or of a directory with everything below it.
  ///
  /// Links are not followed; a file with several names counts for each. Cost: one call per file.
  package static func bytes(below path: FilePath) -> Int64 {
    let own = status(of: path).map { Int64($0.st_blocks) * 512 } ?? 0
    guard status(of: path)?.isDirectory == true,
      let files = FileManager.default.enumerator(atPath: path.string)
    else { return own }
    var total = own
    for case let name as String in files {
      total += status(of: path.pushing(FilePath(name))).map { Int64($0.st_blocks) * 512 } ?? 0
    }
    return total
  }

  /// When a file was last changed, in nanoseconds; nil when it is not there.
  package static func changedAt(_ path: FilePath) -> Int64? {
    status(of: path).map { Int64($0.st_mtim.tv_sec) * 1_000_000_000 + Int64($0.st_mtim.tv_nsec) }
  }

  /// Marks a file as used now.
  package static func touch(_ path: FilePath) {
    _ = unsafe path.withPlatformString {
      unsafe utimensat(AT_FDCWD, $0, nil, AT_SYMLINK_NOFOLLOW)
    }
  }

  /// What is there itself, even if it is a link.
  package static func status(of path: FilePath) -> stat? {
    var status = stat()
    return unsafe path.withPlatformString { unsafe lstat($0, &status) } == 0 ? status : nil
  }
}
