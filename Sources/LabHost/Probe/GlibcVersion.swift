import Foundation
package import SystemPackage

/// The version of the GNU C library that a program is loaded by.
package struct GlibcVersion: Hashable, Comparable, CustomStringConvertible, Sendable {
  package let major: Int
  package let minor: Int

  package init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  package var description: String { "\(major).\(minor)" }

  package static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

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
    self.init(text: String(decoding: data[range.upperBound...].prefix(16), as: UTF8.self))
  }

  /// Reads the name of a loader's file, such as `ld-2.31.so`.
  init?(fileName: String) {
    guard fileName.hasPrefix("ld-"), fileName.hasSuffix(".so") else { return nil }
    self.init(text: String(fileName.dropFirst(3)))
  }

  /// Reads two numbers at the start of a text.
  private init?(text: String) {
    let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count > 1, let major = Int(parts[0]),
      let minor = Int(parts[1].prefix { $0.isNumber })
    else { return nil }
    self.init(major: major, minor: minor)
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
