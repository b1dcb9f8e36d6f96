import Foundation
import LabTestSupport
import Synchronization
import Testing

@testable import Bisection
@testable import LaunchCore
@testable import LaunchHost
@testable import Measuring

@Suite(.temporaryDirectory) struct RevisionBuilderTests {
  private var root: String { TemporaryDirectory.path }

  /// Collects the builds that began.
  private final class Begun: Sendable {
    private let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func note(_ revision: Int, _ isAhead: Bool) {
      list.withLock { $0.append("\(revision)\(isAhead ? " ahead" : "")") }
    }
  }

  /// A repository with a commit for each content of the file `recipe`, which is how it is built.
  private func makeRepository(_ recipes: [String]) throws -> TestRepository {
    let repository = try TestRepository(at: "\(root)/repository")
    for (index, recipe) in recipes.enumerated() {
      try Data(recipe.utf8).write(to: URL(filePath: "\(repository.path)/recipe"))
      try repository.shell("commit \(index)\(index == 0 ? "; git tag first" : "")")
    }
    return repository
  }

  private func builder(
    jobs: Int = 1,
    triesAgain: Bool = false,
    begun: Begun = Begun(),
    interrupt: InterruptFlag? = nil
  ) async throws -> RevisionBuilder {
    let path = "\(root)/repository"
    let source = Source(repository: path, build: "cd ../../../..; . \"$OLDPWD/recipe\"")
    let tool = Target(name: "tool", command: ["\(path)/tool"], directory: path)
    var scenario = Scenario.sample("tool", [tool], in: root)
    scenario.source = source
    return RevisionBuilder(
      source: source,
      scenario: scenario,
      revisions: try await RangeResolver(scenario: scenario, text: "first..").result().revisions,
      cache: CacheLocation(directory: "\(root)/lab"),
      jobs: jobs,
      triesAgain: triesAgain,
      interrupt: interrupt,
      observe: { begun.note($0, $1) }
    )
  }

  /// A recipe that succeeds; it is run in the directory of the test.
  private func good(_ number: Int) -> String { "cp /bin/sh $OLDPWD/tool # \(number)" }

  @Test func `builds a revision, and finds it the next time`() async throws {
    _ = try makeRepository([good(0), good(1), good(2)])
    var first = try await builder()
    var second = try await builder()

    let built = try await first.build(1, ahead: [])
    let again = try await second.build(1, ahead: [])

    let program = try #require(built.target?.command.first)
    #expect(program.hasPrefix("\(root)/lab/builds/"))
    #expect(program.hasSuffix("/tree/tool"))
    #expect(FileManager.default.isExecutableFile(atPath: program))
    #expect(FileManager.default.fileExists(atPath: built.log ?? ""))
    #expect(built.failure == nil && built.seconds != nil && first.isLaunchable(built))
    #expect(again.seconds == nil && again.target == built.target)
    #expect(built.digest?.count == 64 && again.digest == built.digest)
  }

  @Test func `equal trees are built once`() async throws {
    let begun = Begun()
    _ = try makeRepository([good(0), good(1), good(0), good(2)])
    var builder = try await builder(begun: begun)
    let first = try await builder.build(0, ahead: [])
    let reverted = try await builder.build(2, ahead: [])
    #expect(begun.all == ["0"])
    #expect(reverted.revision == 2 && reverted.seconds == nil && reverted.target == first.target)
  }

  @Test func `a stretch that does not build is remembered with its reasons`() async throws {
    let recipes = ["echo no; exit 2", "exit 125", "kill -9 $$"]
    _ = try makeRepository([good(0)] + recipes + [good(4)])
    let begun = Begun()
    for isFirst in [true, false] {
      var builder = try await builder(begun: begun)
      for (index, word) in ["status 2", "skip", "signal 9"].enumerated() {
        let built = try await builder.build(index + 1, ahead: [])
        #expect(built.failure?.contains(word) == true)
        #expect(built.target == nil && !builder.isLaunchable(built))
        #expect((built.seconds != nil) == isFirst)
      }
    }
    #expect(begun.all == ["1", "2", "3"])
  }

  @Test func `failures are tried again once when that is asked for`() async throws {
    _ = try makeRepository([good(0), "echo >> tries; exit 1", good(2)])
    var first = try await builder()
    _ = try await first.build(1, ahead: [])
    var second = try await builder(triesAgain: true)
    #expect(try await second.build(1, ahead: []).seconds != nil)
    #expect(try await second.build(1, ahead: []).seconds == nil)
    #expect(try Data(contentsOf: URL(filePath: "\(root)/tries")).count == 2)
  }

