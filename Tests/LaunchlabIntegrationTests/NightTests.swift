import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Nights of a program whose memory at the start is what its source says.
  @Suite(
    .enabled(if: Machine.has("git"), "git is not installed"),
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`")
  ) struct NightTests {
    @Test func `settles a regression of the code the same night`() async throws {
      let lab = Launchlab()
      try lab.writeProject(kilobytes: 4_000)
      try lab.makeRepository()
      for _ in 0..<6 {
        let quiet = try await lab.run("run", "scenario.yml")
        #expect(quiet.status == 0, "\(quiet.stderr)")
      }
      let good = try lab.git("rev-parse", "HEAD").prefix(7)
      try lab.write(kilobytes: 12_000)
      try lab.commit()
      let bad = try lab.git("rev-parse", "HEAD").prefix(7)

      let output = try await lab.run("run", "scenario.yml", "--json", "result.json")

      #expect(output.status == 1, "\(output.stderr)")
      #expect(
        output.stderr.contains("proving a suspicion: app warm, last good \(good) against \(bad)")
      )
      let result = try lab.verdicts(in: "result.json")
      let alert = try #require(result.alerts.first)
      #expect(result.alerts.count == 1)
      #expect(alert.state == "confirmed")
      #expect(alert.cause == "code")
      #expect(alert.target == "app")
      #expect(alert.proof?.scope == "build")
      #expect(alert.proof?.verdict == "regression")
      #expect(result.verdict(of: "app") == "regression")
      #expect(result.verdict(of: "control") == "quiet")
      #expect(output.stdout.contains("R-1"))
      for file in ["latest.md", "run.md", "index.html"] { #expect(lab.exists("report/\(file)")) }
      let report = try String(contentsOfFile: lab.path("report/latest.md"), encoding: .utf8)
      #expect(report.contains("R-1"))
      #expect(report.contains(bad))

      // An open regression keeps the exit code, and is proved once.
      let later = try await lab.run("run", "scenario.yml")
      #expect(later.status == 1, "\(later.stderr)")
      let runs = try await lab.runs()
      #expect(runs.map(\.exitCode) == [1, 1, 1] + [0, 0, 0, 0, 0, 0])
      #expect(runs.map(\.verdict).prefix(3) == ["red", "regression", "red"])

      // Once acknowledged it is red no more, and cannot be acknowledged twice.
      let why = try await lab.run("why", "R-1")
      #expect(why.stdout.contains("launchlab ack R-1"))
      try FileManager.default.moveItem(
        atPath: lab.path("scenario.yml"),
        toPath: lab.path("shop.yml")
      )
      for words in [["report"], ["report", "shop.yml"], ["why", "R-1"]] {
        let json = try await lab.run(arguments: words + ["--json", "-"]).stdout
        #expect(json.contains(" shop.yml --target app "), "\(json)")
      }
      try FileManager.default.moveItem(
        atPath: lab.path("shop.yml"),
        toPath: lab.path("scenario.yml")
      )
      #expect(try await lab.run("ack", "R-1", "--reason", "is meant").status == 0)
      let again = try await lab.run("ack", "R-1", "--reason", "is meant")
      #expect(again.status == 64)
      #expect(again.stderr.contains("is already acknowledged"))
      let known = try await lab.run("why", "R-1")
      #expect(known.stdout.contains("is meant"))
      #expect(known.stdout.contains(", by \(NSUserName()): acknowledged, cause code"))
      #expect(!known.stdout.contains("launchlab ack R-1"))
      #expect(try await lab.run("report", "--fail-on", "suspected").status == 0)
      #expect(try await lab.run("run", "scenario.yml").status == 0)
    }
  }
}

// MARK: - The program

extension Launchlab {
  /// Writes a C program that takes memory at its start, and a scenario of few launches.
  fileprivate func writeProject(kilobytes: Int) throws {
    try write(kilobytes: kilobytes)
    try write(
      """
      scenario: app
      source: {repository: repository, build: cc -o app main.c}
      targets:
        app: {command: [./app]}
      states: [warm]
      launches: 3
      baseline: {control: ["/bin/true"]}
      regression: {metrics: [peak_rss], effect: 20%, proof: 10}
      """,
      to: "scenario.yml"
    )
  }

  fileprivate func write(kilobytes: Int) throws {
    try write(
      """
      #include <stdlib.h>
      #include <string.h>
      int main(void) {
        size_t size = (size_t)\(kilobytes) * 1024;
        char *memory = malloc(size);
        if (!memory) return 1;
        memset(memory, 1, size);
        return memory[size / 2] - 1;
      }

      """,
      to: "repository/main.c"
    )
  }

  fileprivate func verdicts(in name: String) throws -> NightVerdict {
    let decoder = JSONDecoder()
    return try decoder.decode(
      NightVerdict.self,
      from: Data(contentsOf: URL(filePath: path(name)))
    )
  }
}

/// The verdicts of a night, as `run --json` writes them.
private struct NightVerdict: Decodable {
  let verdicts: [Series]
  let alerts: [Alert]

  struct Series: Decodable {
    let target: String
    let outcome: String
  }

  struct Alert: Decodable {
    let target: String
    let state: String
    let cause: String
    let proof: Proof?

    struct Proof: Decodable {
      let scope: String
      let verdict: String
    }
  }

  func verdict(of target: String) -> String? { verdicts.first { $0.target == target }?.outcome }
}
