import Foundation
import LabTestSupport
import Testing

@testable import Bisection
@testable import LaunchCore
@testable import Measuring

@Suite(.temporaryDirectory) struct BuildsAheadTests {
  private var root: String { TemporaryDirectory.path }
  private var store: String { "\(root)/store/launchlab.sqlite" }

  /// Commits `1` to `count` and a scenario of them, whose subjects are their numbers from 0.
  private func options(_ count: Int) throws -> BisectOptions {
    let repository = try TestRepository(at: "\(root)/repository")
    try repository.shell("for n in $(seq 0 \(count)); do echo $n > file; commit $n; done")
    try repository.shell("git tag good HEAD~\(count)")
    try Data(
      """
      scenario: app
      source: {repository: repository, build: "cp /bin/true app"}
      targets: {app: {command: [./app]}}
      states: [warm]
      """.utf8
    ).write(to: URL(filePath: "\(root)/app.yml"))
    return BisectOptions(
      range: "good..HEAD",
      scenario: "\(root)/app.yml",
      launching: MeasureOptions(command: [], states: [], launches: 1, directory: root),
      store: store,
      words: []
    )
  }

  private func subjects(_ commits: [String]) throws -> [Int] {
    try commits.map { commit in
      let subject = try TestRepository.subject(of: commit, in: "\(root)/repository")
      return try #require(Int(subject))
    }
  }

  @Test func `begins with the ends and the middles`() async throws {
    let ahead = try await BuildsAhead(options(16), in: .fake())
    let first = try subjects(ahead.commits(7, store: store))
    #expect(first.prefix(2) == [0, 16])
    #expect(first[2] == 8)
    #expect(Set(first[3...4]) == [4, 12])
    #expect(Set(first).count == 7)
    #expect(try subjects(ahead.commits(99, store: store)).sorted() == Array(0...16))
    #expect(try ahead.commits(0, store: store) == [])
  }

  @Test func `goes on from what the host has built`() async throws {
    let options = try options(16)
    let ahead = try await BuildsAhead(options, in: .fake())
    let (start, _) = try await BisectQuestion(options, in: .fake()).start()
    let location = try LogLocation(.bisection, besideStore: store)
    let log = try BisectLog(startingAt: location.log(of: start.id), with: start)
    defer { log.close() }
    for revision in [0, 16] {
      try log.append(.built(BisectBuilt(revision: revision, seconds: 1)))
    }
    let next = try subjects(ahead.commits(3, store: store))
    #expect(next.first == 8)
    #expect(Set(next) == [8, 4, 12])
  }

  @Test func `a log of other commits says nothing`() async throws {
    var options = try options(8)
    let whole = try await BuildsAhead(options, in: .fake())
    options.range = "good..HEAD~1"
    let (start, _) = try await BisectQuestion(options, in: .fake()).start()
    let location = try LogLocation(.bisection, besideStore: store)
    let log = try BisectLog(startingAt: location.log(of: start.id), with: start)
    defer { log.close() }
    try log.append(.built(BisectBuilt(revision: 0, seconds: 1)))
    #expect(try subjects(whole.commits(2, store: store)) == [0, 8])
  }
}

extension TestRepository {
  /// The subject of a commit of a repository that was made before.
  fileprivate static func subject(of commit: String, in path: String) throws -> String {
    try TestRepository(at: path).shell("git log -1 --format=%s \(commit)")
  }
}
