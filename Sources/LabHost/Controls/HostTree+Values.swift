import Glibc
import SystemPackage

extension HostTree {
  /// Reads a value of sysfs or procfs; nil when it cannot be read.
  ///
  /// - Returns: Of a list of choices such as `always [madvise] never` the chosen one, else the
  ///   whole text; white space within it is one space each.
  func value(at path: String) -> String? { text(at: path).map(Self.normalized) }

  /// Writes a value of sysfs or procfs in one piece; an empty one as an empty line, since the
  /// kernel takes no write of nothing for one.
  func write(_ value: String, to path: String) throws(Errno) {
    let file: FileDescriptor
    do {
      file = try FileDescriptor.open(
        self.path(of: path),
        .writeOnly,
        options: [.truncate, .closeOnExec]
      )
    } catch {
      throw (error as? Errno) ?? .ioError
    }
    defer { try? file.close() }
    let bytes = Array("\(value)\n".utf8)
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(file.rawValue, $0.baseAddress, $0.count)
    }
    guard count >= 0 else { throw Errno(rawValue: errno) }
  }

  /// Where a file of the tree is.
  func path(of path: String) -> FilePath {
    root.appending(FilePath(path).removingRoot().components)
  }

  /// Whether it is the machine itself, and not a tree of files that stands in for it.
  var isMachine: Bool { root == "/" }

  private static func normalized(_ text: String) -> String {
    let words = text.split(whereSeparator: \.isWhitespace)
    let chosen = words.first { $0.hasPrefix("[") && $0.hasSuffix("]") && $0.count > 2 }
    if let chosen { return String(chosen.dropFirst().dropLast()) }
    return words.joined(separator: " ")
  }

  /// A value as ``value(at:)`` would give it.
  static func value(of text: String) -> String { normalized(text) }
}
