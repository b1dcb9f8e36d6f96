import LabModel
import LabScenarios
import LabTestSupport
import Testing

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
      "install:", "home:", "state:", "counters:",
    ]
    #expect(keys.filter { !text.contains($0) }.isEmpty)
  }
}
