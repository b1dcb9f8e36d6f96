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
      // The command stands in the title, and not the path of the build.
      #expect(first.stdout.contains("app  ./app\n"), "\(first.stdout)")
      #expect(!first.stdout.contains("/builds/"))
      #expect(second.status == 0, "\(second.stderr)")
      #expect(second.stderr.contains("using the cached build of "))
      #expect(lab.lineCount(of: "built") == 1)
      #expect(try lab.checkout() == before)
      #expect(try await lab.runs().map(\.status) == ["complete", "complete"])
    }

    @Test func `shows the log of a build that fails, and cuts its worktree off`() async throws {
      let lab = Launchlab()
      try lab.writeProject(build: "echo compiling; cc -o app main.c")
      try lab.write("int main(void) { return missing; }\n", to: "repository/main.c")
      try lab.makeRepository()
      let before = try lab.checkout()

      let output = try await lab.run("run", "scenario.yml")

      #expect(output.status == 128)
      let build = "the build \"echo compiling; cc -o app main.c\""
      #expect(output.stderr.contains("error: \(build) exited with status 1"))
      #expect(output.stderr.contains("| compiling"))
      #expect(output.stderr.contains("missing"))
      #expect(output.stderr.contains("at: \(lab.path(".launchlab/builds/"))"))
      #expect(output.stderr.contains("help: read the whole log with"))
      #expect(try lab.checkout() == before)
      #expect(try await lab.runs().isEmpty)
    }

    /// Writes a project with a submodule that is gone from everywhere.
    private static func writeProjectWithoutSubmodule(_ lab: Launchlab, _ policy: String) throws {
      try lab.writeProject(build: "cc -o app main.c")
      let scenario = try String(contentsOfFile: lab.path("scenario.yml"), encoding: .utf8)
      try lab.write(
        scenario.replacing("source:", with: "source:\n  submodules: \(policy)"),
        to: "scenario.yml"
      )
      try lab.write("", to: "library/file")
      let identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost"]
      for arguments in [["init", "-q"], ["add", "."], ["commit", "-qm", "one"]] {
        _ = try Tool.run("git", identity + arguments, in: lab.path("library"))
      }
      try lab.makeRepository()
      _ = try lab.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "file://\(lab.path("library"))",
        "vendor"
      )
      try lab.commit()
      try FileManager.default.removeItem(atPath: lab.path("library"))
      try FileManager.default.removeItem(atPath: lab.path("repository/.git/modules"))
      try FileManager.default.removeItem(atPath: lab.path("repository/vendor"))
      try FileManager.default.createDirectory(
        atPath: lab.path("repository/vendor"),
        withIntermediateDirectories: false
      )
    }

    @Test func `builds without a submodule that is gone, and says so`() async throws {
      let lab = Launchlab()
      try Self.writeProjectWithoutSubmodule(lab, "try")

      for _ in 1...2 {
        let output = try await lab.run("run", "scenario.yml", "--no-verdict", "--json", "-")
        #expect(output.status == 0, "\(output.stderr)")
        #expect(
          output.stderr.contains(
            "warning: submodule \"vendor\" is not available; built without it: "
          )
        )
        #expect(output.stdout.contains("\"missing_submodules\": ["))
        #expect(output.stdout.contains("\"path\": \"vendor\""))
      }
    }

    @Test func `warns once of a submodule that no commit of a bisection has`() async throws {
      let lab = Launchlab()
      try Self.writeProjectWithoutSubmodule(lab, "off")
      for number in 1...8 {
        let rounds = number >= 5 ? 3_000_000 : 2_000_000
        try lab.write(
          "int main(void) { volatile long n = \(number); while (n < \(rounds)) n++; return 0; }\n",
          to: "repository/main.c"
        )
        try lab.commit()
      }
      var bisecting = lab
      bisecting.wrapper = ["env", "-C", lab.path("repository")]
      let output = try await bisecting.run(
        "bisect HEAD~7..HEAD --build",
        "cc -O1 -o app main.c",
        "--json",
        "-",
        "--",
        "./app"
      )
      #expect(output.status == 0, "\(output.stderr)")
      let warning = "submodule \"vendor\" is not available"
      #expect(output.stderr.components(separatedBy: warning).count == 2)
      #expect(output.stdout.contains("\"submodule-missing\""))
      let wrong = try await bisecting.run(
        "bisect HEAD~7..HEAD --build true --submodules of -- ./app"
      )
      #expect(wrong.status == 64)
      #expect(wrong.stderr.contains("help: give off"))
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
