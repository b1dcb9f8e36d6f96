import Glibc
package import SystemPackage

/// The files of a machine under a root directory, so that a fixture tree can stand in for `/`.
package struct HostTree: Hashable, Sendable {
  /// The directory that stands for `/`.
  package var root: FilePath

  package init(root: FilePath = "/") { self.root = root }

  /// The largest number of bytes that is read of one file.
  private static let sizeLimit = 16 << 20

  /// Reads a whole file.
  ///
  /// - Parameter path: Relative to the root.
  /// - Returns: At most 16 MiB, or nil when the file cannot be read.
  package func bytes(at path: String) -> [UInt8]? {
    let place = location(of: path)
    guard let file = unsafe try? FileDescriptor.open(place, .readOnly, options: .closeOnExec) else {
      return nil
    }
    defer { try? file.close() }
    return Self.bytes(of: file)
  }

  /// Reads an open file from where it is; at most 16 MiB, or nil when it cannot be read.
  static func bytes(of file: FileDescriptor) -> [UInt8]? {
    var status = stat()
    let size = unsafe fstat(file.rawValue, &status) == 0 ? status.st_size : 0
    var content: [UInt8] = []
    content.reserveCapacity(min(max(0, size), sizeLimit))
    return unsafe withUnsafeTemporaryAllocation(byteCount: 32 << 10, alignment: 1) { chunk in
      while content.count < sizeLimit {
        guard let count = unsafe try? file.read(into: chunk) else { return nil }
        if count == 0 { return content }
        unsafe content.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[..<count]))
      }
      return content
    }
  }

  /// Reads a text file without the white space around it; nil when it cannot be read.
  func text(at path: String) -> String? {
    guard let bytes = bytes(at: path) else { return nil }
    return String(decoding: bytes, as: UTF8.self).trimmed
  }

  /// Lists a directory in order of names, without `.` and `..`; empty when it cannot be read.
  func names(in path: String) -> [String] {
    guard let stream = unsafe opendir(location(of: path)) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe entry.name
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Where a symbolic link leads; nil when it cannot be read.
  func link(at path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(location(of: path), &buffer, buffer.count)
    guard count >= 0 else { return nil }
    return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private func location(of path: String) -> String { "\(root.string)/\(path)" }
}

extension UnsafeMutablePointer<dirent> {
  /// The name of a directory entry, with broken UTF-8 repaired.
  fileprivate var name: String {
    unsafe withUnsafeBytes(of: &pointee.d_name) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

extension StringProtocol {
  /// The text without white space at both ends.
  var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}

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

extension HostTree {
  /// Moves a process with all its threads into a cgroup.
  ///
  /// - Parameters:
  ///   - path: The cgroup's file `cgroup.procs`, relative to the root.
  ///   - pid: The process.
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  func join(_ path: String, pid: Int) throws(HostError) {
    let file = root.appending(FilePath(path).removingRoot().components)
    do {
      let descriptor = try FileDescriptor.open(file, .writeOnly, options: .closeOnExec)
      _ = try descriptor.closeAfter { try descriptor.writeAll("\(pid)\n".utf8) }
    } catch {
      let code = (error as? Errno)?.rawValue ?? EIO
      throw .system(operation: "move process \(pid) into a cgroup", path: file.string, errno: code)
    }
  }
}

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
