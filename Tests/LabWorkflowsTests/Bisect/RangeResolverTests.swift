import Foundation
import LabTestSupport
import Testing

@testable import Bisection
@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct RangeResolverTests {
  private func makeRepository(_ script: String) throws -> TestRepository {
    let repository = try TestRepository(at: TemporaryDirectory.path + "/repository")
    try repository.shell(script)
    return repository
  }

  private func resolver(_ text: String?, skips: [String] = []) -> RangeResolver {
    let path = TemporaryDirectory.path + "/repository"
    let tool = Target(name: "tool", command: ["\(path)/tool"], directory: path)
    var scenario = Scenario.sample("tool", [tool], in: path)
    scenario.source = Source(repository: path, build: "make")
    return RangeResolver(scenario: scenario, text: text, skips: skips)
  }

  /// A range, and the subjects of its ends.
  struct Ends: CustomTestStringConvertible, Sendable {
    var text: String
    var subjects: [String]
    var testDescription: String { text }
  }

  @Test(arguments: [
    Ends(text: "HEAD~2..HEAD~1", subjects: ["a 2", "a 3"]),
    Ends(text: "HEAD~1..", subjects: ["a 3", "a 4"]),
    Ends(text: "..later", subjects: ["a 4", "a 5"]),
  ])
  func `a missing side is HEAD`(ends: Ends) async throws {
    _ = try makeRepository(
      "for i in 1 2 3 4 5; do add a $i; done; git branch later; git checkout -q --detach HEAD~1"
    )
    #expect(try await resolver(ends.text).result().revisions.map(\.subject) == ends.subjects)
  }

  @Test func `carries what a person knows a commit by`() async throws {
    let repository = try makeRepository("add a 1; add a 2")
    let revision = try #require(try await resolver("HEAD~1..").result().revisions.last)
    #expect(revision.id == (try repository.id("HEAD")))
    #expect(revision.parents == [try repository.id("HEAD~1")])
    #expect(revision.tree == (try repository.shell("git rev-parse HEAD^{tree}")))
    #expect(revision.author == "Ann Author")
    #expect(revision.authoredAt == Date(timeIntervalSince1970: 1_700_000_000))
  }

  @Test func `a commit that changes no file cannot be the change`() async throws {
    let repository = try makeRepository(
      "add a 1; commit empty; add a 2; git revert --no-edit HEAD > /dev/null; add a 3"
    )
    let revisions = try await resolver("HEAD~4..").result().revisions
    #expect(revisions.map(\.weight) == [1, 0, 1, 1, 1])
    #expect(revisions[3].tree == revisions[0].tree)
    #expect(revisions[3].id == (try repository.id("HEAD~1")))
  }

  @Test func `weighs a step back by the commit that it leaves out`() async throws {
    let repository = try makeRepository(
      """
      add a 1; git checkout -q -b release; add src/b 1; add doc/c 1; git tag v1
      git checkout -q main; add src/d 1
      """
    )
    var resolver = resolver("v1..main")
    resolver.paths = ["src"]
    let revisions = try await resolver.result().revisions
    #expect(revisions.map(\.subject) == ["doc/c 1", "src/b 1", "a 1", "src/d 1"])
    #expect(revisions.dropFirst().map { $0.weight < 1 } == [true, false, false])
    #expect(revisions[0].id == (try repository.id("v1")))
  }

  @Test func `refuses ends that hold the same files`() async throws {
    _ = try makeRepository("add a 1; add a 2; git revert --no-edit HEAD > /dev/null")
    let refusal = HostError.rangeRefused(.sameTree(good: "HEAD~2", bad: "HEAD"))
    await #expect(throws: refusal) { try await resolver("HEAD~2..").result() }
  }

  @Test func `marks revisions to skip by any name`() async throws {
    let repository = try makeRepository("for i in 1 2 3 4 5; do add a $i; done; git tag t HEAD~2")
    try repository.shell("git checkout -q -b side HEAD~4; add b 1; git checkout -q main")
    let id = String(try repository.id("HEAD~1").prefix(12))
    let result = try await resolver("HEAD~4..", skips: ["t", id, "side"]).result()
    #expect(result.skipped == [2, 3])
    #expect(result.notes.map(\.id) == ["skip-outside-range"])
    #expect(result.notes[0].problem.contains("\"side\""))
  }

  @Test(arguments: ["HEAD", "HEAD~2"])
  func `an end of the range is not skipped`(name: String) async throws {
    _ = try makeRepository("add a 1; add a 2; add a 3")
    await #expect(throws: BisectRangeError.endSkipped(name)) {
      try await resolver("HEAD~2..", skips: [name]).result()
    }
  }

  /// A text that is no range, and the remedy.
  struct Mistake: CustomTestStringConvertible, Sendable {
    var text: String
    var remedy: String
    var testDescription: String { text }
  }

  @Test(arguments: [
    Mistake(text: "v1...v2", remedy: "write `v1..v2`, with two dots"),
    Mistake(text: "v1", remedy: "write `v1..HEAD`"),
    Mistake(text: "", remedy: "write `v1.0..HEAD`"),
  ])
  func `says how a range is written`(mistake: Mistake) {
    let error = #expect(throws: BisectRangeError.self) { try RangeText(mistake.text) }
    #expect(error?.diagnostics.first?.remedy == mistake.remedy)
    #expect(error?.exitCode == .usage)
  }

  @Test func `needs a source unless there are executables`() async throws {
    var resolver = resolver("a..b")
    resolver.scenario.source = nil
    await #expect(throws: BisectRangeError.noSource) { try await resolver.result() }
  }

  @Test func `takes executables as they lie in a directory`() async throws {
    let repository = try makeRepository("for i in 1 2 3; do cp /bin/true v$i; done")
    var resolver = resolver("v1..", skips: ["v2"])
    resolver.artifacts = repository.path
    #expect(try await resolver.result().revisions.map(\.id) == ["v1", "v2", "v3"])
    #expect(try await resolver.result().skipped == [1])
    resolver.text = nil
    #expect(try await resolver.result().revisions.count == 3)
  }
}
