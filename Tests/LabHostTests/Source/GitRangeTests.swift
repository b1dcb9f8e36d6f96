import Foundation
import LabTestSupport
import Subprocess
import SystemPackage
import Testing

@testable import Builds
@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct GitRangeTests {
  private func makeRepository(_ script: String) throws -> TestRepository {
    let repository = try TestRepository(at: TemporaryDirectory.path + "/repository")
    try repository.shell(script)
    return repository
  }

  private func range(
    _ repository: TestRepository,
    _ good: String,
    _ bad: String,
    paths: [String] = []
  ) async throws -> GitRange {
    try await GitRepository(containing: repository.path)
      .range(good: good, bad: bad, paths: paths)
  }

  /// A line of three commits; two branches of two and one are merged at once into its second one.
  private static let merges = """
    add a 1; git tag good
    git checkout -q -b left; add l 1; add l 2
    git checkout -q -b right good; add r 1
    git checkout -q main; add a 2
    git merge -q --no-ff -m octopus left right
    add a 3
    """

  @Test func `lists a line from good to bad with what a person knows it by`() async throws {
    let repository = try makeRepository("add a 1; add a 2; add a 3; add a 4")

    let commits = try await range(repository, "HEAD~2", "HEAD").commits

    #expect(commits.map(\.subject) == ["a 2", "a 3", "a 4"])
    #expect(commits.last?.id == (try repository.id("HEAD")))
    #expect(commits.last?.tree == (try repository.shell("git rev-parse HEAD^{tree}")))
    #expect(commits.last?.parents == [try repository.id("HEAD~1")])
    #expect(commits.last?.author == "Ann Author")
    #expect(commits.last?.authoredAt == Date(timeIntervalSince1970: 1_700_000_000))
  }

  @Test func `lists the files of a change`() async throws {
    let repository = try makeRepository(
      """
      mkdir d; seq 30 > d/old; echo 1 > 'a b'; printf 'x\\0' > image; commit one
      git mv d/old d/new; echo more >> d/new; echo 2 > 'a b'; printf 'y\\0' > image
      echo x > "$(printf 'tab\\tname')"; commit two
      """
    )
    let changes = try await GitRepository(containing: repository.path)
      .changes(from: repository.id("HEAD~1"), to: repository.id("HEAD"))
    #expect(
      changes == [
        GitFileChange(path: "a b", added: 1, removed: 1),
        GitFileChange(path: "d/new", added: 1, removed: 0),
        GitFileChange(path: "image", added: nil, removed: nil),
        GitFileChange(path: "tab\tname", added: 1, removed: 0),
      ]
    )
  }

  @Test func `lists what a merge has brought in, the newest first`() async throws {
    let repository = try makeRepository(Self.merges)
    let merge = try repository.id("HEAD~1")
    let found = try await GitRepository(containing: repository.path)
      .commits(broughtInBy: merge, to: repository.id("HEAD~2"), most: 2)
    #expect(found.count == 3)
    #expect(found.newest.count == 2)
    #expect(!found.newest.map(\.subject).contains("octopus"))
  }

  @Test func `a merge stands for what it brings in`() async throws {
    let repository = try makeRepository(Self.merges)
    let range = try await range(repository, "good", "main")
    #expect(range.commits.map(\.subject) == ["a 1", "a 2", "octopus", "a 3"])
    #expect(range.commits[2].parents.count == 3)
    #expect(range.notes == [])
  }

  @Test func `tells commits that touch the paths from the others`() async throws {
    let repository = try makeRepository(
      """
      add a 1; add src/b 1; add doc/c 1; git checkout -q -b side; add src/d 1
      git checkout -q main; add doc/c 2; git merge -q --no-ff -m merge side; add doc/c 3
      """
    )

    let range = try await range(repository, "HEAD~5", "HEAD", paths: ["src"])

    let touching = range.commits.dropFirst().filter { !range.beside.contains($0.id) }
    #expect(touching.map(\.subject) == ["src/b 1", "merge"])
    #expect(range.commits.last?.subject == "doc/c 3")
    #expect(range.notes.map(\.id) == ["range-paths"])
    #expect(range.notes[0].problem.hasPrefix("2 of "))
  }

  @Test func `warns when no commit touches the paths`() async throws {
    let repository = try makeRepository("add a 1; add a 2; add a 3")
    let range = try await range(repository, "HEAD~2", "HEAD", paths: ["nothing"])
    #expect(range.commits.map(\.subject) == ["a 1", "a 2", "a 3"])
    #expect(range.beside.count == 2)
    #expect(range.notes.map(\.severity) == [.warning])
  }

  @Test func `paths are relative to the directory of the source`() async throws {
    let repository = try makeRepository("add sub/a 1; add a 2; add sub/a 3; add a 4")
    let range = try await GitRepository(containing: repository.path + "/sub")
      .range(good: "HEAD~3", bad: "HEAD", paths: ["a"])
    let touching = range.commits.dropFirst().filter { !range.beside.contains($0.id) }
    #expect(touching.map(\.subject) == ["sub/a 3"])
  }

  /// A repository in which neither end came before the other, and the way between them.
  struct Way: CustomTestStringConvertible, Sendable {
    var name: String
    var script: String
    var subjects: [String]
    var testDescription: String { name }
  }

  @Test(arguments: [
    Way(
      name: "a release branch with a fix",
      script: """
        add a 1; add a 2; git checkout -q -b release; add fix 1; add fix 2; git tag v1
        git checkout -q main; add a 3; add a 4
        """,
      subjects: ["fix 2", "fix 1", "a 2", "a 3", "a 4"]
    ),
    Way(
      name: "a release branch that main was merged into",
      script: """
        add a 1; git checkout -q -b release; add fix 1; git checkout -q main; add a 2
        git checkout -q release; git merge -q -m merge main; add fix 2; git tag v1
        git checkout -q main; add a 3
        """,
      subjects: ["fix 2", "merge", "a 2", "a 3"]
    ),
    Way(
      name: "two merge bases: it crosses where both hold the same files",
      script: """
        add a 1; git checkout -q -b release; add fix 1; git checkout -q main; add a 2
        git branch old; git merge -q -m "to main" release
        git checkout -q release; git merge -q -m "to release" old; add fix 2; git tag v1
        git checkout -q main; add a 3
        """,
      subjects: ["fix 2", "to release", "to main", "a 3"]
    ),
  ])
  func `leads from good back to the merge base when good is on another branch`(
    way: Way
  )
    async throws
  {
    let repository = try makeRepository(way.script)
    let range = try await range(repository, "v1", "main")
    #expect(range.commits.map(\.subject) == way.subjects)
    #expect(range.notes.map(\.id) == ["range-through-merge-base"])
    let base = try repository.shell("git merge-base v1 main")
    #expect(range.notes[0].problem.contains(base.prefix(12)))
  }

  @Test func `begins with good itself, and a note, when good came in by a merge`() async throws {
    let repository = try makeRepository(
      """
      add a 1; git checkout -q -b side; add s 1; git checkout -q main; add a 2; add a 3
      git merge -q -m merge side; add a 4
      """
    )
    let range = try await range(repository, "side", "main")
    #expect(range.commits.map(\.subject) == ["s 1", "merge", "a 4"])
    #expect(range.notes.map(\.id) == ["range-beside-line"])
    #expect(range.notes[0].problem.contains(try repository.id("main~1").prefix(12)))
  }

  @Test func `tells commits of both sides that touch the paths from the others`() async throws {
    let repository = try makeRepository(
      """
      add a 1; git checkout -q -b release; add src/b 1; add doc/c 1; git tag v1
      git checkout -q main; add doc/d 1; add src/e 1
      """
    )
    let range = try await range(repository, "v1", "main", paths: ["src"])
    let beside = range.commits.filter { range.beside.contains($0.id) }
    #expect(beside.map(\.subject) == ["doc/c 1", "doc/d 1"])
    #expect(range.notes.last?.problem.hasPrefix("2 of 4 ") == true)
  }

  /// A range that is refused.
  struct Refusal: CustomTestStringConvertible, Sendable {
    var name: String
    var good: String
    var bad: String
    var problem: String
    var exitCode = LabExitCode.usage
    var testDescription: String { name }
  }

  @Test(arguments: [
    Refusal(name: "same", good: "HEAD", bad: "main", problem: "are the same commit"),
    Refusal(name: "swapped", good: "HEAD", bad: "HEAD~1", problem: "swapped?"),
    Refusal(name: "unrelated", good: "other", bad: "HEAD", problem: "no commit in common"),
    Refusal(
      name: "unknown",
      good: "nothing",
      bad: "HEAD",
      problem: "git knows no commit \"nothing\"",
      exitCode: .couldNotMeasure
    ),
  ])
  func `refuses a range in which nothing can be found`(refusal: Refusal) async throws {
    let repository = try makeRepository(
      "add a 1; add a 2; git checkout -q --orphan other; add o 1; git checkout -q main"
    )
    let error = await #expect(throws: HostError.self) {
      try await range(repository, refusal.good, refusal.bad)
    }
    let diagnostic = try #require(error?.diagnostics.first)
    #expect(diagnostic.problem.contains(refusal.problem))
    #expect(diagnostic.remedy != nil)
    #expect(error?.exitCode == refusal.exitCode)
  }

  /// Ends of a range in a clone that holds the newest two commits.
  @Test(arguments: [("HEAD~1", "HEAD"), ("v1", "HEAD"), ("old", "HEAD")])
  func `a shallow clone is refused only where the history is missing`(
    good: String,
    bad: String
  ) async throws {
    let origin = try makeRepository("add a 1; git tag old; add a 2; git tag v1; add a 3; add a 4")
    try origin.shell("git clone -q --no-tags --depth 2 file://$PWD ../clone")
    try origin.shell("git -C ../clone fetch -q --depth 1 origin tag v1")
    let clone = try await GitRepository(containing: TemporaryDirectory.path + "/clone")
    if good == "HEAD~1" {
      #expect(try await clone.range(good: good, bad: bad).commits.count == 2)
    } else {
      let refusal = HostError.rangeRefused(.shallow(repository: clone.directory.string))
      await #expect(throws: refusal) { try await clone.range(good: good, bad: bad) }
      #expect(refusal.diagnostics[0].remedy?.contains("git fetch --unshallow") == true)
    }
  }

  @Test func `refuses a shallow clone whose first parents are cut off before good`() async throws {
    let origin = try makeRepository(
      """
      add a 1; git tag base; for i in 2 3 4 5; do add a $i; done
      git checkout -q -b side base; add s 1; git tag good; git checkout -q main
      git merge -q -m merge side; add a 6
      git clone -q --depth 3 file://$PWD ../clone
      """
    )
    let clone = try await GitRepository(containing: TemporaryDirectory.path + "/clone")
    let good = try origin.id("good")
    await #expect(throws: HostError.rangeRefused(.shallow(repository: clone.directory.string))) {
      try await clone.range(good: good, bad: "HEAD")
    }
  }

  @Test func `says what to do when a commit is missing`() async throws {
    let repository = try makeRepository("add a 1; add a 2; add a 3; add a 4")
    let good = try repository.id("HEAD~3")
    try repository.shell("rm -f .git/objects/$(id HEAD~1 | sed 's,^..,&/,')")
    let error = await #expect(throws: HostError.self) { try await range(repository, good, "HEAD") }
    #expect(error?.diagnostics.first?.problem.hasPrefix("git cannot list the commits: ") == true)
    #expect(error?.diagnostics.first?.remedy?.contains("git fsck") == true)
  }

  @Test func `the settings of the user change nothing`() async throws {
    let repository = try makeRepository(
      """
      add a 1; add a 2; git mv a b; commit moved; add b 3
      git config color.ui always; git config log.showSignature true; git config log.follow true
      git config log.date relative; git config log.decorate full; git config core.pager false
      git config format.pretty oneline; git config i18n.logOutputEncoding ISO-8859-1
      git config log.mailmap true; git config core.quotePath true; git config log.showRoot false
      """
    )
    let range = try await range(repository, "HEAD~3", "HEAD", paths: ["b"])
    #expect(range.commits.map(\.subject) == ["a 1", "a 2", "moved", "b 3"])
    #expect(range.commits[2].id == (try repository.id("HEAD~1")))
    #expect(range.beside == [try repository.id("HEAD~2")])
  }

  @Test func `keeps subjects with anything in them`() async throws {
    let subjects = ["tab\t%H|\\ \"quoted\"", "commit 0123", "ümläut 🚀"]
    let repository = try makeRepository("add a 1")
    for subject in subjects {
      try repository.shell("printf '%s' '\(subject)' | git commit -q --allow-empty -F -")
    }
    let commits = try await range(repository, "HEAD~3", "HEAD").commits
    #expect(commits.dropFirst().map(\.subject) == subjects)
  }

  @Test func `lists ten thousand commits`() async throws {
    let repository = try makeRepository(
      #"""
      { for i in $(seq 10000); do
          printf 'commit refs/heads/main\ncommitter C <c@d> %d +0000\ndata %d\n%s\n' \
            $((1700000000 + i)) ${#i} $i
        done; } | git fast-import --quiet
      """#
    )
    let commits = try await range(repository, "main~9999", "main").commits
    #expect(commits.map(\.subject) == (1...10_000).map(String.init))
  }

  @Test func `variables of a git hook do not lead elsewhere`() async throws {
    let hook: Environment = .custom([
      "GIT_DIR": "/nowhere/.git", "GIT_INDEX_FILE": "/nowhere/index", "GIT_WORK_TREE": "/nowhere",
      "GIT_CONFIG_COUNT": "0", "HOME": "/home",
    ])
    let tool = ExternalTool(executable: .path("/usr/bin/env"), environment: hook.withoutRepository)
    #expect(try await tool.run([]).stdout.contains("HOME=/home\n"))
    #expect(try await tool.run([]).stdout.contains("GIT_CONFIG_COUNT=0\n"))
    #expect(try await !tool.run([]).stdout.contains("nowhere"))
  }
}
