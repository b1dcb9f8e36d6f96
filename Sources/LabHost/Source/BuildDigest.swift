import Foundation
package import LabModel
import SystemPackage

/// What tells builds that behave alike from others.
package enum BuildDigest {
  /// The digest of what a target launches of a build.
  ///
  /// It covers the executable, every shared library of the build, and what the scenario names in
  /// `files:` there. A script or a program from elsewhere may launch anything: then two builds are
  /// never known to be alike.
  ///
  /// Cost: it looks at every file of the build, and reads those that are covered.
  ///
  /// - Parameters:
  ///   - target: With the paths of the build.
  ///   - directory: The absolute path of the build, or of the executable where there is nothing else.
  /// - Returns: 64 hexadecimal digits, the SHA-256 digest of the executable where it is the only
  ///   file; nil when it cannot be known.
  package static func digest(of target: Target, below directory: String) -> String? {
    let top = FilePath(directory)
    guard let program = target.command.first, FilePath(program).starts(with: top),
      isExecutable(program)
    else { return nil }
    let data = target.files.filter { FilePath($0).starts(with: top) }
    let paths = Set([program] + libraries(below: directory) + data).sorted()
    var digests: [(path: String, digest: String)] = []
    for path in paths {
      guard let digest = try? ArtifactCache.artifact(at: path).digest else { return nil }
      digests.append((String(path.dropFirst(directory.count)), digest))
    }
    if digests.count == 1 { return digests[0].digest }
    let lines = digests.map { "\($0.digest) \($0.path)\n" }.joined()
    return SHA256([UInt8](lines.utf8)).hexadecimal
  }

  /// Whether a file begins like one that the kernel or the loader takes itself; elf(5).
  private static func isExecutable(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 4)) == Data([0x7f, 0x45, 0x4c, 0x46])
  }

  /// Regular files that are named as shared libraries, in no order.
  private static func libraries(below directory: String) -> [String] {
    guard let names = FileManager.default.enumerator(atPath: directory) else { return [] }
    var found: [String] = []
    for case let name as String in names {
      if name == ".git" || name.hasSuffix("/.git") { names.skipDescendants() }
      guard let last = FilePath(name).lastComponent?.string,
        last.hasSuffix(".so") || last.contains(".so.")
      else { continue }
      let path = FilePath(directory).pushing(FilePath(name))
      if DiskUse.status(of: path)?.isRegular == true { found.append(path.string) }
    }
    return found
  }
}
