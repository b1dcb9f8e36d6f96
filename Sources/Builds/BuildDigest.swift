import Foundation
package import LaunchCore
import LaunchHost

/// What tells executables and builds that behave alike from others.
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

// MARK: - Builds of a tree

extension BuildDigest {
  /// The digest of what a build has made, as far as a launch can depend on it.
  ///
  /// Of ELF files only what is loaded counts, without the build-id and section headers; the path of
  /// the directory is taken for the same wherever it stands. Sources of compilers, what they leave
  /// behind, and documents count only where the program is a script or a word of the command names
  /// such a file.
  ///
  /// - Parameters:
  ///   - directory: The absolute path of the tree that was built in.
  ///   - target: What is launched, with absolute paths.
  /// - Returns: 64 hexadecimal digits of SHA-256; nil where something cannot be read, or 512 MiB do
  ///   not hold all of it.
  package static func digest(ofTree directory: String, launching target: Target) -> String? {
    guard let program = try? ExecutableLookup.program(of: target) else { return nil }
    let words = target.command.dropFirst() + target.files
    let isNative = isExecutable(program) && !words.contains { isSource($0) }
    guard let names = FileManager.default.enumerator(atPath: directory) else { return nil }
    var paths: [String] = []
    for case let path as String in names {
      let name = (path as NSString).lastPathComponent
      if toolDirectories.contains(name) {
        names.skipDescendants()
      } else if !isNative || !isSource(name) {
        paths.append(path)
      }
    }
    var digest = SHA256()
    var bytes = 0
    for path in paths.sorted() {
      guard let entry = entry(at: "\(directory)/\(path)") else { return nil }
      // What is in a directory says that it is there.
      if entry.kind == directoryKind { continue }
      let content = normal(entry.content, directory)
      bytes += content.count
      guard bytes <= 512 << 20 else { return nil }
      let header = "\(path)\0\(entry.kind)\0\(content.count)\0"
      digest.append(Array(header.utf8)[...])
      digest.append(content[...])
    }
    return digest.hexadecimal
  }

  /// The first file that a launch can depend on and that holds a path.
  ///
  /// - Parameters:
  ///   - path: What is looked for, an absolute path.
  ///   - directory: The absolute path of the tree that was built in.
  /// - Returns: Its path below the directory; nil where there is none.
  static func file(holding path: String, below directory: String) -> String? {
    guard let names = FileManager.default.enumerator(atPath: directory) else { return nil }
    for case let name as String in names {
      let last = (name as NSString).lastPathComponent
      if toolDirectories.contains(last) {
        names.skipDescendants()
      } else if !isSource(last), let entry = entry(at: "\(directory)/\(name)"),
        Data(entry.content).range(of: Data(path.utf8)) != nil
      {
        return name
      }
    }
    return nil
  }

  /// What a file is, and what of its content counts; nil where it cannot be read.
  private static func entry(at path: String) -> (kind: String, content: [UInt8])? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      let type = attributes[.type] as? FileAttributeType
    else { return nil }
    let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    switch type {
    case .typeDirectory: return (directoryKind, [])
    case .typeSymbolicLink:
      guard let end = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        return nil
      }
      return ("link", Array(end.utf8))
    case .typeRegular:
      guard let data = FileManager.default.contents(atPath: path) else { return nil }
      let content = [UInt8](data)
      return ("file \(mode & 0o111)", ElfImage(content)?.loaded ?? content)
    default: return ("\(type.rawValue)", [])
    }
  }

  /// A content in which the path of the directory is the same everywhere.
  private static func normal(_ content: [UInt8], _ directory: String) -> [UInt8] {
    var data = Data(content)
    let path = Data(directory.utf8)
    let stand = Data(repeating: UInt8(ascii: "/"), count: path.count)
    var start = data.startIndex
    while let range = data.range(of: path, in: start..<data.endIndex) {
      data.replaceSubrange(range, with: stand)
      start = range.upperBound
    }
    return [UInt8](data)
  }

  /// Whether a file is one that compilers read or leave behind, or that only people read.
  private static func isSource(_ path: String) -> Bool {
    let name = (path as NSString).lastPathComponent
    let stem = name.prefix { $0.isLetter }
    return sourceSuffixes.contains((name as NSString).pathExtension)
      || documents.contains(stem.uppercased()) || toolFiles.contains(name)
  }

  private static let directoryKind = "directory"

  private static let sourceSuffixes: Set = [
    "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "s", "S", "rs", "go", "swift", "y",
    "l",
    "o", "a", "lo", "la", "d", "gch", "pch", "log", "md", "rst", "adoc", "texi",
  ]
  private static let documents: Set = [
    "README", "NEWS", "CHANGES", "CHANGELOG", "AUTHORS", "COPYING", "LICENSE", "TODO",
    "CONTRIBUTING",
  ]
  private static let toolFiles: Set = [
    ".git", ".gitignore", ".gitattributes", ".gitmodules", ".editorconfig", ".clang-format",
    ".travis.yml", "config.status",
  ]
  private static let toolDirectories: Set = [".git", ".deps", ".github", "autom4te.cache"]
}

/// What of a 64-bit ELF file is loaded; elf(5).
private struct ElfImage {
  private let bytes: [UInt8]

  /// - Returns: Nil for any other file.
  init?(_ bytes: [UInt8]) {
    // 64-bit, the least significant byte first.
    guard bytes.count >= 64, bytes.prefix(6) == [0x7f, 0x45, 0x4c, 0x46, 2, 1] else { return nil }
    self.bytes = bytes
  }

  /// The program headers and the contents of all segments that are loaded; nil where they are not
  /// what they should be, as of object files.
  var loaded: [UInt8]? {
    let (start, size, count) = (number(at: 32, 8), number(at: 54, 2), number(at: 56, 2))
    guard count > 0, size == 56, start + size * count <= bytes.count else { return nil }
    var content = Array(bytes[..<64])
    // Where section headers are, and how many, nobody looks at who loads the file.
    for place in Array(40..<48) + Array(60..<64) { content[place] = 0 }
    for index in 0..<count {
      let header = start + index * size
      let (offset, length) = (number(at: header + 8, 8), number(at: header + 32, 8))
      content += bytes[header..<(header + size)]
      guard number(at: header, 4) == 1 else { continue }
      guard length >= 0, offset >= 0, offset + length <= bytes.count else { return nil }
      // The ELF header itself is in the first segment.
      content += bytes[max(offset, min(64, offset + length))..<(offset + length)]
    }
    return withoutBuildId(content)
  }

  private func number(at place: Int, _ width: Int) -> Int {
    (0..<width).reduce(0) { $0 | Int(truncatingIfNeeded: UInt64(bytes[place + $1]) << (8 * $1)) }
  }

  /// The build-id is a digest of the whole file, with what is not loaded.
  private func withoutBuildId(_ content: [UInt8]) -> [UInt8] {
    var data = Data(content)
    let note = Data([4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 0x47, 0x4e, 0x55, 0])
    guard let range = data.range(of: note), range.upperBound + 20 <= data.endIndex else {
      return content
    }
    data.resetBytes(in: range.upperBound..<(range.upperBound + 20))
    return [UInt8](data)
  }
}
