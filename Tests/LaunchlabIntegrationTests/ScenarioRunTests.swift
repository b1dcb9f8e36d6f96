import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  @Suite struct ScenarioRunTests {
    private static let quickstart = """
      scenario: quickstart
      targets:
        perl: {command: [./perl, -e, "0"]}
        git: {command: [./git, --version]}
      states: [reinstall-cold, warm]
      launches: 5
      baseline: {empty: true}
      """

    @Test(
      .enabled(if: Machine.has("git"), "git is not installed"),
      .enabled(if: Machine.isTemporaryDirectoryOnDisk, "the temporary directory is in memory")
    )
    func `keeps every launch of two runs, and exports them`() async throws {
      let lab = Launchlab()
      try lab.write(Self.quickstart, to: "quickstart.yml")
      // Copies, because others who use the programs at the same time would keep them warm.
      for name in ["perl", "git"] { try lab.copyProgram("/usr/bin/\(name)", to: name) }

      for _ in 1...2 {
        let output = try await lab.run("run", "quickstart.yml")
        #expect(output.status == 0, "\(output.stderr)")
        #expect(output.stdout.contains("perl"))
        #expect(output.stdout.contains("median"))
      }

      let runs = try await lab.runs()
      #expect(runs.map(\.status) == ["complete", "complete"])
      #expect(Set(runs.map(\.id)).count == 2)
      let planned = try #require(runs.first?.plannedLaunches)
      #expect(runs.map(\.launches) == [planned, planned])
      for run in runs {
        let launches = try await lab.launches(of: run.id)
        #expect(launches.count == planned)
        #expect(launches.allSatisfy { $0.run == run.id && $0.outcome == "ready" })
        #expect(launches.blocks.keys.sorted() == [0, 1, 2, 3, 4])
      }
      let table = try await lab.run("export", "--all", "--format", "csv")
      #expect(table.stdout.split(separator: "\r\n").count == 1 + 2 * planned)
      let report = try String(contentsOfFile: lab.path("report/run.md"), encoding: .utf8)
      #expect(report.contains("perl"))
      #expect(report.contains("reinstall-cold"))
    }

    @Test func `exports the launches in the format of hyperfine`() async throws {
      let lab = Launchlab()
      try lab.writeTally(launches: 5)

      let output = try await lab.run(
        "run scenario.yml --export-hyperfine times.json --json result.json"
      )

      #expect(output.status == 0)
      let bytes = try Data(contentsOf: URL(filePath: lab.path("times.json")))
      let times = try JSONDecoder().decode(HyperfineTimes.self, from: bytes)
      #expect(times.results.map(\.times.count) == [5, 5])
      let text = try String(contentsOfFile: lab.path("result.json"), encoding: .utf8)
      let launch = try RunResult(text).arms.compactMap { $0.metrics["launch"] ?? nil }
      for (arm, result) in zip(launch, times.results) {
        #expect(result.times.count == arm.values.count)
        #expect(abs(result.median * 1e9 - arm.median) < 1)
      }
    }

    private struct HyperfineTimes: Decodable {
      let results: [Result]

      struct Result: Decodable {
        let command: String
        let median: Double
        let times: [Double]
      }
    }

    @Test func `runs the scenario that init wrote, and does not replace it unasked`() async throws {
      let lab = Launchlab()

      let first = try await lab.run("init", "--", "/bin/true", "two words")
      let text = try String(contentsOfFile: lab.path("scenario.yml"), encoding: .utf8)
      let second = try await lab.run("init", "--", "/bin/false")
      let run = try await lab.run("run", "scenario.yml")

      #expect(first.status == 0)
      #expect(first.stderr.contains("next: launchlab run scenario.yml"))
      #expect(second.status == 64)
      #expect(second.stderr.contains("\"scenario.yml\" exists already"))
      #expect(second.stderr.contains("help: give another path with --output"))
      #expect(try String(contentsOfFile: lab.path("scenario.yml"), encoding: .utf8) == text)
      #expect(run.status == 0, "\(run.stderr)")
      #expect(try await lab.runs().map(\.status) == ["complete"])
    }
  }
}
