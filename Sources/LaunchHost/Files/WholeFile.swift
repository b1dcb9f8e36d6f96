import CLabHost
import Foundation
import Glibc
import SystemPackage

/// A file that is written beside its place and moved there when it is whole.
///
/// A path that names something other than a regular file, such as `/dev/null` or a pipe, is
/// written to directly. Root follows no link that another user can have put on the way.
package struct WholeFile {
  private let path: FilePath

  package init(_ path: String) { self.path = FilePath(path) }

  /// Writes what `body` passes on, in chunks of 64 KiB, and replaces the file by it.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``, ``HostError/placeRefused(path:_:)`` and
  ///   what `body` throws; then a file that was there before is as it was.
  package func write(_ body: (_ sink: (String) throws -> Void) throws -> Void) throws {
    if isSpecial { return try write(to: openSpecial(), body) }
    let directory = try doing("write the file", openDirectory)
    guard let name = path.lastComponent,
      let temporary = FilePath.Component("\(name.string).\(getpid()).tmp")
    else { throw failure("write the file", ENOENT) }
    // What a process of this id has left, or somebody who may write here has put there.
    try? directory.remove(temporary)
    do {
      let flags = O_WRONLY | O_CREAT | O_EXCL
      try write(
        to: doing("write the file") { () throws(HostError) in
          try directory.open(temporary, flags, mode: 0o644)
        },
        body
      )
      try doing("replace the file") { () throws(HostError) in
        try directory.rename(temporary, over: name)
      }
    } catch {
      try? directory.remove(temporary)
      throw error
    }
  }

  /// Why the file must not be written, as a sentence without a full stop; nil when it may be.
  package var refusal: String? {
    guard geteuid() == 0, !isOpenFile else { return nil }
    let place = FilePath.absolute(path.string)
    do throws(HostError) {
      let end = isSpecial ? place : place.removingLastComponent()
      _ = try TrustedWay.open(to: end, care: .links)
      return nil
    } catch .placeRefused(let path, let refusal) {
      return refusal.problem(at: path)
    } catch {
      return nil
    }
  }

  // MARK: - The place

  /// An open file, such as `/dev/fd/3`, has no place where another could be moved to.
  private var isOpenFile: Bool {
    let names = path.components.map(\.string)
    return path.isAbsolute && !names.contains("..")
      && (names.first == "proc" || names.starts(with: ["dev", "fd"])
        || ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path.string))
  }

  private var isSpecial: Bool {
    if isOpenFile { return true }
    var status = stat()
    return unsafe stat(path.string, &status) == 0 && !status.isRegular
  }

  /// The first bytes of what is there.
  ///
  /// - Parameter count: How many at most.
  /// - Returns: None where nothing is there, or root would have to follow a link of another user.
  package func head(_ count: Int) -> [UInt8] {
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    var descriptor: CInt = -1
    if geteuid() == 0, !isOpenFile {
      do throws(HostError) {
        let way = try TrustedWay.open(to: .absolute(path.string), care: .links)
        guard let name = way.rest.names.first else { return [] }
        descriptor = unsafe name.string.withCString {
          unsafe lab_open_in(way.directory.descriptor, $0, flags, 0, 0)
        }
      } catch {
        return []
      }
    } else {
      descriptor = unsafe path.withPlatformString { unsafe open($0, flags) }
    }
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = unsafe Glibc.read(descriptor, &bytes, count)
    return Array(bytes.prefix(max(0, read)))
  }

  private func openDirectory() throws(HostError) -> ConfinedDirectory {
    let place = FilePath.absolute(path.string).removingLastComponent()
    guard geteuid() == 0 else { return try ConfinedDirectory(following: place) }
    return try ConfinedDirectory(endOf: TrustedWay.open(to: place, care: .links))
  }

  private func openSpecial() throws(HostError) -> OpenFile {
    if geteuid() == 0, !isOpenFile {
      let way = try TrustedWay.open(to: .absolute(path.string), care: .links)
      let name = way.rest.names.first
      // Another user's pipe may never be read.
      if let name, let status = DiskUse.status(of: way.directory.path.appending(name)),
        status.st_mode & S_IFMT == S_IFIFO, !OwnPlace.trusted.contains(status.st_uid)
      {
        throw .placeRefused(path: path.string, .owner(OwnPlace.user(status.st_uid)))
      }
      let result = unsafe (name?.string ?? ".").withCString {
        unsafe lab_open_in(way.directory.descriptor, $0, O_WRONLY, 0, 0)
      }
      guard result >= 0 else { throw failure("write the file", -result) }
      return OpenFile(descriptor: result, path: path)
    }
    let result = unsafe path.withPlatformString { unsafe open($0, O_WRONLY | O_CLOEXEC) }
    guard result >= 0 else { throw failure("write the file", errno) }
    return OpenFile(descriptor: result, path: path)
  }

  private func doing<Value: ~Copyable>(
    _ operation: String,
    _ call: () throws(HostError) -> Value
  ) throws(HostError) -> Value {
    do throws(HostError) {
      return try call()
    } catch .system(_, _, let code) {
      throw failure(operation, code)
    } catch {
      throw error
    }
  }

  private func failure(_ operation: String, _ code: CInt) -> HostError {
    .system(operation: operation, path: path.string, errno: code)
  }

  private func write(
    to file: consuming OpenFile,
    _ body: (_ sink: (String) throws -> Void) throws -> Void
  ) throws {
    let descriptor = FileDescriptor(rawValue: file.descriptor)
    do {
      var pending: [UInt8] = []
      try body { piece in
        pending.append(contentsOf: piece.utf8)
        guard pending.count >= 64 * 1_024 else { return }
        try descriptor.writeAll(pending)
        pending.removeAll(keepingCapacity: true)
      }
      try descriptor.writeAll(pending)
    } catch let error as Errno {
      throw failure("write the file", error.rawValue)
    }
  }
}