  @Test func `a build without the executable has failed`() async throws {
    _ = try makeRepository([good(0), "true", "echo text > $OLDPWD/tool"])
    var builder = try await builder()
    let missing = try await builder.build(1, ahead: [])
    #expect(missing.failure?.hasPrefix("the build command has succeeded, but there is no ") == true)
    #expect(missing.target == nil && missing.log != nil)
    #expect(try await builder.build(2, ahead: []).failure?.contains("is not executable") == true)
  }

  @Test func `a build that was removed cannot be launched`() async throws {
    _ = try makeRepository([good(0), good(1)])
    var builder = try await builder()
    let built = try await builder.build(1, ahead: [])
    let room = try #require(built.log.map { ($0 as NSString).deletingLastPathComponent })
    try FileManager.default.removeItem(atPath: "\(room)/complete")
    #expect(!builder.isLaunchable(built))
  }

  @Test func `other revisions are built meanwhile`() async throws {
    let begun = Begun()
    let wait = "while ! [ -e met ]; do sleep 0.01; done; cp /bin/sh $OLDPWD/tool"
    _ = try makeRepository([good(0), wait, "touch met; \(good(2))", good(3)])
    var builder = try await builder(jobs: 2, begun: begun)

    let asked = try await builder.build(1, ahead: [2, 3])
    let ahead = try await builder.build(2, ahead: [3])

    #expect(asked.failure == nil)
    #expect(ahead.failure == nil && ahead.seconds == nil)
    #expect(Set(begun.all) == ["1", "2 ahead"])
  }

  @Test func `no tree is built ahead that is built already`() async throws {
    let begun = Begun()
    let wait = "while ! [ -e met ]; do sleep 0.01; done; cp /bin/sh $OLDPWD/tool"
    let meet = "touch met; \(good(2))"
    _ = try makeRepository([good(0), wait, meet, good(3), wait, meet, good(6)])
    var builder = try await builder(jobs: 3, begun: begun)
    _ = try await builder.build(0, ahead: [])
    _ = try await builder.build(1, ahead: [0, 4, 2, 5, 6, 3])
    #expect(Set(begun.all) == ["0", "1", "2 ahead", "6 ahead"])
  }

  @Test func `one build at a time is made where there is one job`() async throws {
    let begun = Begun()
    _ = try makeRepository([good(0), good(1), good(2)])
    var builder = try await builder(begun: begun)
    _ = try await builder.build(1, ahead: [2])
    #expect(begun.all == ["1"])
  }

  @Test func `nothing is being built any more when a build is there`() async throws {
    let begun = Begun()
    let slow = "echo $$ > pid; touch begun; test -e go || sleep 1000; \(good(2))"
    let wait = "while ! [ -e begun ]; do sleep 0.01; done; cp /bin/sh $OLDPWD/tool"
    _ = try makeRepository([good(0), wait, slow])
    var builder = try await builder(jobs: 2, begun: begun)

    #expect(try await builder.build(1, ahead: [2]).failure == nil)

    let pid = try String(contentsOfFile: "\(root)/pid", encoding: .utf8)
      .trimmingCharacters(in: .newlines)
    #expect(!FileManager.default.fileExists(atPath: "/proc/\(pid)"))
    try Data().write(to: URL(filePath: "\(root)/go"))
    let built = try await builder.build(2, ahead: [])
    #expect(built.failure == nil && built.seconds != nil)
    #expect(begun.all.last == "2")
  }

  @Test func `a failure ahead is no failure of the build that was asked for`() async throws {
    _ = try makeRepository([good(0), good(1), "exit 1"])
    var builder = try await builder(jobs: 2)
    #expect(try await builder.build(1, ahead: [2]).failure == nil)
    #expect(try await builder.build(2, ahead: []).failure != nil)
  }

  @Test func `an interruption ends all builds`() async throws {
    let flag = try InterruptFlag()
    let slow = "touch begun$$; sleep 1000"
    _ = try makeRepository([good(0), slow, slow + " # 2"])
    let builder = try await builder(jobs: 2, interrupt: flag)
    let task = Task {
      var builder = builder
      return try await builder.build(1, ahead: [2])
    }
    while try FileManager.default.contentsOfDirectory(atPath: root).count < 4 {
      try await Task.sleep(for: .milliseconds(5))
    }
    flag.set()
    await #expect(throws: HostError.interrupted) { try await task.value }
  }
}
