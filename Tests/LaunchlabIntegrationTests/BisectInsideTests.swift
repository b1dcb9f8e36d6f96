import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Bisections of ranges whose ends do not show what is between them.
  @Suite(.enabled(if: Machine.has("git"), "git is not installed")) struct BisectInsideTests {
    private static let steps = [4, 9]
    private static let commits = 12

    /// Writes a repository whose program is twice as slow between two commits.
    private static func makeRepository(_ lab: Launchlab) throws {
      for number in 0...commits {
        let rounds = (steps[0]..<steps[1]).contains(number) ? 400_000 : 200_000
        try lab.write("$i = 0; $i++ while $i < \(rounds); # \(number)\n", to: "repository/app.pl")
        if number == 0 { try lab.makeRepository() } else { try lab.commit() }
      }
      try lab.write(
        """
        scenario: app
        source: {repository: repository, build: "true"}
        targets:
          app: {command: [perl, app.pl]}
        states: [warm]
        """,
        to: "scenario.yml"
      )
    }

    private struct Answer: Decodable {
      struct Culprit: Decodable {
        let commit: String
      }
      let culprits: [Culprit]
    }

    private static func bisect(_ lab: Launchlab, _ options: String...) async throws -> Tool.Output {
      try await lab.run(
        arguments: ["bisect", "HEAD~\(commits)..HEAD", "--scenario", "scenario.yml"] + options
      )
    }

    @Test func `finds changes that cancel out, or says how to look for them`() async throws {
      let lab = Launchlab()
      try Self.makeRepository(lab)

      let plain = try await Self.bisect(lab, "--min-effect", "5%")
      #expect(plain.status == 125, "\(plain.stderr)")
      #expect(plain.stdout.contains("`--all`"), "\(plain.stdout)")

      let output = try await Self.bisect(lab, "--min-effect", "5%", "--all", "--json", "-")
      #expect(output.status == 0, "\(output.stderr)")
      let answer = try JSONDecoder().decode(Answer.self, from: Data(output.stdout.utf8))
      let expected = try Self.steps.map { step in
        try lab.git("rev-parse", "HEAD~\(Self.commits - step)").filter(\.isHexDigit)
      }
      #expect(Set(answer.culprits.map(\.commit)) == Set(expected))
    }
  }
}
