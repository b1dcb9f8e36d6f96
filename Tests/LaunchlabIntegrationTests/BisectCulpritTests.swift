import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// What a bisection says of its culprits, and the commands that it names, which are run.
  @Suite(
    .enabled(if: Machine.has("git"), "git is not installed"),
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`")
  ) struct BisectCulpritTests {
    private struct Answer: Decodable {
      struct Culprit: Decodable {
        let subject: String
        let files: [File]?
        let fileCount: Int?
        let merge: Merge?
        let parentBuild: String?
        let build: String?
        let compare: String?
        let stageChanges: [Stage]?
      }

      struct File: Decodable {
        let path: String
        let added: Int?
        let removed: Int?
      }

      struct Merge: Decodable {
        let commits: [[String: String]]
        let count: Int
        let bisect: [String]
      }

      struct Stage: Decodable {
        let path: String
        let ci95: [Double]?
      }

      struct Ratio: Decodable { let ratio: Double }

      struct Conditions: Decodable {
        let compilers: [String]
        let environment: [String: String]
        let loadBefore: Double?
      }

      struct ProcessorTime: Decodable {
        let ratio: Double
        let ci99: [Double]
        let pairs: Int
      }

      let culprits: [Culprit]
      let processorTime: ProcessorTime?
      let unexplained: Ratio?
      let conditions: Conditions?
    }

    private static func answer(_ lab: Launchlab, _ name: String = "answer.json") throws -> Answer {
      let data = try Data(contentsOf: URL(filePath: lab.path(name)))
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      return try decoder.decode(Answer.self, from: data)
    }

    /// Runs a command that an answer names, as a shell splits it.
    private static func run(
      _ lab: Launchlab,
      _ command: String,
      _ more: String...
    ) async throws -> Tool.Output {
      let words = try Tool.run("sh", ["-c", "printf '%s\\n' \(command)"]).stdout
        .split(separator: "\n").map(String.init)
      #expect(words.first == "launchlab")
      return try await lab.start(Array(words.dropFirst()) + more).finish()
    }

    private static func program(_ number: Int, rounds: Int) -> String {
      """
      // \(number)
      int main(void) { volatile long n = 0; while (n < \(rounds)) n++; return 0; }

      """
    }

    /// Writes a line of commits, with a merge of ten others of which one makes the program slower.
    private static func makeRepository(_ lab: Launchlab) throws {
      try lab.write(program(0, rounds: 2_000_000), to: "repository/app.c")
      try lab.makeRepository()
      for number in 1...4 {
        try lab.write("\(number)\n", to: "repository/number")
        try lab.commit()
      }
      _ = try lab.git("checkout", "-q", "-b", "feature", "HEAD~1")
      for number in 1...11 {
        if number == 6 { try lab.write(program(0, rounds: 4_000_000), to: "repository/app.c") }
        try lab.write("\(number)\n", to: "repository/part-\(number)")
        _ = try lab.git("add", ".")
        _ = try lab.git("commit", "-q", "-m", "Part \(number)")
      }
      _ = try lab.git("checkout", "-q", "-")
      _ = try lab.git("merge", "-q", "--no-ff", "-m", "Merge the feature", "feature")
      for number in 5...7 {
        try lab.write("\(number)\n", to: "repository/number")
        try lab.commit()
      }
    }

    private static let range = "HEAD~6..HEAD"

    @Test func `shows what a merge has brought in, and goes on inside it`() async throws {
      let lab = Launchlab()
      try Self.makeRepository(lab)
      try lab.write(
        """
        scenario: app
        source: {repository: repository, build: "cc $CFLAGS -O1 -o app app.c"}
        targets:
          app: {command: [./app]}
        states: [warm]

        """,
        to: "scenario.yml"
      )
      let output = try await lab.run(
        "bisect \(Self.range) --scenario scenario.yml --min-effect 10% --json answer.json "
          + "--markdown answer.md"
      )

      #expect(output.status == 0, "\(output.stderr)")
      // The result is printed once, and nothing is foreseen before it is known how much the ends differ.
      #expect(output.stdout.contains("made launches of app (warm)"))
      #expect(!output.stderr.contains("made launches of app (warm)"), "\(output.stderr)")
      #expect(output.stderr.contains("larger change takes fewer launches"), "\(output.stderr)")
      #expect(!output.stderr.contains("too low"), "\(output.stderr)")
      let first = output.stderr.split(separator: "\n").first { $0.hasPrefix("good against bad") }
      #expect(first?.contains("seconds") == false, "\(output.stderr)")
      let answer = try Self.answer(lab)
      let culprit = try #require(answer.culprits.first)
      #expect(culprit.subject == "Merge the feature")
      let merge = try #require(culprit.merge)
      #expect(merge.count == 11)
      #expect(merge.commits.map { $0["subject"] } == (2...11).reversed().map { "Part \($0)" })
      #expect(culprit.fileCount == 12)
      #expect(culprit.files?.count == 8)
      #expect(culprit.files?.contains { $0.path == "app.c" && $0.added == 1 } == true)
      #expect(answer.conditions?.compilers.contains { $0.hasPrefix("cc") } == true)
      #expect(answer.conditions?.loadBefore != nil)

      // The short text has all of it, and no table of builds.
      let text = output.stdout
      #expect(text.contains("It is a merge of 11 commits:"))
      #expect(text.contains("and 1 more commit\n"))
      #expect(text.contains("and 4 more files"))
      #expect(!text.contains("against good") && !text.contains("Measured with"))
      let markdown = try String(contentsOfFile: lab.path("answer.md"), encoding: .utf8)
      for title in ["## Merge", "## Files", "## Builds", "## Measured with"] {
        #expect(markdown.contains(title))
      }

      let difference = try #require(text.split(separator: "\n").first { $0.contains(" diff ") })
      let words = difference.prefix { $0 != "\t" }.split(separator: " ").map(String.init)
      let hashes = words.filter { $0.count == 40 }
      #expect(hashes.count == 2)
      #expect(try lab.git("diff", hashes[0], hashes[1]).contains("n < 4000000"))

      let inside = try await Self.run(
        lab,
        try #require(merge.bisect.first),
        "--json",
        "inside.json"
      )
      #expect(inside.status == 0, "\(inside.stderr)")
      #expect(try Self.answer(lab, "inside.json").culprits.map(\.subject) == ["Part 6"])

      let command = try #require(culprit.compare)
      #expect(command.contains("--revisions") && command.contains("scenario.yml"))
      let compared = try await Self.run(lab, command)
      #expect(compared.status == 1, "\(compared.stderr)")
      #expect(compared.stdout.contains(#/slower than|times as long as/#), "\(compared.stdout)")
      #expect(!compared.stderr.contains("building "))

      let log = try #require(lab.names(in: ".launchlab/bisect").min())
      let replayed = try await lab.run("bisect --replay .launchlab/bisect/\(log)/log.jsonl -v")
      #expect(replayed.stdout.contains("against good"))
      #expect(replayed.stdout.contains("It is a merge of 11 commits:"))
    }

    @Test func `compares the kept builds of a command`() async throws {
      let lab = Launchlab()
      try Self.makeRepository(lab)
      var inside = lab
      inside.wrapper = ["env", "-C", lab.path("repository")]
      let output = try await inside.run(
        "bisect \(Self.range) --build",
        "cc -O1 -o app app.c",
        "--min-effect",
        "10%",
        "--env",
        "SOME=thing",
        "--json",
        "../answer.json",
        "--",
        "./app"
      )

      #expect(output.status == 0, "\(output.stderr)")
      let culprit = try #require(try Self.answer(lab).culprits.first)
      for path in [culprit.parentBuild, culprit.build] {
        #expect(FileManager.default.isExecutableFile(atPath: try #require(path)))
      }
      let command = try #require(culprit.compare)
      #expect(command.contains(" --env SOME=thing"))
      let compared = try await Self.run(inside, command)
      #expect(compared.status == 1, "\(compared.stderr)")
      #expect(compared.stdout.contains(#/slower than|times as long as/#), "\(compared.stdout)")
    }

    @Test func `lists every change, with stages of each, and what they leave`() async throws {
      let lab = Launchlab()
      try FileManager.default.createDirectory(
        atPath: lab.path("shelf"),
        withIntermediateDirectories: true
      )
      for number in 1...9 {
        let rounds = number < 3 ? 2_000_000 : number < 7 ? 4_000_000 : 8_000_000
        try lab.write(Self.program(number, rounds: rounds), to: "app.c")
        _ = try Tool.run("cc", ["-O1", "-o", lab.path("shelf/v\(number)"), lab.path("app.c")])
      }
      let output = try await lab.run(
        "bisect --artifacts shelf --all --min-effect 20% --json answer.json --markdown answer.md "
          + "-- app"
      )

      #expect([0, 125].contains(output.status), "\(output.stderr)")
      let answer = try Self.answer(lab)
      #expect(answer.culprits.map(\.subject).sorted() == ["v3", "v7"])
      for culprit in answer.culprits {
        let main = culprit.stageChanges?.first { $0.path == "main_to_ready" }
        let interval = try #require(main?.ci95)
        #expect(interval[0] > 0 && interval[0] <= interval[1])
        let compared = try await Self.run(lab, try #require(culprit.compare))
        #expect(compared.status == 1, "\(compared.stderr)")
      }
      // Each of both doubles the time of the loop.
      #expect((0.5...2).contains(try #require(answer.unexplained?.ratio)))
      for text in [
        output.stdout, try String(contentsOfFile: lab.path("answer.md"), encoding: .utf8),
      ] {
        #expect(text.contains("not explained"))
        #expect(text.contains("bad against good"))
      }
    }

    @Test func `names the metric that tells what noise hides, and what it does not see`()
      async throws
    {
      let lab = Launchlab()
      try FileManager.default.createDirectory(
        atPath: lab.path("shelf"),
        withIntermediateDirectories: true
      )
      // Sleeps for up to 30 ms, and works for about 2 ms or twice as long.
      for number in 1...6 {
        try lab.write(
          """
          #include <time.h>
          int main(void) {
            struct timespec now;
            clock_gettime(CLOCK_MONOTONIC, &now);
            struct timespec pause = {0, now.tv_nsec / 7 % 30000000};
            nanosleep(&pause, 0);
            volatile long n = \(number); while (n < \(number < 4 ? 4 : 8) * 1000000) n++;
            return 0;
          }

          """,
          to: "app.c"
        )
        _ = try Tool.run("cc", ["-O1", "-o", lab.path("shelf/v\(number)"), lab.path("app.c")])
      }
      let bisect = ["bisect", "--artifacts", "shelf", "--json", "answer.json"]
      let noisy = try await lab.start(bisect + ["--max-launches", "64", "--", "app"]).finish()

      #expect(noisy.status == 125, "\(noisy.stderr)")
      #expect(noisy.stdout.contains("CPU time"), "\(noisy.stdout)")
      #expect(noisy.stdout.contains("`--metric cpu_time`"), "\(noisy.stdout)")
      #expect(noisy.stdout.contains("waits"))
      let time = try #require(try Self.answer(lab).processorTime)
      #expect(time.ratio > 1.1 && time.ci99[0] > 1 && time.pairs >= 16)

      let options = ["--metric", "cpu_time", "--min-effect", "10%", "--", "app"]
      let found = try await lab.start(bisect + options).finish()
      #expect(found.status == 0, "\(found.stderr)")
      #expect(try Self.answer(lab).culprits.map(\.subject) == ["v4"])
      #expect(found.stdout.contains("CPU time was measured, not launch time"))
    }
  }
}
