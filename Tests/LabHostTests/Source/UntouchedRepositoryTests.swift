import Foundation
import LabTestSupport
import Testing

@testable import Builds
@testable import LaunchCore

@Suite(.temporaryDirectory) struct UntouchedRepositoryTests {
  private var root: String { TemporaryDirectory.path }

  /// A repository in the middle of somebody's work, with hooks that leave traces.
  private func makeRepository() throws -> TestRepository {
    let library = try TestRepository(at: "\(root)/library")
    try library.shell("add lib 1")
    let repository = try TestRepository(at: "\(root)/repository")
    try repository.shell(
      """
      add file 1
      git -c protocol.file.allow=always submodule --quiet add ../library lib; commit lib
      add file 2; echo stashed > file; git stash -q
      echo staged > staged; git add staged; echo changed > file; echo new > untracked
      echo changed > lib/lib
      for name in post-checkout post-commit reference-transaction post-index-change pre-auto-gc; do
        for hooks in .git/hooks .git/modules/lib/hooks; do
          printf '#!/bin/sh\\necho %s >> %s\\n' $name '\(root)/traces' > $hooks/$name
          chmod +x $hooks/$name
        done
      done
      git config submodule.recurse true; git config core.fsmonitor '\(root)/monitor'
      printf '#!/bin/sh\\necho monitor >> %s\\n' '\(root)/traces' > ../monitor
      chmod +x ../monitor; rm -f ../traces
      """
    )
    return repository
  }

  /// Everything that git and a person would see of it, all files of the git directory included.
  private func state(_ repository: TestRepository) throws -> String {
    try repository.shell(
      """
      find . -type f ! -path './.git/worktrees/*' | sort | xargs -d '\\n' sha256sum
      find .git -type d ! -path './.git/worktrees/*' | sort
      git -c core.fsmonitor=false --no-optional-locks status --porcelain=v2
      git for-each-ref; git stash list; git worktree list --porcelain; git config --list --local
      """
    )
  }

  @Test(arguments: ["cat file lib/lib > built", "exit 3"])
  func `nothing of the user's repository changes`(command: String) async throws {
    let repository = try makeRepository()
    // The list of worktrees is made once and stays, empty.
    try repository.shell("mkdir -p .git/worktrees")
    let before = try state(repository)
    try? FileManager.default.removeItem(atPath: "\(root)/traces")
    let builds = SourceBuild(
      source: Source(repository: repository.path, build: command),
      cache: "\(root)/builds"
    )

    let range = try await GitRepository(containing: repository.path)
      .range(good: "HEAD~1", bad: "HEAD", paths: ["."])
    for commit in range.commits { _ = try? await builds.build(commit.id) }

    #expect(!FileManager.default.fileExists(atPath: "\(root)/traces"))
    #expect(try state(repository) == before)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: "\(repository.path)/.git/worktrees"
    )
    #expect(names == [])
    if command != "exit 3" {
      let record = try await builds.build("HEAD")
      #expect(record.wasCached)
      #expect(try String(contentsOfFile: record.directory + "/built", encoding: .utf8) == "2\n1\n")
    }
  }
}
