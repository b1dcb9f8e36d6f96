import Foundation
import Glibc
import LaunchHost
import Subprocess
import SystemPackage

/// Builds that hosts hand to each other, in a directory that all of them see.
///
/// A build appears by rename(2), whole, under the name that it has in every ``BuildCache``: its key. It is
/// never changed afterwards, and never launched from there: who needs it copies it into a cache of its own.
/// No lock of one host need be seen by another one.
package struct SharedBuilds: Sendable {
  private let directory: FilePath

  /// - Parameter directory: An absolute path, the same on all hosts.
  package init(directory: String) { self.directory = FilePath(directory) }

  /// What became of a build that was offered to others.
  package enum Publication: Hashable, Sendable {
    case published

    /// Somebody else has published it before.
    case known

    /// A file that launches may load holds the path that it was built at, and would not do elsewhere.
    case boundToPath(file: String)
  }

  // MARK: - Giving

  /// Offers a build to others.
  ///
  /// A copy that was cut off stays as a hidden directory, which is no build and is never looked at.
  ///
  /// - Parameter log: The log of a build that is complete, from ``SourceBuild/log(of:)``.
  /// - Returns: What became of it.
  /// - Throws: ``HostError/placeRefused(path:_:)`` where others have the say of the directory, and
  ///   ``HostError/system(operation:path:errno:)``.
  package func publish(_ log: String) async throws -> Publication {
    let room = FilePath(log).removingLastComponent()
    guard let name = room.lastComponent else { return .known }
    let place = directory.appending(name)
    if DiskUse.status(of: place) != nil { return .known }
    let tree = room.appending("tree").string
    if let file = BuildDigest.file(holding: tree, below: tree) { return .boundToPath(file: file) }
    try OwnPlace.make(directory.string)
    let copy = directory.appending(".\(name.string)-\(UUID().uuidString)")
    let made = try OwnedDirectory.make(copy, permissions: 0o755)
    do {
      for part in Self.parts { try await Self.copy(room.appending(part), to: copy.appending(part)) }
      return try Self.move(copy, to: place, made)
    } catch {
      made.remove()
      throw error
    }
  }

  /// Gives a whole copy its name; the one that comes second is dropped.
  static func move(
    _ copy: FilePath,
    to place: FilePath,
    _ made: OwnedDirectory
  ) throws(HostError) -> Publication {
    if unsafe rename(copy.string, place.string) == 0 { return .published }
    let code = errno
    guard [ENOTEMPTY, EEXIST].contains(code) else {
      throw .system(operation: "publish the build", path: place.string, errno: code)
    }
    made.remove()
    return .known
  }

  // MARK: - Taking

  /// Whether somebody has published a build, and nobody else can have written it.
  ///
  /// - Parameter room: Of a cache, named by the key of the build.
  /// - Returns: Whether it may be taken.
  func has(_ room: FilePath) -> Bool {
    guard let name = room.lastComponent else { return false }
    let place = directory.appending(name)
    return OwnPlace.isOwn(directory) && OwnedDirectory.made(at: place) != nil
      && DiskUse.status(of: place.appending("complete"))?.isRegular == true
  }

  /// Copies a build into the room of a cache, which is locked and holds no tree.
  ///
  /// - Parameter room: Named by the key of a build that ``has(_:)`` found.
  /// - Returns: Whether it is there now; what cannot be copied is built.
  func fill(_ room: FilePath) async -> Bool {
    guard let name = room.lastComponent else { return false }
    let place = directory.appending(name)
    do {
      for part in Self.parts {
        try await Self.copy(place.appending(part), to: room.appending(part))
      }
      return true
    } catch {
      // What is there of the tree is removed before a build.
      return false
    }
  }

  /// What makes up a build; last what says that the rest is whole.
  private static let parts: [FilePath.Component] = ["tree", "build.log", "size", "complete"]

  /// Copies a file, or a directory with its links, modes and times, which say what is up to date.
  private static func copy(_ source: FilePath, to target: FilePath) async throws {
    let tool = ExternalTool(executable: .name("cp"))
    let output = try await tool.run(["-a", "--", source.string, target.string])
    guard output.isSuccess else {
      let reason = output.stderr.split(separator: "\n").last.map(String.init) ?? "cp failed"
      throw HostError.buildPrevented(reason: reason, log: source.string)
    }
  }
}
