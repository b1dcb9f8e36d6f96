import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Bisections of a repository with one planted change, as a person runs them.
  @Suite(
    .enabled(if: Machine.has("git"), "git is not installed"),
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`")
  ) struct BisectTests {
    private static let commits = 30
    private static let culprit = 19

    /// The commits that do not compile.
    private static let broken = 9...10

    /// Writes a repository whose program does half as much work again, and loads one library more, from
    /// one commit on.
    ///
    /// - Returns: The ids of the commits, the good end first.
    private static func makeRepository(_ lab: Launchlab) throws -> [String] {
      for number in 0...commits {
        let rounds = number >= culprit ? 3_000_000 : 2_000_000
        let error = broken.contains(number) ? "#error it does not compile" : ""
        try lab.write(
          """
          // \(number)
          \(error)
          int main(void) { volatile long n = 0; while (n < \(rounds)) n++; return 0; }

          """,
          to: "repository/app.c"
        )
        let flags = number >= culprit ? "-Wl,--no-as-needed -lm" : ""
        try lab.write("\(flags)\n", to: "repository/flags")
        if number == 0 { try lab.makeRepository() } else { try lab.commit() }
      }
      try lab.write(
        """
        scenario: app
        source: {repository: repository, build: "cc -O1 -o app app.c $(cat flags) && echo $PWD >> $TALLY"}
        targets:
          app: {command: [./app]}
        states: [warm]
        """.replacing("$TALLY", with: lab.path("tally")),
        to: "scenario.yml"
      )
      return try lab.git("log", "--reverse", "--format=%H").split(separator: "\n").map(String.init)
    }

    private struct Answer: Decodable {
      struct Culprit: Decodable {
        let commit: String
      }

      let outcome: String
      let culprits: [Culprit]
      let builds: Int
      let resume: String?
    }

    private static func answer(_ output: Tool.Output) throws -> Answer {
      try JSONDecoder().decode(Answer.self, from: Data(output.stdout.utf8))
    }

    @Test func `names the planted commit, and touches nothing of the user's`() async throws {
      let lab = Launchlab()
      let commits = try Self.makeRepository(lab)
      try lab.write("int unfinished;", to: "repository/other.c")
      let before =
        try lab.git("status", "--porcelain") + lab.git("show-ref")
        + lab.git("config", "--list", "--local") + lab.git("worktree", "list")

      let output = try await lab.run("bisect \(commits[0])..HEAD --scenario scenario.yml --json -")

      #expect(output.status == 0, "\(output.stderr)")
      let answer = try Self.answer(output)
      #expect(answer.outcome == "found")
      #expect(answer.culprits.map(\.commit) == [commits[Self.culprit]])
      #expect(answer.builds <= 11)
      let after =
        try lab.git("status", "--porcelain") + lab.git("show-ref")
        + lab.git("config", "--list", "--local") + lab.git("worktree", "list")
      #expect(after == before)

      // Nothing was built before the first bisection, and what it took is known to the next one.
      #expect(output.stderr.contains("how long a build and a launch take is not known yet"))
      let second = try await lab.run(
        "bisect \(commits[Self.culprit - 1])..\(commits[Self.culprit]) --scenario scenario.yml"
      )
      #expect(second.status == 0, "\(second.stderr)")
      #expect(second.stderr.contains("(2 of 2 commits built already), "))
      #expect(!second.stderr.contains("not known"))

      let log = try #require(Self.firstLog(lab))
      let report = try String(
        contentsOfFile: log.replacing("log.jsonl", with: "report.md"),
        encoding: .utf8
      )
      #expect(report.hasPrefix("# Regression of +"))
      #expect(report.contains("## What changed between the parent and the culprit"))
      #expect(report.contains("library loading › libm.so.6 (new)"))
      let replayed = try await lab.run(
        "bisect --replay \(log) --json nowhere/answer.json --markdown answer.md --git-log "
          + "nowhere/log"
      )
      #expect(replayed.status != 0)
      #expect(replayed.stdout.contains(commits[Self.culprit].prefix(12)))
      #expect(replayed.stderr.contains("nowhere/answer.json"))
      #expect(replayed.stderr.contains("nowhere/log"))
      #expect(try String(contentsOfFile: lab.path("answer.md"), encoding: .utf8).contains("# Regr"))
    }

    @Test func `goes on after every kill, and builds nothing twice`() async throws {
      let lab = Launchlab()
      let commits = try Self.makeRepository(lab)
      var session = try lab.start([
        "bisect", "\(commits[0])..HEAD", "--scenario", "scenario.yml", "--json", "-",
      ])
      for kill in 1...6 {
        let lines = kill * 17
        _ = try await eventually {
          !session.tool.process.isRunning || Self.logLines(lab) >= lines
        }
        session.send(SIGKILL)
        _ = session.tool.finish()
        session = try lab.start(["bisect", "--resume", "last", "--json", "-"])
      }
      let output = try await session.finish()

      #expect(output.status == 0, "\(output.stderr)")
      #expect(try Self.answer(output).culprits.map(\.commit) == [commits[Self.culprit]])
      let log = try #require(Self.log(lab))
      let replayed = try await lab.run("bisect", "--replay", log, "--json", "-")
      #expect(replayed.status == 0, "\(replayed.stderr)")
      #expect(try Self.answer(replayed).culprits.map(\.commit) == [commits[Self.culprit]])
      let tally = try String(contentsOfFile: lab.path("tally"), encoding: .utf8)
      let built = tally.split(separator: "\n")
      #expect(Set(built).count == built.count)
    }

    @Test func `goes on with more launches as its own advice says`() async throws {
      let lab = Launchlab()
      let commits = try Self.makeRepository(lab)
      // The store is not where launchlab looks by itself.
      var output = try await lab.run(
        "bisect \(commits[0])..HEAD --scenario scenario.yml --max-launches 32 --store "
          + "kept/history.sqlite --json -"
      )
      var advice: [String] = []
      for _ in 1...8 where output.status == 125 {
        advice.append(try #require(try Self.answer(output).resume))
        let words = advice[advice.count - 1].split(separator: " ").dropFirst().map(String.init)
        output = try await lab.start(words + ["--json", "-"]).finish()
      }

      #expect(advice.first?.contains("--max-launches") == true)
      #expect(output.status == 0, "\(output.stderr)")
      #expect(try Self.answer(output).culprits.map(\.commit) == [commits[Self.culprit]])
      #expect(output.stderr.contains("note: new limits, counted from the start: at most "))
      #expect(lab.names(in: "kept/bisect").count == 1)
      let tally = try String(contentsOfFile: lab.path("tally"), encoding: .utf8)
      let built = tally.split(separator: "\n")
      #expect(Set(built).count == built.count)

      let id = try #require(lab.names(in: "kept/bisect").first)
      let replayed = try await lab.run("bisect", "--replay", "kept/bisect/\(id)/log.jsonl")
      #expect(replayed.status == 0, "\(replayed.stderr)")

      let fewer = try await lab.run(
        "bisect --resume \(id) --max-launches 33 --store kept/history.sqlite"
      )
      #expect(fewer.status == 64)
      #expect(fewer.stderr.contains("the bisection has ended"))
      let log = try String(contentsOfFile: lab.path("kept/bisect/\(id)/log.jsonl"), encoding: .utf8)
      let asked = try await lab.run("bisect", "--resume", id, "--min-effect", "2%", "--all")
      #expect(asked.status == 64)
      #expect(asked.stderr.contains("--min-effect, --all cannot be used with --resume"))
      #expect(
        try String(contentsOfFile: lab.path("kept/bisect/\(id)/log.jsonl"), encoding: .utf8) == log
      )
    }

    @Test func `refuses a range without a change`() async throws {
      let lab = Launchlab()
      let commits = try Self.makeRepository(lab)

      let output = try await lab.run(
        "bisect \(commits[0])..\(commits[Self.culprit - 1]) --scenario scenario.yml --min-effect "
          + "20%"
      )

      #expect(output.status == 125, "\(output.stderr)")
      #expect(output.stdout.contains("no regression"))
      #expect(!output.stdout.contains("P(bad)"))

      let misplaced = try await lab.run(
        "bisect \(commits[0])..HEAD --scenario scenario.yml --store repository"
      )
      #expect(misplaced.status == 64)
      #expect(misplaced.stderr.contains("repository/launchlab.sqlite"))
    }

    @Test func `bisects ready-made executables`() async throws {
      let lab = Launchlab()
      // The versions from 8 on are one executable.
      for number in 1...12 {
        let rounds = number >= 8 ? 3_000_000 : 2_000_000
        try lab.write(
          "int main(void) { volatile long n = \(min(number, 8)); while (n < \(rounds)) n++; return 0; }\n",
          to: "app.c"
        )
        try FileManager.default.createDirectory(
          atPath: lab.path("shelf"),
          withIntermediateDirectories: true
        )
        _ = try Tool.run("cc", ["-O1", "-o", lab.path("shelf/v\(number)"), lab.path("app.c")])
      }

      let bisect = ["bisect", "--artifacts", "shelf", "--json", "-", "--markdown", "answer.md"]
      let output = try await lab.start(bisect + ["--all", "--", "app"]).finish()

      #expect(output.status == 0, "\(output.stderr)")
      #expect(try Self.answer(output).culprits.map(\.commit) == ["v8"])
      let text = try String(contentsOfFile: lab.path("answer.md"), encoding: .utf8)
      // What is beside the change holds nothing, or that is not established.
      let isSaid = text.contains("changes that cancel out") || text.contains("Not established")
      #expect(isSaid, "\(text)")
      // What stands for the culprit in the table says so.
      let marked = text.split(separator: "\n").filter { $0.contains("**culprit**") }
      #expect(marked.count == 1, "\(text)")
      #expect(marked[0].contains("| v8 ") || marked[0].contains("equals v8"))
    }

    private static func log(_ lab: Launchlab) -> String? {
      lab.names(in: ".launchlab/bisect").max().map {
        lab.path(".launchlab/bisect/\($0)/log.jsonl")
      }
    }

    private static func firstLog(_ lab: Launchlab) -> String? {
      lab.names(in: ".launchlab/bisect").min().map { lab.path(".launchlab/bisect/\($0)/log.jsonl") }
    }

    private static func logLines(_ lab: Launchlab) -> Int {
      let text = log(lab).flatMap { try? String(contentsOfFile: $0, encoding: .utf8) }
      return text?.count { $0 == "\n" } ?? 0
    }
  }
}
