import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Scenarios

struct ScenarioTemplateTests {
  @Test func `writes the recorded scenario`() throws {
    try expectSnapshot(ScenarioTemplate.text(), named: "examples", suite: "ScenarioTemplateTests")
  }

  @Test func `writes a scenario that loads`() throws {
    let scenario = try ScenarioFile.load(text: ScenarioTemplate.text(), path: "/data/s.yml")
    #expect(scenario.targets.map(\.name) == ["perl", "git", "python3"])
    #expect(scenario.states == [.reinstallCold, .warm])
    #expect(scenario.includesEmptyBaseline)
  }

  @Test func `shows controls that load when their marks are removed`() throws {
    let lines = ScenarioTemplate.text().split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "# controls:"))
    let section = lines[start...].prefix { !$0.isEmpty }.map { $0.dropFirst(2) }
    let text = (lines[..<start] + section + lines[(start + section.count)...])
      .joined(separator: "\n")
    let controls = try ScenarioFile.load(text: text, path: "/data/s.yml").controls
    #expect(
      controls
        == ControlPlan(
          cpus: [1],
          scheduling: .fifo,
          governor: "performance",
          boost: false,
          hugePages: .never,
          swap: .off,
          network: .none,
          environment: .pinned,
          services: ["timers"],
          settle: SettleLimits(cpuIdle: 0.9, ioPressure: 0.05, temperature: 70),
          steal: DisturbanceLimits(),
          required: [.cpus, .settle],
          suppressed: ["virtual-host"]
        )
    )
  }

  @Test(arguments: [
    ["/usr/bin/perl", "-e", "print \"a\\n\" # 'x': [y]"],
    ["prog", "", "null", "~", "- a", "{b: c}", "caf\u{E9} \u{1F600}", "a\nb\tc", "*x", "%d"],
  ])
  func `keeps the command as it is`(command: [String]) throws {
    let text = ScenarioTemplate.text(command: command)
    let scenario = try ScenarioFile.load(text: text, path: "/data/s.yml")
    #expect(scenario.targets.map(\.command) == [command])
  }

  @Test func `explains every key of a target`() {
    let text = ScenarioTemplate.text()
    let keys = [
      "command:", "ready:", "timeout:", "stop:", "env:", "directory:", "stdin:", "tty:", "files:",
      "install:", "home:", "state:", "counters:", "prepare:", "cleanup:",
    ]
    #expect(keys.filter { !text.contains($0) }.isEmpty)
  }
}
