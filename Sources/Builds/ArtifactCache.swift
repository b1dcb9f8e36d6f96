import Foundation
import Glibc
package import LaunchCore
package import LaunchHost
import SystemPackage

/// Copies of programs as they were in former nights, by the digest of their content.
///
/// A copy is whole or not there: it is made under another name, and moved when its digest is known.
/// It is read once more before it is used, so that what somebody put in its place is never launched.
package struct ArtifactCache: Sendable {
  private let directory: FilePath

  /// The beginning of the name of a directory that is being filled.
  private static let prefix = "new-"

  /// - Parameter directory: An absolute path; it is made when something is kept.
  package init(directory: String) { self.directory = FilePath(directory) }

  /// Reads a file, and tells what it is.
  ///
  /// - Parameter path: Absolute; links are followed.
  /// - Returns: Where links led, and what is there.
  /// - Throws: ``HostError/system(operation:path:errno:)`` when it cannot be read, or is no file.
  package static func artifact(at path: String) throws(HostError) -> Artifact {
    let real = DeclaredDirectory.realPath(of: FilePath(path)) ?? FilePath(path)
    let file = try OpenFile(reading: real)
    guard try file.status().isRegular else { throw file.failure("read the program", EINVAL) }
    let (digest, bytes) = try digest(of: file)
    return Artifact(path: real.string, digest: digest, bytes: bytes)
  }

  /// Keeps a copy of a file, unless there is one.
  ///
  /// Whether a copy of before is still what it was is looked at when it is used.
  ///
  /// - Parameters:
  ///   - artifact: What ``artifact(at:)`` has found.
  ///   - name: The name of the copy, which is what it sees as its own.
  /// - Returns: The path of the copy.
  /// - Throws: ``HostError/system(operation:path:errno:)`` on a full disk, say; then nothing is left
  ///   behind. Also when the file has changed since. ``HostError/placeRefused(path:_:)`` when others
  ///   have the say of the directory.
  @discardableResult
  package func keep(_ artifact: Artifact, as name: String) throws(HostError) -> String {
    guard let name = FilePath.Component(name), name.kind == .regular,
      let room = room(of: artifact.digest)
    else { throw .system(operation: "keep a copy of", path: artifact.path, errno: EINVAL) }
    try OwnPlace.make(directory.string, permissions: 0o700)
    if Self.isThere(room.appending(name), bytes: artifact.bytes) {
      DiskUse.touch(room)
      return room.appending(name).string
    }
    for leftover in OwnedDirectory.leftovers(in: directory, prefix: Self.prefix) {
      leftover.remove()
    }
    let salt = String(UInt64.random(in: 0...(.max)), radix: 16)
    let path = directory.appending("\(Self.prefix)\(ProcessIdentity.current)-\(salt)")
    let new = try OwnedDirectory.make(path, permissions: 0o700)
    defer { new.remove() }
    try fill(path.appending(name), with: artifact)
    try move(name, from: path, to: room)
    return room.appending(name).string
  }

  /// Finds the copy of a program.
  ///
  /// Cost: it reads the whole copy.
  ///
  /// - Parameters:
  ///   - artifact: What it is a copy of.
  ///   - name: The name that it was kept under.
  /// - Returns: The path of the copy; nil when there is none, or it has an unexpected form.
  package func copy(of artifact: Artifact, named name: String) -> String? {
    guard let name = FilePath.Component(name), name.kind == .regular,
      let room = room(of: artifact.digest), DiskUse.status(of: room)?.isDirectory == true,
      OwnPlace.isOwn(directory), OwnPlace.isOwn(room)
    else { return nil }
    let path = room.appending(name)
    guard Self.isThere(path, bytes: artifact.bytes), let file = try? OpenFile(reading: path),
      let found = try? Self.digest(of: file), found.digest == artifact.digest
    else { return nil }
    DiskUse.touch(room)
    return path.string
  }

  /// Whether there is a file of this user with so many bytes, which may have been changed since.
  private static func isThere(_ path: FilePath, bytes: Int64) -> Bool {
    guard let status = DiskUse.status(of: path) else { return false }
    return status.isRegular && status.st_uid == geteuid() && Int64(status.st_size) == bytes
  }

  /// Every copy that is kept, in a directory with the mark of launchlab.
  ///
  /// - Parameter needed: The digests of those that must stay.
  /// - Returns: One room per digest, ascending by path.
  package func rooms(needed: Set<String>) -> [KeptRoom] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.string)) ?? []
    return names.sorted().compactMap { name in
      guard let room = room(of: name), OwnedDirectory.made(at: room) != nil,
        let usedAt = DiskUse.changedAt(room)
      else { return nil }
      return KeptRoom(
        path: room.string,
        bytes: DiskUse.bytes(below: room),
        usedAt: usedAt,
        isNeeded: needed.contains(name)
      )
    }
  }

  /// Removes a room with what is in it.
  package func remove(_ room: KeptRoom) {
    OwnedDirectory.made(at: FilePath(room.path))?.remove()
  }

  // MARK: - Places

  /// Where copies of a digest are; nil for a text that is none.
  private func room(of digest: String) -> FilePath? {
    let isDigest =
      digest.utf8.count == 64
      && digest.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    return isDigest ? directory.appending(digest) : nil
  }

  // MARK: - Copying

  private func fill(_ path: FilePath, with artifact: Artifact) throws(HostError) {
    let source = try OpenFile(reading: FilePath(artifact.path))
    let status = try source.status()
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = unsafe path.withPlatformString { unsafe open($0, flags, 0o600) }
    guard descriptor >= 0 else {
      throw .system(operation: "make a copy", path: path.string, errno: errno)
    }
    let copy = OpenFile(descriptor: descriptor, path: path)
    _ = try copy.append(contentOf: source)
    try copy.check(fchmod(descriptor, status.permissions & 0o777 | 0o400), "set the mode of")
    try copy.synchronize()
    guard lseek(descriptor, 0, SEEK_SET) == 0, try Self.digest(of: copy).digest == artifact.digest
    else { throw .system(operation: "copy unchanged", path: artifact.path, errno: EBUSY) }
  }

  /// Moves a whole directory into its place, or its file into one that is there.
  private func move(
    _ name: FilePath.Component,
    from new: FilePath,
    to room: FilePath
  ) throws(HostError) {
    if unsafe rename(new.string, room.string) == 0 { return }
    guard try OwnPlace.check(room.string) else {
      throw .system(operation: "keep a copy", path: room.string, errno: ENOENT)
    }
    let (source, target) = (new.appending(name).string, room.appending(name).string)
    guard unsafe rename(source, target) == 0 else {
      throw .system(operation: "keep a copy", path: room.string, errno: errno)
    }
  }

  private static func digest(
    of file: borrowing OpenFile
  ) throws(HostError) -> (
    digest: String, bytes: Int64
  ) {
    var hash = SHA256()
    var bytes: Int64 = 0
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = unsafe read(file.descriptor, &chunk, chunk.count)
      let code = errno
      if count < 0, code == EINTR { continue }
      guard count >= 0 else { throw file.failure("read", code) }
      if count == 0 { return (hash.hexadecimal, bytes) }
      hash.append(chunk.prefix(count))
      bytes += Int64(count)
    }
  }
}
