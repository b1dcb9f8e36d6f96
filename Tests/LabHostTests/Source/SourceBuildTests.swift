import Foundation
import LabModel
import LabTestSupport
import Testing

@testable import LabHost

@Suite(.temporaryDirectory) struct SourceBuildTests {
  private var root: String { TemporaryDirectory.path }

  @Test func `builds in a worktree, and leaves the others of the repository alone`() async throws {
    // Given a repository with a worktree that seems gone
    try TestMachine.shell(
      """
      export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b
      export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
      git init -q repository; cd repository; echo one > file; git add file; git commit -qm one
      git worktree add -q --detach ../other; mv ../other ../elsewhere
      """,
      in: root
    )
    let worktrees = "git -C repository worktree list --porcelain"
    let before = try TestMachine.shell(worktrees, in: root)

    // When two builds are made, of which the first fails
    let source = Source(repository: "\(root)/repository", build: "test -e ../go && cp file built")
    let builds = SourceBuild(source: source, cache: "\(root)/builds")
    await #expect(throws: HostError.self) { try await builds.build("HEAD") }
    try TestMachine.shell("for room in builds/*; do touch $room/go; done", in: root)
    let build = try await builds.build("HEAD")

    // Then the worktree of the build is the only one that is gone
    #expect(try String(contentsOfFile: "\(build.directory)/built", encoding: .utf8) == "one\n")
    #expect(try TestMachine.shell(worktrees, in: root) == before)
  }
}
