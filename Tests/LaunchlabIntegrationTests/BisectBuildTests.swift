import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// What a bisection does with builds, and with a machine that cannot make them.
  @Suite(
    .enabled(if: Machine.has("git"), "git is not installed"),
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`")
  ) struct BisectBuildTests {
    private static let commits = 6
    private static let culprit = 4

    /// Writes a repository whose program does half as much work again from one commit on, and refuses
    /// to be launched by another name than `./app`.
    private static func makeRepository(_ lab: Launchlab, build: String) throws {
      for number in 0...commits {
        try lab.write(
          """
          #include <string.h>
          int main(int count, char **words) {
            volatile long n = \(number);
            while (n < \(number >= culprit ? 3_000_000 : 2_000_000)) n++;
            return strcmp(words[0], "./app") != 0;
          }

          """,
          to: "repository/app.c"
        )
        if number == 0 { try lab.makeRepository() } else { try lab.commit() }
      }
      try lab.write(
        """
        scenario: app
        source: {repository: repository, build: '\(build)'}
        targets:
          app: {command: [./app]}
        states: [warm]
        """,
        to: "scenario.yml"
      )
    }

    private static let bisect = [
      "bisect", "HEAD~\(commits)..HEAD", "--scenario", "scenario.yml", "--json", "-",
    ]

    private struct Answer: Decodable {
      struct Culprit: Decodable {
        let commit: String
      }
      let culprits: [Culprit]
    }

    private static func expectCulprit(
      _ output: Tool.Output,
      of lab: Launchlab,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      #expect(output.status == 0, "\(output.stderr)", sourceLocation: sourceLocation)
      let answer = try JSONDecoder().decode(Answer.self, from: Data(output.stdout.utf8))
      let culprit = try lab.git("rev-parse", "HEAD~\(commits - culprit)").filter(\.isHexDigit)
      #expect(answer.culprits.map(\.commit) == [culprit], sourceLocation: sourceLocation)
    }

    @Test(.enabled(if: Machine.canMount && Machine.has("unshare"), "mounting takes root"))
    func `stops at a full disk, blames no commit, and goes on when there is room`() async throws {
      var lab = Launchlab()
      let store = lab.path(".launchlab")
      try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
      try Self.makeRepository(
        lab,
        build:
          "cc -o app app.c && head -c 20000000 /dev/zero > data && echo built >> \(lab.path("tally"))"
      )
      // One build has room, two have not.
      lab.wrapper = [
        "unshare", "--mount", "sh", "-c",
        """
        mount -t tmpfs -o size=36m tmpfs \(store) || exit 99
        "$@" > full.out 2> full.err
        echo $? > full.status
        mount -o remount,size=400m \(store) || exit 99
        exec "$1" bisect --resume last --json -
        """, "sh",
      ]
      let output = try await lab.start(Self.bisect).finish()

      let text = { try String(contentsOfFile: lab.path($0), encoding: .utf8) }
      #expect(try text("full.status") == "128\n")
      let error = try text("full.err")
      #expect(error.contains("there is no space left in "), "\(error)")
      #expect(error.contains("goes on with `--resume last`"), "\(error)")
      #expect(!error.contains("does not build"), "\(error)")
      try Self.expectCulprit(output, of: lab)
    }

    @Test func `ends the build of a run that was killed`() async throws {
      let lab = Launchlab()
      let wait =
        "touch \(lab.path("building")); until [ -e \(lab.path("end")) ]; do sleep 0.05; done"
      try Self.makeRepository(lab, build: "cc -o app app.c; \(wait)")
      let killed = try lab.start(Self.bisect)
      #expect(try await eventually { lab.exists("building") })
      killed.send(SIGKILL)
      _ = killed.tool.finish()
      #expect(!killed.leftovers.isEmpty)
      let builds = Set(killed.leftovers)

      let next = try lab.start(["bisect", "--resume", "last", "--json", "-"])
      #expect(try await eventually { builds.isDisjoint(with: next.leftovers) })
      try lab.write("", to: "end")
      try Self.expectCulprit(try await next.finish(), of: lab)
    }
  }
}
