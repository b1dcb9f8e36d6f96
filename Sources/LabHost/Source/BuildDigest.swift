import Foundation
import LabModel

/// What tells ready-made executables that behave alike from others.
package enum BuildDigest {
  /// The digest of an executable.
  ///
  /// A script may launch anything: two of them are never known to be alike.
  ///
  /// - Parameter path: The absolute path of what is launched, with nothing beside it that differs
  ///   from version to version.
  /// - Returns: 64 hexadecimal digits of SHA-256; nil when it is no executable of the kernel or the
  ///   loader, or cannot be read.
  package static func digest(ofExecutable path: String) -> String? {
    guard isExecutable(path) else { return nil }
    return try? ArtifactCache.artifact(at: path).digest
  }

  /// Whether a file begins like one that the kernel or the loader takes itself; elf(5).
  private static func isExecutable(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 4)) == Data([0x7f, 0x45, 0x4c, 0x46])
  }
}
