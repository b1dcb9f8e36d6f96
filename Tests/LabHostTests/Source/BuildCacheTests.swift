import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import Builds
@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct BuildCacheTests {
  private var root: String { TemporaryDirectory.path }
  private var cache: BuildCache { BuildCache(directory: "\(root)/builds") }

  /// Builds the newest commit of a repository of one file.
  private func build(_ text: String) async throws -> BuildRecord {
    try TestMachine.shell(
      """
      export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b
      export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
      git init -q repository; cd repository; echo \(text) > file; git add file
      git commit -qm \(text)
      """,
      in: root
    )
    return try await source.build("HEAD")
  }

  private var source: SourceBuild {
    SourceBuild(
      source: Source(repository: "\(root)/repository", build: "cp file built"),
      cache: "\(root)/builds"
    )
  }

  @Test func `lists builds, and knows those that are needed`() async throws {
    let first = try await build("one")
    let second = try await build("two")

    let rooms = cache.rooms(neededTrees: [first.tree])

    #expect(rooms.count == 2)
    let needed = rooms.filter(\.isNeeded)
    #expect(needed.map { "\($0.path)/tree/" } == [first.directory + "/"].map { $0 })
    #expect(rooms.allSatisfy { $0.bytes > 0 })
    #expect(second.tree != first.tree)
  }

  @Test func `a build that is used again is the newest`() async throws {
    _ = try await build("one")
    _ = try await build("two")
    try TestMachine.shell("touch -d 2001-01-01 builds/*/complete", in: root)
    let used = try await source.build("HEAD~1")
    let newest = cache.rooms(neededTrees: []).max { $0.usedAt < $1.usedAt }
    #expect(used.wasCached)
    #expect(used.directory.hasPrefix(newest?.path ?? "none"))
  }

  @Test func `builds again what was removed`() async throws {
    let first = try await build("one")
    let room = try #require(cache.rooms(neededTrees: []).first)

    // A process that another test starts has the lock, too, until it executes its program.
    for _ in 0..<1_000 where !cache.remove(room) { try await Task.sleep(for: .milliseconds(5)) }

    #expect(cache.rooms(neededTrees: []) == [])
    let again = try await source.build("HEAD")
    #expect(!again.wasCached)
    #expect(again.directory == first.directory)
  }

  @Test func `leaves a build that is being made`() async throws {
    _ = try await build("one")
    let room = try #require(cache.rooms(neededTrees: []).first)
    let lock = try await BuildLock(FilePath("\(room.path)/lock"), interrupt: nil)
    defer { lock.release() }

    #expect(!cache.remove(room))

    #expect(cache.rooms(neededTrees: []).count == 1)
  }

  @Test func `who waited for a build that was removed takes a new lock`() async throws {
    let path = FilePath("\(root)/builds/room/lock")
    let first = try await BuildLock(path, interrupt: nil)
    async let second = BuildLock(path, interrupt: nil)
    try FileManager.default.removeItem(atPath: path.removingLastComponent().string)
    first.release()

    let lock = try await second
    defer { lock.release() }

    #expect(BuildLock(ifFree: path) == nil)
  }

  @Test func `who stops waiting for a build leaves the lock to others`() async throws {
    let path = FilePath("\(root)/builds/room/lock")
    let flag = try InterruptFlag()
    let first = try await BuildLock(path, interrupt: nil)
    let interrupted = Task { try await BuildLock(path, interrupt: flag) }
    let cancelled = Task { try await BuildLock(path, interrupt: nil) }
    flag.set()
    cancelled.cancel()
    await #expect(throws: HostError.interrupted) { _ = try await interrupted.value }
    await #expect(throws: HostError.interrupted) { _ = try await cancelled.value }
    first.release()

    let lock = try await BuildLock(path, interrupt: nil)
    lock.release()
  }

  @Test func `leaves a build that launchlab has not made`() async throws {
    let record = try await build("one")
    let room = try #require(cache.rooms(neededTrees: []).first)
    try TestMachine.shell("rm builds/*/complete builds/*/.launchlab-owner", in: root)
    let before = try TestMachine.digest(of: record.directory)

    #expect(cache.rooms(neededTrees: []) == [])
    #expect(!cache.remove(room))
    await #expect(
      throws: HostError.placeRefused(path: "\(room.path)/tree", .unmarked)
    ) { try await source.build("HEAD") }

    #expect(try TestMachine.digest(of: record.directory) == before)
  }

  @Test func `removes no directory that a build passes off as an entry of git`() async throws {
    _ = try await build("one")
    try TestMachine.shell(
      """
      mkdir precious; echo file > precious/file; tree=$(echo $PWD/builds/*/tree)
      echo "gitdir: $PWD/precious" > $tree/.git; echo $tree/.git > precious/gitdir
      """,
      in: root
    )
    let tree = try TestMachine.shell("echo builds/*/tree", in: root)
    try GitRepository.unlinkWorktree(at: FilePath("\(root)/\(tree)"))
    #expect(try TestMachine.shell("ls precious", in: root) == "file\ngitdir")
  }

  @Test func `passes over directories that are no builds`() throws {
    try TestMachine.shell(
      "mkdir -p builds/notes builds/0123456789abcdef; ln -s / builds/x-1",
      in: root
    )
    #expect(cache.rooms(neededTrees: []) == [])
  }
}
