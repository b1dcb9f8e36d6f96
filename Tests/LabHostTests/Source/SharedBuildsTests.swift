import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import Builds
@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct SharedBuildsTests {
  private var root: String { TemporaryDirectory.path }
  private var shared: SharedBuilds { SharedBuilds(directory: "\(root)/shared") }

  /// The builds of a host, whose build command adds a line to `tally`.
  private func builds(of host: String, _ command: String = "cp file built") -> SourceBuild {
    SourceBuild(
      source: Source(
        repository: "\(root)/repository",
        build: "\(command) && echo >> \(root)/tally"
      ),
      cache: "\(root)/\(host)/builds",
      shared: shared
    )
  }

  private var built: Int {
    FileManager.default.contents(atPath: "\(root)/tally")?.count ?? 0
  }

  private func makeRepository() throws {
    try TestRepository(at: "\(root)/repository").shell("add file one")
  }

  @Test func `takes a build that another host has published`() async throws {
    try makeRepository()
    let builder = builds(of: "b1", "cp file built && ln -s built link && touch -d @978307200 built")
    let record = try await builder.build("HEAD")
    #expect(try await shared.publish(builder.log(of: record)) == .published)

    let host = builds(of: "h1", "cp file built && ln -s built link && touch -d @978307200 built")
    let taken = try await host.build("HEAD")

    #expect(built == 1)
    #expect(taken.wasCached)
    #expect(taken.directory.hasPrefix("\(root)/h1/builds/"))
    #expect(host.isKept(log: host.log(of: taken)))
    let files = "cat built; readlink link; stat -c %Y built"
    #expect(try TestMachine.shell(files, in: taken.directory) == "one\nbuilt\n978307200")
    #expect(BuildCache(directory: "\(root)/h1/builds").rooms(neededTrees: []).count == 1)
    // It is a build of its own.
    try FileManager.default.removeItem(atPath: "\(root)/shared")
    #expect(try await host.build("HEAD").wasCached)
  }

  @Test func `the second of two that publish drops its copy`() async throws {
    try makeRepository()
    let (first, second) = (builds(of: "b1"), builds(of: "b2"))
    let logs = try await (first.log(of: first.build("HEAD")), second.log(of: second.build("HEAD")))
    #expect(try await shared.publish(logs.0) == .published)
    #expect(try await shared.publish(logs.1) == .known)

    // Both have looked before either was there.
    let key = try #require(FilePath(logs.1).removingLastComponent().lastComponent)
    let copy = FilePath("\(root)/shared/.copy")
    let made = try OwnedDirectory.make(copy, permissions: 0o755)
    #expect(
      try SharedBuilds.move(copy, to: FilePath("\(root)/shared").appending(key), made) == .known
    )

    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(root)/shared") == [key.string])
    #expect(try await builds(of: "h1").build("HEAD").wasCached)
  }

  @Test func `of many that publish at once one succeeds`() async throws {
    try makeRepository()
    var logs: [String] = []
    for host in 0..<6 {
      let builder = SourceBuild(
        source: Source(repository: "\(root)/repository", build: "cp file built"),
        cache: "\(root)/b\(host)/builds"
      )
      logs.append(builder.log(of: try await builder.build("HEAD")))
    }
    let shared = shared
    let results = try await withThrowingTaskGroup(of: SharedBuilds.Publication.self) { group in
      for log in logs { group.addTask { try await shared.publish(log) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count { $0 == .published } == 1)
    #expect(results.count { $0 == .known } == 5)
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(root)/shared").count == 1)
  }

  @Test func `keeps a build that holds its path, but for sources`() async throws {
    try makeRepository()
    let builder = builds(of: "b1", "pwd > config.h && pwd > built")
    let log = try await builder.log(of: builder.build("HEAD"))
    #expect(try await shared.publish(log) == .boundToPath(file: "built"))
    #expect(!FileManager.default.fileExists(atPath: "\(root)/shared"))

    let other = builds(of: "b1", "pwd > config.h && cp file built")
    #expect(try await shared.publish(other.log(of: other.build("HEAD"))) == .published)
  }

  @Test func `builds where what is published is no build of this user`() async throws {
    try makeRepository()
    let builder = builds(of: "b1")
    _ = try await shared.publish(builder.log(of: builder.build("HEAD")))

    try TestMachine.shell("chmod o+w shared/*", in: root)
    #expect(try await !builds(of: "h1").build("HEAD").wasCached)
    try TestMachine.shell("chmod o-w shared/*; rm shared/*/complete", in: root)
    #expect(try await !builds(of: "h2").build("HEAD").wasCached)
    #expect(built == 3)
  }

  @Test func `takes a build in place of one that has failed here`() async throws {
    try makeRepository()
    let command = "mkdir rest && test -e \(root)/go && cp file built"
    await #expect(throws: HostError.self) { try await builds(of: "h1", command).build("HEAD") }
    try Data().write(to: URL(filePath: "\(root)/go"))
    let builder = builds(of: "b1", command)
    _ = try await shared.publish(builder.log(of: builder.build("HEAD")))

    let taken = try await builds(of: "h1", command).build("HEAD", triesAgain: false)
    #expect(taken.wasCached)
    #expect(FileManager.default.fileExists(atPath: "\(taken.directory)/built"))
  }
}
