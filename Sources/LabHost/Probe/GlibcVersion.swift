import Foundation
package import LabModel
package import SystemPackage

extension GlibcVersion {
  /// Reads the version of a loader from its file, without running it.
  ///
  /// From 2.33 on the loader holds the banner of its version. The file of an older one bears the
  /// version in its name, such as `ld-2.31.so`; else the banner of the `libc.so.6` beside it tells.
  ///
  /// It is nil for another C library, and for a file that cannot be read.
  ///
  /// - Parameter loader: The loader that a program asks for, absolute.
  package init?(loader: FilePath) {
    guard let target = Self.resolved(loader) else { return nil }
    let beside = target.removingLastComponent().appending("libc.so.6")
    let isOfGNU = target.lastComponent?.string.hasPrefix("ld-musl") == false
    guard isOfGNU,
      let version = Self(fileAt: target) ?? Self(fileName: target.lastComponent?.string ?? "")
        ?? Self(fileAt: beside)
    else { return nil }
    self = version
  }

  /// Finds a banner, such as `GNU C Library (GNU libc) stable release version 2.31`, in a file.
  init?(banner bytes: some Sequence<UInt8>) {
    let data = Data(bytes)
    guard let range = data.range(of: Data(" release version ".utf8)) else { return nil }
    self.init(beginning: String(decoding: data[range.upperBound...].prefix(16), as: UTF8.self))
  }

  /// Reads the name of a loader's file, such as `ld-2.31.so`.
  init?(fileName: String) {
    guard fileName.hasPrefix("ld-"), fileName.hasSuffix(".so") else { return nil }
    self.init(beginning: String(fileName.dropFirst(3)))
  }

  private init?(fileAt path: FilePath) {
    guard let bytes = HostTree().bytes(at: path.string) else { return nil }
    self.init(banner: bytes)
  }

  private static func resolved(_ path: FilePath) -> FilePath? {
    let resolved = URL(filePath: path.string).resolvingSymlinksInPath().path
    return FileManager.default.isReadableFile(atPath: resolved) ? FilePath(resolved) : nil
  }
}
