import CLabHost
package import Glibc
package import SystemPackage

/// An open file that is closed when it goes out of scope.
package struct OpenFile: ~Copyable {
  package let descriptor: CInt

  /// Where it was opened, for messages only: what is there may be another file by now.
  let path: FilePath

  package init(descriptor: CInt, path: FilePath) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Opens a file for reading, without changing its access time where that is allowed.
  package init(reading path: FilePath) throws(HostError) {
    let result = unsafe path.withPlatformString { unsafe lab_open_unnoticed($0) }
    guard result >= 0 else {
      throw .system(operation: "open the file", path: path.string, errno: -result)
    }
    self.init(descriptor: result, path: path)
  }

  deinit { close(descriptor) }

  /// `O_PATH` of open(2), which Glibc does not export: nothing is opened for reading.
  static let pathOnly: CInt = 0o10_000_000

  /// What the file is, by `fstat`.
  package func status() throws(HostError) -> stat {
    var status = stat()
    try check(unsafe fstat(descriptor, &status), "examine")
    return status
  }

  /// Waits until contents and metadata are on storage.
  package func synchronize() throws(HostError) { try check(fsync(descriptor), "write to storage") }

  /// Drops the pages of the file that are clean and that nobody maps.
  func letGoOfPages() throws(HostError) {
    let code = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    guard code == 0 else { throw failure("evict", code) }
  }

  package func check(_ result: CInt, _ operation: String) throws(HostError) {
    let code = errno
    guard result == 0 else { throw failure(operation, code) }
  }

  package func failure(_ operation: String, _ errno: CInt) -> HostError {
    .system(operation: operation, path: path.string, errno: errno)
  }
}

extension stat {
  package var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
  package var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
  var isSymbolicLink: Bool { st_mode & S_IFMT == S_IFLNK }

  /// The permission bits, with set-user-id, set-group-id and sticky.
  package var permissions: mode_t { st_mode & 0o7777 }
}

/// What becomes of an owner that only root may give.
enum OwnerRule: Hashable, Sendable {
  /// Not being able to give it is an error.
  case required

  /// The file then belongs to whoever runs launchlab.
  case ifPermitted
}

extension OpenFile {
  private static let chunkSize = 1 << 20

  /// Appends the whole content of another file.
  ///
  /// The bytes are really written, never shared with the original by the file system, since an
  /// installation writes them too.
  ///
  /// - Returns: How many bytes were copied.
  package func append(contentOf source: borrowing OpenFile) throws(HostError) -> Int64 {
    var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
    var total: Int64 = 0
    while true {
      let count = unsafe read(source.descriptor, &chunk, chunk.count)
      let code = errno
      if count < 0, code == EINTR { continue }
      guard count >= 0 else { throw source.failure("read", code) }
      if count == 0 { return total }
      try append(chunk.prefix(count))
      total += Int64(count)
    }
  }

  private func append(_ bytes: ArraySlice<UInt8>) throws(HostError) {
    var rest = bytes
    while !rest.isEmpty {
      let (count, code) = unsafe rest.withUnsafeBytes { buffer in
        unsafe (write(descriptor, buffer.baseAddress, buffer.count), errno)
      }
      if count < 0, code == EINTR { continue }
      guard count > 0 else { throw failure("write", code) }
      rest = rest.dropFirst(count)
    }
  }

  /// Takes over owner, mode, extended attributes and times of another file, in this order.
  ///
  /// A change of owner clears set-user-id and capabilities, so these come after it, and every
  /// change but the last touches the times.
  func takeMetadata(of source: borrowing OpenFile, owner: OwnerRule) throws(HostError) {
    let wanted = try source.status()
    let actual = try status()
    if (wanted.st_uid, wanted.st_gid) != (actual.st_uid, actual.st_gid) {
      let result = fchown(descriptor, wanted.st_uid, wanted.st_gid)
      if owner == .required || errno != EPERM { try check(result, "set the owner of") }
    }
    try check(fchmod(descriptor, wanted.permissions), "set the mode of")
    try takeAttributes(of: source)
    try setTimes(of: wanted)
  }

  func setTimes(of status: stat) throws(HostError) {
    let times = [status.st_atim, status.st_mtim]
    try check(unsafe futimens(descriptor, times), "set the times of")
  }

  private func takeAttributes(of source: borrowing OpenFile) throws(HostError) {
    let wanted = try source.attributes()
    // A default ACL of the directory may have given the new file entries of its own.
    for name in try attributes().keys where wanted[name] == nil {
      try check(attribute: unsafe lab_remove_attribute(descriptor, name))
    }
    for (name, value) in wanted where try attributes()[name] != value {
      try check(attribute: unsafe lab_set_attribute(descriptor, name, value, UInt(value.count)))
    }
  }

  /// All extended attributes by name; empty where the file system has none.
  package func attributes() throws(HostError) -> [[CChar]: [UInt8]] {
    let size = lab_list_attributes(descriptor, nil, 0)
    if size == -Int(ENOTSUP) || size == 0 { return [:] }
    guard size > 0 else { throw failure("list the extended attributes of", CInt(-size)) }
    var names = [CChar](repeating: 0, count: size)
    let length = unsafe lab_list_attributes(descriptor, &names, UInt(size))
    guard length >= 0 else { throw failure("list the extended attributes of", CInt(-length)) }
    var attributes: [[CChar]: [UInt8]] = [:]
    for name in names.prefix(length).split(separator: 0) {
      attributes[Array(name) + [0]] = try attribute(Array(name) + [0])
    }
    return attributes
  }

  private func attribute(_ name: [CChar]) throws(HostError) -> [UInt8] {
    let size = unsafe lab_get_attribute(descriptor, name, nil, 0)
    guard size >= 0 else { throw failure("read an extended attribute of", CInt(-size)) }
    var value = [UInt8](repeating: 0, count: max(size, 1))
    let length = unsafe lab_get_attribute(descriptor, name, &value, UInt(size))
    guard length >= 0 else { throw failure("read an extended attribute of", CInt(-length)) }
    return Array(value.prefix(length))
  }

  private func check(attribute result: CInt) throws(HostError) {
    guard result == 0 else { throw failure("set an extended attribute of", -result) }
  }
}
