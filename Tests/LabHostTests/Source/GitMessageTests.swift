import LaunchCore
import Testing

@testable import LaunchHost

@Suite struct GitMessageTests {
  @Test func `shows the last lines of git, which name the cause`() {
    let message = """
      Preparing worktree (detached HEAD dc5bc4b)
      git-lfs filter-process: 1: git-lfs: not found
      fatal: the remote end hung up unexpectedly

      """
    let shown = HostError.git(operation: "check out dc5bc4b", message: message).diagnostics[0]
    let lines =
      "git-lfs filter-process: 1: git-lfs: not found; fatal: the remote end hung up unexpectedly"
    #expect(shown.problem == "git cannot check out dc5bc4b: " + lines)
    #expect(message.trimmedLine == "git-lfs filter-process: 1: git-lfs: not found")
  }

  @Test func `shows one line without the prefix of git`() {
    let shown = HostError.git(operation: "list the commits", message: "fatal: bad object x\n")
    #expect(shown.diagnostics[0].problem == "git cannot list the commits: bad object x")
  }

  @Test func `keeps the remedy of git`() {
    let message = """
      fatal: detected dubious ownership in repository at '/srv/app'
      To add an exception for this directory, call:

      \tgit config --global --add safe.directory /srv/app

      """
    let remedy = "run `git config --global --add safe.directory /srv/app`, as git advises"
    for error in [
      HostError.notARepository(path: "/srv/app", message: message),
      .git(operation: "list the commits", message: message),
      .rangeRefused(.unreadable(message: message)),
    ] {
      let shown = error.diagnostics[0]
      #expect(shown.problem.hasSuffix(": detected dubious ownership in repository at '/srv/app'"))
      #expect(shown.remedy == remedy)
    }
  }
}
