import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// What users of `time`, `strace` and hyperfine type.
  @Suite(.enabled(if: Machine.has("git"), "git is not installed"))
  struct TypedCommandTests {
    @Test func `measures a command without two hyphens, and with options of hyperfine`()
      async throws
    {
      let lab = Launchlab()
      let plain = try await lab.run("measure", "-l", "2", "git", "--version")
      #expect(plain.status == 0, "\(plain.stderr)")
      #expect(plain.stdout.contains("git --version"))

      let output = try await lab.run(
        "measure -N --runs 2 --warmup 1 --export-json -",
        "git --version"
      )
      #expect(output.status == 0, "\(output.stderr)")
      #expect(output.stdout.contains("\"command\""))
      #expect(output.stderr.contains("--warmup has no effect"))
    }

    @Test func `names targets`() async throws {
      let lab = Launchlab()
      let one = try await lab.run("measure", "-l", "2", "-n", "foo", "git", "--version")
      #expect(one.status == 0, "\(one.stderr)")
      #expect(one.stdout.contains("foo"))
      #expect(try await lab.runs().first?.scenario == "measure-foo")
      let two = try await lab.run(
        arguments: ["compare", "-l", "12", "-n", "old", "--command-name", "new", "true", "sh -c :"]
      )
      #expect(two.stdout.contains("new") && two.stdout.contains("old: true"), "\(two.stderr)")
      #expect(try await lab.run("show").stdout.contains("old: true"))
      let lone = try await lab.run("compare", "-n", "old", "true", "sh -c :")
      #expect(lone.status == 64)
      #expect(lone.stderr.contains("2 different names, one for each command"), "\(lone.stderr)")
      let odd = try await lab.run("measure", "-n", "a b", "git", "--version")
      #expect(odd.status == 64)
      #expect(odd.stderr.contains("\"a b\" is not a name"), "\(odd.stderr)")
    }

    @Test func `shows help on one screen with -h`() async throws {
      let brief = try await Launchlab().run("measure", "-h").stdout
      #expect(brief.split(separator: "\n", omittingEmptySubsequences: false).count <= 46)
    }
  }
}
