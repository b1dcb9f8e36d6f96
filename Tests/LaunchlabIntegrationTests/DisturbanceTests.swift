import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Others at work on the processor of the targets.
  ///
  /// The shield keeps the work of the machine off it, so that only the burner is there.
  @Suite(.enabled(if: Machine.isRoot, "a shield takes root"), .machineKnobs)
  struct DisturbanceTests {
    private static let cpu = Launchlab.lastProcessor

    @Test func `waits for a burner, and repeats the launches that it has disturbed`()
      async throws
    {
      let lab = Launchlab()
      let burner = try Burner(in: lab, cpu: Self.cpu)
      defer { burner.stop() }
      try lab.writeBurnt(blocks: 6)

      let output = try await lab.run("run", "scenario.yml", "--json", "-")

      #expect(output.status == 0, "\(output.stderr)")
      let result = try RunResult(output.stdout)
      let launches = try await lab.launches()
      expectRepeats(launches, blocks: 6)
      #expect(
        result.arms.map(\.disturbed.launches).reduce(0, +) == launches.count(where: \.isDisturbed)
      )
      #expect(result.arms.map(\.disturbed.repeated).reduce(0, +) == launches.count - 12)
      for arm in result.arms {
        #expect((arm.metrics["launch"] ?? nil)?.n == arm.launches - arm.disturbed.launches)
      }
      #expect(result.run.disturbedShare > 0)
      #expect(result.warnings.contains { $0.id == "disturbed-launches" })
      #expect(launches.allSatisfy { $0.unsettled == nil })
      // A window is 0.1 s, and one beside the burner is not enough.
      #expect(launches.contains { ($0.waitedNs ?? 0) > 150_000_000 })
    }

    @Test func `goes on after a kill with launches to repeat`() async throws {
      let lab = Launchlab()
      let burner = try Burner(in: lab, cpu: Self.cpu)
      defer { burner.stop() }
      try lab.writeBurnt(blocks: 6)
      let session = try lab.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.lineCount(of: "tally") >= 9 })

      session.killHard(withSpawner: false)
      _ = try await session.finish()
      let stored = try await lab.launches()
      let output = try await lab.run("run", "scenario.yml", "--resume", "last")

      #expect(output.status == 0, "\(output.stderr)")
      let launches = try await lab.launches()
      #expect(stored.contains { $0.isDisturbed })
      #expect(launches.prefix(stored.count).map(\.place) == stored.map(\.place))
      expectRepeats(launches, blocks: 6)
      #expect(try await lab.runs().map(\.status) == ["complete"])
    }

    @Test func `is inconclusive beside a burner that never rests, and says why`() async throws {
      let lab = Launchlab()
      try lab.writeProgram("exit 0")
      let burner = try Burner(in: lab, cpu: Self.cpu, restless: true)
      defer { burner.stop() }
      let controls = ["cpus=[\(Self.cpu)]", "settle={cpu_idle: 90%, within: 300ms}", "steal=on"]

      let result = try await lab.measure(controls, launches: 8, statuses: [125])

      let limit = try #require(result.run.disturbedLimit)
      #expect(result.run.disturbedShare > limit)
      let warning = try #require(result.warnings.first { $0.id == "too-disturbed" })
      #expect(warning.problem.contains("inconclusive"))
      #expect(warning.problem.contains("before the machine had settled (cpu idle"))
      let arm = try #require(result.arms.first)
      #expect(arm.disturbed.unsettled > 0)
      #expect(arm.disturbed.obstacle?.contains("limit 90 %") == true)
      let launches = try await lab.launches()
      #expect(launches.count >= 8)
      #expect(Set(launches.map(\.place)).count == launches.count)
    }

    /// Expects that each disturbed launch is followed by another of its arm in its block.
    private func expectRepeats(
      _ launches: [StoredLaunch],
      blocks: Int,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(launches.contains { $0.isDisturbed }, sourceLocation: sourceLocation)
      let found = Dictionary(grouping: launches, by: \.block)
      #expect(found.keys.sorted() == Array(0..<blocks), sourceLocation: sourceLocation)
      for (block, launches) in found {
        let places = launches.map(\.position)
        #expect(places == Array(places.indices), "block \(block)", sourceLocation: sourceLocation)
        #expect(Set(launches.prefix(2).map(\.target)) == ["one", "two"])
        for target in ["one", "two"] {
          let disturbed = launches.filter { $0.target == target }.map(\.isDisturbed)
          let expected = Array(repeating: true, count: disturbed.count - 1) + [false]
          #expect(
            disturbed == expected,
            "block \(block), \(target)",
            sourceLocation: sourceLocation
          )
        }
      }
      let kinds = Set(launches.flatMap(\.disturbed).map(\.kind))
      #expect(kinds == ["foreign-cpu"], sourceLocation: sourceLocation)
    }
  }
}

extension StoredLaunch {
  fileprivate var isDisturbed: Bool { !disturbed.isEmpty }

  fileprivate var place: [Int] { [block, position] }
}

/// A program that uses a processor: all the time, or for 0.6 s whenever a line is written to `fire`.
private struct Burner {
  private let tool: RunningTool

  init(in lab: Launchlab, cpu: Int, restless: Bool = false) throws {
    let fire = lab.path("fire")
    _ = try Tool.run("mkfifo", [fire])
    let burst = "my $end = time + 0.6; 1 while time < $end;"
    let source = "open F, '+<', '\(fire)' or die; while (<F>) { \(burst) }"
    tool = try Tool.start(
      "taskset",
      ["-c", "\(cpu)", "perl", "-MTime::HiRes=time", "-e", restless ? "1 while 1" : source]
    )
  }

  func stop() { tool.stop() }
}

extension Launchlab {
  /// Writes a scenario of two arms; some of their launches light the burner.
  fileprivate func writeBurnt(blocks: Int) throws {
    try writeProgram(
      """
      use Time::HiRes 'time'; my $begin = time;
      open F, '+>>', 'tally'; syswrite F, "$$\\n"; seek F, 0, 0; my $count = () = <F>; close F;
      if ($count =~ /^(3|6|11)$/) { open F, '>', 'fire'; syswrite F, "burn\\n"; close F }
      1 while time < $begin + 0.03;
      """
    )
    try write(
      """
      scenario: burnt
      targets:
        one: {command: [./program]}
        two: {command: [./program]}
      states: [warm]
      launches: \(blocks)
      controls:
        cpus: [\(Self.lastProcessor)]
        settle: {cpu_idle: 90%, within: 30s}
        steal: {stolen: 100%, foreign: 10%, share: 100%}
      """,
      to: "scenario.yml"
    )
  }
}
