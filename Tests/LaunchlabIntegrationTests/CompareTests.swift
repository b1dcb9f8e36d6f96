import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Two programs, two revisions and two runs against each other.
  @Suite struct CompareTests {
    private static let quick = "perl -e 0"
    private static let slow = "perl -e 'for (1..3000000) { $x += $_ }'"

    @Test(.enabled(if: Machine.has("perl"), "perl is not installed"))
    func `calls a program that works longer a regression`() async throws {
      let lab = Launchlab()

      let output = try await lab.run("compare --launches 10 --json c.json", Self.quick, Self.slow)
      let result = try Result(lab, "c.json")

      #expect(output.status == 1, "\(output.stderr)")
      let slower = #/B (?:is .* slower than|takes .* times as long as) A \(95 % interval [+×]/#
      #expect(output.stdout.prefixMatch(of: slower) != nil, "\(output.stdout)")
      #expect(result.schema == "launchlab.compare/1")
      #expect(result.verdict == "regression")
      #expect(result.effectLimit == 0.02)
      let comparison = try #require(result.comparisons.first)
      #expect(comparison.count + comparison.unpaired == 10)
      #expect(comparison.baseline == "A" && comparison.candidate == "B")
      #expect(result.runs.first?.targets.map(\.command.first) == ["perl", "perl"])
      let launches = try await lab.launches()
      #expect(launches.count == 20)
      // Both are launched in each block.
      for block in 0..<10 {
        #expect(Set(launches.filter { $0.block == block }.map(\.target)) == ["A", "B"])
      }
    }

    private static let seldomSlow =
      "perl -e 'select undef, undef, undef, 0.02 if rand() < 0.45'"

    @Test(.enabled(if: Machine.has("perl"), "perl is not installed"))
    func `calls a program that is slow at times a regression`() async throws {
      let lab = Launchlab()

      let output = try await lab.run(
        "compare --launches 57 --json c.json",
        Self.quick,
        Self.seldomSlow
      )
      let off = try await lab.run("show", "--json", "s.json")

      #expect(output.status == 1, "\(output.stdout)\(output.stderr)")
      let result = try Result(lab, "c.json")
      let tail = try #require(result.comparisons.first?.tail)
      #expect(tail.pairs == 57)
      #expect((0.2...0.7).contains(tail.candidateShare))
      #expect(try Result(lab, "s.json").verdict == "regression", "\(off.stderr)")
    }

    @Test(
      .enabled(if: Machine.has("git"), "git is not installed"),
      .enabled(if: Machine.has("cc"), "there is no C compiler `cc`")
    )
    func `compares two revisions of a source`() async throws {
      let lab = Launchlab()
      try lab.writeProject(build: "cc -o app main.c")
      let scenario = try String(contentsOfFile: lab.path("scenario.yml"), encoding: .utf8)
      try lab.write("\(scenario)\nbaseline: {control: [/bin/true]}\n", to: "scenario.yml")
      try lab.makeRepository()
      let work = "volatile long x; int main(void) { while (x < 100000000) x++; return 0; }\n"
      try lab.write(work, to: "repository/main.c")
      try lab.commit()

      let output = try await lab.run(
        "compare --revisions HEAD~1..HEAD --launches 8 --json c.json scenario.yml"
      )
      let result = try Result(lab, "c.json")
      let unknown = try await lab.run("compare", "--revisions", "HEAD~9..HEAD", "scenario.yml")
      let same = try await lab.run("compare", "--revisions", "HEAD..HEAD", "scenario.yml")

      #expect(output.status == 1, "\(output.stderr)")
      // The control never changes, so that it is not compared with itself.
      #expect(result.comparisons.count == 1)
      let comparison = try #require(result.comparisons.first)
      #expect(comparison.baseline.wholeMatch(of: /\w+@[0-9a-f]{7,}/) != nil)
      #expect(unknown.status == 128)
      #expect(same.status == 64)
      #expect(same.stderr.contains("are the same commit"))
    }

    @Test func `draws the launches of both sides where that is asked for`() async throws {
      let lab = Launchlab()
      let compare = ["compare", "--launches", "6", "true", "sh -c 'exit 0'"]
      let both = #/\nlaunch, warm\nA  [ ▁▂▃▄▅▆▇█]+  \d launches\nB  [ ▁▂▃▄▅▆▇█]+  \d launches\n/#

      let brief = try await lab.run(arguments: compare)
      let full = try await lab.run(
        arguments: compare + ["-v", "--markdown", "c.md"]
      )
      let shown = try await lab.run("show")
      let stored = try await lab.run("compare", "last~1", "last", "--target", "A", "-v")
      let briefly = try await lab.run("compare", "last~1", "last", "--target", "A")

      #expect(!brief.stdout.contains(#/[▁▂▃▄▅▆▇█]/#), "\(brief.stdout)")
      #expect(full.stdout.contains(both), "\(full.stdout)\(full.stderr)")
      let markdown = try String(contentsOfFile: lab.path("c.md"), encoding: .utf8)
      #expect(
        markdown.contains(#/```text\nlaunch, warm\nA  [^\n]*  \d launches\nB /#),
        "\(markdown)"
      )
      #expect(shown.stdout.contains(both), "\(shown.stdout)")
      let runs = #/\nA before  [ ▁▂▃▄▅▆▇█]+  \d launches\nA after   [ ▁▂▃▄▅▆▇█]+  \d launches\n/#
      #expect(stored.stdout.contains(runs), "\(stored.stdout)\(stored.stderr)")
      #expect(!briefly.stdout.contains(#/[▁▂▃▄▅▆▇█]/#), "\(briefly.stdout)")
    }

    /// What `compare --json` writes.
    private struct Result: Decodable {
      let schema: String
      let verdict: String
      let effectLimit: Double?
      let runs: [Run]
      let comparisons: [Comparison]

      struct Run: Decodable {
        let targets: [Target]
      }

      struct Target: Decodable {
        let command: [String]
      }

      struct Comparison: Decodable {
        let baseline: String
        let candidate: String
        let count: Int
        let unpaired: Int
        let tail: Tail?
      }

      struct Tail: Decodable {
        let pairs: Int
        let candidateShare: Double
      }

      init(_ lab: Launchlab, _ file: String) throws {
        let text = try String(contentsOfFile: lab.path(file), encoding: .utf8)
        self = try StoredRun.decoder.decode(Self.self, from: Data(text.utf8))
      }
    }
  }
}
