import ArgumentParser
import Testing

@testable import launchlab

@Suite struct CompareCommandTests {
  @Test(arguments: [
    [], ["true"], ["--revisions", "a..b", "s.yml", "--ready", "exit"],
    ["--revisions", "a..b", "s.yml", "--control", "network=none"],
  ])
  func `refuses options that make no comparison`(arguments: [String]) {
    #expect(throws: (any Error).self) { try Launchlab.Compare.parse(arguments) }
  }

  @Test func `takes commands, and options around them`() throws {
    let command = try Launchlab.Compare.parse([
      "--launches", "20..200", "--precision", "1%", "perl -e 0", "--state", "warm", "true",
    ])
    #expect(command.what == ["perl -e 0", "true"])
    #expect(command.launches == "20..200")
    #expect(command.states == ["warm"])
  }

  @Test func `takes two revisions of a scenario`() throws {
    let command = try Launchlab.Compare.parse([
      "--revisions", "HEAD~1..HEAD", "scenario.yml", "--suppress", "virtual-host",
    ])
    #expect(command.revisions == "HEAD~1..HEAD")
    #expect(command.launch.controls.suppression.ids == ["virtual-host"])
  }
}
