import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// Stages beside the plain launches of a run, and what is stored of them.
  @Suite struct StagesRunTests {
    private static let collectors = ["probe", "breakpoints", "statistics", "text"]

    private static let scenario = """
      scenario: staged
      targets:
        perl: {command: [./perl, -e, 'print "time of phase: 12 ms\\n"']}
      states: [reinstall-cold, warm]
      launches: 5
      stages:
        collect: [probe, breakpoints, statistics, text, marks]
        launches: 3
        patterns: ['time of (?<stage>\\w+): (?<value>\\d+) (?<unit>ms)']
      """

    @Test(.enabled(if: Machine.isTemporaryDirectoryOnDisk, "the temporary directory is in memory"))
    func `stores stages beside plain launches`() async throws {
      let lab = Launchlab()
      try lab.write(Self.scenario, to: "scenario.yml")
      try lab.copyProgram("/usr/bin/perl", to: "perl")

      let output = try await lab.run("run", "scenario.yml", "--json", "result.json")

      #expect(output.status == 0, "\(output.stderr)")
      let text = try String(contentsOfFile: lab.path("result.json"), encoding: .utf8)
      let result = try RunResult(text)
      let kinds = Set(result.arms.map { "\($0.state) \($0.kind)" })
      let expected = ["reinstall-cold", "warm"].flatMap { state in
        (["plain"] + Self.collectors).map { "\(state) \($0)" }
      }
      #expect(kinds == Set(expected))
      for arm in result.arms {
        #expect(arm.launches == (arm.kind == "plain" ? 5 : 3))
        #expect((arm.metrics["launch"] ?? nil)?.n == arm.launches)
      }
      for state in ["reinstall-cold", "warm"] {
        try expectStages(of: #require(result.arm(state, "plain")))
      }
      try await expectPlainValues(of: result, in: lab)
      try expectPageIns(of: result, in: lab)
      try await expectWords(output.stdout, in: lab)
    }

    /// What the plain arm has of each collector.
    private func expectStages(of arm: RunResult.Arm) throws {
      #expect(arm.collectors.map(\.collector) == Self.collectors)
      let parts = arm.stages.filter { $0.kind == "part" }
      #expect(parts.map(\.name) == Launchlab.probeStages)
      #expect(parts.allSatisfy { ($0.medianNs ?? 0) > 0 && $0.n == 3 })
      #expect(parts.allSatisfy { (0.0...1.5).contains($0.share ?? -1) })
      for collector in arm.collectors {
        #expect(collector.launches == 3)
        #expect(collector.cost?.n == 3, "\(collector.collector)")
      }
      for collector in arm.collectors.prefix(2) {
        let check = try #require(collector.sumCheck)
        #expect(check.worstLaunch == 0)
        let sum = collector.stages.filter { $0.kind == "part" }.compactMap(\.medianNs)
          .reduce(0, +)
        #expect(abs(check.sumNs - sum) <= 1)
        #expect(check.launchNs == collector.medianNs)
        #expect(check.plainNs == (arm.metrics["launch"] ?? nil)?.median)
      }
      let printed = arm.collectors.map { $0.stages.map(\.name) }
      #expect(Set(printed[2]).isSuperset(of: ["fixup", "load", "loader_other"]))
      let phase = arm.collectors[3].stages.first { $0.name == "phase" }
      #expect(phase?.medianNs == 12_000_000)
      #expect(arm.collectors[3].notes.isEmpty)
    }

    /// The plain values are those of the plain launches, and of no others.
    private func expectPlainValues(of result: RunResult, in lab: Launchlab) async throws {
      let launches = try await lab.launches()
      #expect(launches.count == 2 * (5 + 4 * 3))
      for arm in result.arms {
        let stored = launches.filter { $0.state == arm.state && $0.kind == arm.kind }
        #expect((arm.metrics["launch"] ?? nil)?.values == stored.compactMap(\.launchNs))
      }
      for launch in launches {
        #expect((launch.stages == nil) == (launch.kind == "plain"))
        if let stages = launch.stages { lab.expectSums(of: stages) }
      }
      let table = try await lab.run("export", "--format", "csv")
      #expect(table.stdout.split(separator: "\r\n").count == 1 + launches.count)
      let history = try await lab.run("history")
      #expect(history.status == 0)
      #expect(try await lab.runs().map(\.launches) == [launches.count])
    }

    /// A cold launch brings the pages of its own executable in.
    private func expectPageIns(of result: RunResult, in lab: Launchlab) throws {
      #expect(result.arm("warm", "plain")?.pageIns == nil)
      let pageIns = try #require(result.arm("reinstall-cold", "plain")?.pageIns)
      #expect(pageIns.launches == 3)
      let own = try #require(pageIns.files.first { $0.path == lab.path("perl") })
      #expect(own.isOwn)
      #expect(own.pages > 0)
      #expect((own.faulted ?? 0) > 0)
      #expect((own.faulted ?? 0) + (own.readAhead ?? 0) == own.pages)
    }

    /// What a person sees in the terminal and in the report.
    private func expectWords(_ terminal: String, in lab: Launchlab) async throws {
      let report = try String(contentsOfFile: lab.path("report/run.md"), encoding: .utf8)
      for text in [terminal, report] {
        #expect(text.contains("total pre-main time"))
        #expect(text.contains(" a launch with the probe"))
        #expect(text.contains(" a launch with breakpoints"))
        #expect(text.contains("the stages sum to it within 0.0 %"))
        #expect(text.contains("phase"))
        #expect(text.contains("pages came in"))
      }
      #expect(report.contains("\n## Stages\n"))
      #expect(report.contains("\n## Page-ins\n"))
      let headings = report.split(separator: "\n").filter { $0.hasPrefix("### perl") }
      #expect(Set(headings.map { "\($0)" }).count >= 2)
    }

    @Test func `keeps the stages of a run that is cut off and resumed`() async throws {
      let lab = Launchlab()
      try lab.writeProgram("open F, '>>', 'tally'; syswrite F, \"$$\\n\"; close F; exit 0")
      try lab.write(
        """
        scenario: tally
        targets:
          one: {command: [./program]}
        states: [warm]
        launches: 60
        stages: {collect: [probe, breakpoints], launches: 60}
        """,
        to: "scenario.yml"
      )
      let session = try lab.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.lineCount(of: "tally") >= 40 })
      session.send(SIGKILL)
      _ = try await session.finish()
      #expect(try await eventually { session.processes.isEmpty })
      let run = try #require(try await lab.runs().first)
      let before = try await lab.launches()

      let output = try await lab.run("run scenario.yml --resume last --json result.json")

      #expect(output.status == 0, "\(output.stderr)")
      #expect(session.leftovers == [])
      #expect(before.count == 3 * run.blocks && run.blocks < 60)
      let after = try await lab.launches()
      #expect(after.count == 180)
      #expect(after.prefix(before.count).map(\.launchNs) == before.map(\.launchNs))
      let text = try String(contentsOfFile: lab.path("result.json"), encoding: .utf8)
      let arm = try #require(try RunResult(text).arm("warm", "plain"))
      // A launch may miss its state on a busy machine; those after the cut alone are at most 20.
      #expect(arm.collectors.count == 2)
      for collector in arm.collectors {
        #expect(collector.launches >= 50)
        #expect(try #require(collector.cost).n >= 50)
        #expect(collector.sumCheck?.worstLaunch == 0)
      }
    }

    @Test func `counts the launches of a collector that does not work as failed`() async throws {
      let lab = Launchlab()
      // It works unless it is watched.
      try lab.writeProgram("exit(exists $ENV{LD_AUDIT} ? 3 : 0)")
      try lab.write(
        """
        scenario: shy
        targets:
          shy: {command: [./program]}
        states: [warm]
        launches: 3
        stages: {collect: [probe], launches: 2}
        """,
        to: "scenario.yml"
      )

      let output = try await lab.run("run", "scenario.yml", "--json", "-")

      #expect(output.status == 128)
      let failure = "none of 2 launches became ready (2 exited); the last one exited with status 3"
      #expect(output.stderr.contains(failure))
      let result = try RunResult(output.stdout)
      #expect(result.arm("warm", "plain")?.outcomes == ["ready": 3])
      #expect(result.arm("warm", "probe")?.outcomes == ["exited": 2])
      let collector = try #require(result.arm("warm", "plain")?.collectors.first)
      #expect(collector.launches == 0)
      #expect(collector.notReady == 2)
      #expect(collector.cost == nil)
    }
  }
}
