import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  @Suite(
    .enabled(if: Machine.has("git"), "git is not installed"),
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`")
  ) struct SourceTests {
    @Test func `builds a source in a worktree of its own, once`() async throws {
      let lab = Launchlab()
      try lab.writeProject(build: "echo built >> '\(lab.path("built"))' && cc -o app main.c")
      try lab.makeRepository()
      // What the user is about to change is neither built nor touched.
      try lab.write("int main(void) { return 9; }\n", to: "repository/main.c")
      let before = try lab.checkout()

      let first = try await lab.run("run", "scenario.yml")
      let second = try await lab.run("run", "scenario.yml")

      #expect(first.status == 0, "\(first.stderr)")
      #expect(first.stderr.contains("building "))
      #expect(second.status == 0, "\(second.stderr)")
      #expect(second.stderr.contains("using the cached build of "))
      #expect(lab.lineCount(of: "built") == 1)
      #expect(try lab.checkout() == before)
      #expect(try await lab.runs().map(\.status) == ["complete", "complete"])
    }

    @Test func `builds anew what has changed`() async throws {
      let lab = Launchlab()
      try lab.writeProject(build: "echo built >> '\(lab.path("built"))' && cc -o app main.c")
      try lab.makeRepository()
      #expect(try await lab.run("run", "scenario.yml").status == 0)

      try lab.write("int main(void) { return 3; }\n", to: "repository/main.c")
      try lab.commit()
      let changed = try await lab.run("run", "scenario.yml")
      let old = try await lab.run("run", "scenario.yml", "--revision", "HEAD~1")

      #expect(changed.status == 128)
      #expect(changed.stderr.contains("exited(3) 3 times in a row"))
      #expect(old.status == 0)
      #expect(lab.lineCount(of: "built") == 2)
    }

    @Test func `shows the log of a build that fails, and cuts its worktree off`() async throws {
      let lab = Launchlab()
      try lab.writeProject(build: "echo compiling; cc -o app main.c")
      try lab.write("int main(void) { return missing; }\n", to: "repository/main.c")
      try lab.makeRepository()
      let before = try lab.checkout()

      let output = try await lab.run("run", "scenario.yml")

      #expect(output.status == 128)
      #expect(output.stderr.contains("error: the build \"echo compiling; cc -o app main.c\" ended"))
      #expect(output.stderr.contains("| compiling"))
      #expect(output.stderr.contains("missing"))
      #expect(output.stderr.contains("at: \(lab.path(".launchlab/builds/"))"))
      #expect(output.stderr.contains("help: read the whole log with"))
      #expect(try lab.checkout() == before)
      #expect(try await lab.runs().isEmpty)
    }

    @Test func `refuses a revision that does not exist`() async throws {
      let lab = Launchlab()
      try lab.writeProject(build: "cc -o app main.c")
      try lab.makeRepository()

      let output = try await lab.run("run", "scenario.yml", "--revision", "v9")

      #expect(output.status == 128 || output.status == 64)
      #expect(output.stderr.contains("\"v9\""))
      #expect(output.stderr.contains("help: "))
    }
  }
}

extension Launchlab {
  /// Writes a C project in `repository`, and a scenario beside it that builds and launches it.
  func writeProject(build: String) throws {
    try write("int main(void) { return 0; }\n", to: "repository/main.c")
    try write(
      """
      scenario: project
      source:
        repository: repository
        build: >-
          \(build)
      targets:
        app: {command: [./app]}
      states: [warm]
      launches: 3
      """,
      to: "scenario.yml"
    )
  }

  /// What the user sees of the repository: its files, its status and its worktrees.
  fileprivate func checkout() throws -> [String: Data] {
    var checkout = contents.filter {
      $0.key.hasPrefix("repository/") && !$0.key.hasPrefix("repository/.git/")
    }
    for arguments in [["status", "--short", "--branch"], ["worktree", "list"], ["branch"]] {
      let output = try Tool.run("git", arguments, in: path("repository"))
      checkout["git \(arguments)"] = Data(output.stdout.utf8)
    }
    return checkout
  }
}
