import ArgumentParser
import Testing

@testable import launchlab

@Suite struct ControlOptionsTests {
  @Test func `takes controls as they are typed, and findings to suppress`() throws {
    let command = try Launchlab.Measure.parse([
      "--control", "settle={cpu_idle: 90%}", "--suppress", "vm", "--control", "cpus=[1]",
      "--suppress", "no-cpufreq", "--", "true",
    ])
    #expect(
      command.target.controls.pairs == [
        "settle={cpu_idle: 90%}", "cpus=[1]", "suppress=vm", "suppress=no-cpufreq",
      ]
    )
  }

  @Test func `takes findings to suppress for a scenario`() throws {
    let command = try Launchlab.Run.parse(["s.yml", "--suppress", "vm", "--suppress", "load"])
    #expect(command.suppression.ids == ["vm", "load"])
  }

  @Test func `refuses a control without a value`() {
    #expect(throws: (any Error).self) {
      try Launchlab.Stages.parse(["--control", "cpus", "--", "true"])
    }
  }
}
