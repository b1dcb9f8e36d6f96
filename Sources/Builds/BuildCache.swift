import Foundation
package import LaunchCore
import LaunchHost
import SystemPackage

/// The builds of sources that are kept, each in a room of its own.
package struct BuildCache: Sendable {
  private let directory: FilePath

  /// - Parameter directory: The directory that ``SourceBuild`` builds in.
  package init(directory: String) { self.directory = FilePath(directory) }

  /// Every build that is kept, those that have failed included.
  ///
  /// Only those with the mark of launchlab count, since only those are ever removed.
  ///
  /// Cost: a build that was never measured is walked through once.
  ///
  /// - Parameter trees: The git tree ids of builds that must stay.
  /// - Returns: One room per build, ascending by path.
  package func rooms(neededTrees trees: Set<String>) -> [KeptRoom] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.string)) ?? []
    let needed = Set(trees.map { $0.prefix(16) })
    return names.sorted().compactMap { name in
      let room = directory.appending(name)
      guard Self.isRoom(name), OwnedDirectory.made(at: room) != nil,
        let usedAt = DiskUse.changedAt(room.appending("complete")) ?? DiskUse.changedAt(room)
      else { return nil }
      return KeptRoom(
        path: room.string,
        bytes: Self.size(of: room),
        usedAt: usedAt,
        isNeeded: needed.contains(name.prefix(16))
      )
    }
  }

  /// Removes a build, unless something is being built in its place, or a process has a lease of it.
  ///
  /// - Returns: Whether it was removed.
  @discardableResult
  package func remove(_ room: KeptRoom) -> Bool {
    let path = FilePath(room.path)
    guard let made = OwnedDirectory.made(at: path),
      let lock = BuildLock(ifFree: path.appending("lock"))
    else { return false }
    defer { lock.release() }
    let lease = BuildLeases.path(in: path)
    let own = BuildLock(ifFree: lease)
    guard own != nil || DiskUse.status(of: lease) == nil else { return false }
    defer { own?.release() }
    // First what says that the rest is whole.
    try? FileManager.default.removeItem(atPath: path.appending("complete").string)
    try? GitRepository.unlinkWorktree(at: path.appending("tree"))
    return made.remove()
  }

  /// Ends builds that were being made by a launchlab which was killed, and cuts their worktrees off.
  package func endLeftovers() {
    guard OwnPlace.isOwn(directory) else { return }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.string)) ?? []
    for room in names.filter(Self.isRoom).map({ directory.appending($0) }) {
      guard OwnedDirectory.made(at: room) != nil,
        DiskUse.status(of: room.appending("complete")) == nil,
        let lock = BuildLock(ifFree: room.appending("lock"))
      else { continue }
      defer { lock.release() }
      BuildSession.endLeft(in: room)
      try? GitRepository.unlinkWorktree(at: room.appending("tree"))
    }
  }

  /// Writes down how much space a build takes, which does not change any more.
  static func noteSize(of room: FilePath) {
    let bytes = DiskUse.bytes(below: room)
    try? Data("\(bytes)\n".utf8).write(to: URL(filePath: room.appending("size").string))
  }

  private static func size(of room: FilePath) -> Int64 {
    let noted = try? String(contentsOfFile: room.appending("size").string, encoding: .utf8)
    return noted.flatMap { Int64($0.filter(\.isNumber)) } ?? DiskUse.bytes(below: room)
  }

  /// Whether a name is one that ``SourceBuild/key(tree:command:prefix:submodules:environment:)`` gives.
  private static func isRoom(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].count == 16
      && parts.allSatisfy { part in
        !part.isEmpty && part.allSatisfy(\.isHexDigit)
      }
  }
}

/// Tells which builds of a source are kept, without building or changing anything.
package struct KeptBuilds: Sendable {
  private let source: Source
  private let cache: FilePath

  /// - Parameters:
  ///   - source: What is built.
  ///   - cache: The directory that holds the builds.
  package init(source: Source, cache: String) {
    self.source = source
    self.cache = FilePath(cache)
  }

  /// How many of some builds are kept.
  ///
  /// - Parameter trees: The git tree ids, each counted as often as it is given.
  /// - Returns: The number; builds that have failed do not count.
  /// - Throws: ``HostError/notARepository(path:message:)``.
  package func count(ofTrees trees: [String]) async throws -> Int {
    let repository = try await GitRepository(containing: source.repository)
    let environment = BuildEnvironment(of: source).text
    return trees.count { tree in
      let room = SourceBuild.key(
        tree: tree,
        command: source.build,
        prefix: repository.prefix,
        submodules: source.submodules,
        environment: environment
      )
      return DiskUse.status(of: cache.appending(room).appending("complete")) != nil
    }
  }
}