/// A file that is only ever appended to, by one process at a time, which has a lock on it.
package struct AppendedFile: Sendable {
  private let file: FileDescriptor

  /// Another process appends to the file.
  package struct InUse: Error {}

  /// Makes a new file, and the directories above it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - permissions: Of the directory that it is in.
  /// - Throws: `Errno`, also when the file exists, and ``HostError/placeRefused(path:_:)`` when others
  ///   have the say of one of the two directories above it.
  package init(creating path: String, in permissions: UInt32 = 0o755) throws {
    let directory = FilePath(path).removingLastComponent()
    try OwnPlace.make(directory.removingLastComponent().string)
    try OwnPlace.make(directory.string, permissions: permissions)
    file = try FileDescriptor.open(
      FilePath(path),
      .writeOnly,
      options: [.create, .exclusiveCreate, .append, .closeOnExec],
      permissions: [.ownerReadWrite, .groupRead, .otherRead]
    )
    try lock()
  }

  /// Goes on with a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - length: How many of its bytes are kept.
  /// - Throws: `Errno`, ``InUse``, and ``HostError/placeRefused(path:_:)`` as for a new one.
  package init(continuing path: String, keeping length: Int) throws {
    try Self.check(path)
    file = try FileDescriptor.open(
      FilePath(path),
      .writeOnly,
      options: [.append, .noFollow, .closeOnExec]
    )
    try lock()
    guard ftruncate(file.rawValue, length) == 0 else { throw Errno(rawValue: errno) }
  }

  private func lock() throws {
    guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
      let error = Errno(rawValue: errno)
      try? file.close()
      throw error == .wouldBlock ? InUse() : error
    }
  }

  /// Looks at the two directories above a file before what it says is done.
  ///
  /// - Throws: ``HostError/placeRefused(path:_:)`` when others have the say of one of them.
  package static func check(_ path: String) throws(HostError) {
    let directory = FilePath(path).removingLastComponent()
    for place in [directory.removingLastComponent(), directory] {
      guard try OwnPlace.check(place.string) else {
        throw .system(operation: "open the directory", path: place.string, errno: ENOENT)
      }
    }
  }

  /// Hands bytes to the kernel, which a killed process loses none of.
  ///
  /// - Throws: `Errno`.
  package func append(_ bytes: some Sequence<UInt8>) throws { try file.writeAll(bytes) }

  /// Returns when everything is on the disk.
  ///
  /// - Throws: `Errno`.
  package func sync() throws {
    guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
  }

  package func close() { try? file.close() }
}
