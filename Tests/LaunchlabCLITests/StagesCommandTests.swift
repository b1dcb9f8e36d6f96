import ArgumentParser
import Testing

@testable import launchlab

@Suite struct StagesCommandTests {
  @Test(arguments: [
    ["--strict", "--", "true"], ["--glibc", "2.36", "--", "true"],
    ["--parse", "app.log", "--trace", "trace.json"], ["--parse", "app.log", "--launches", "3"],
    ["--parse", "app.log", "--all"], ["--parse", "app.log", "--", "true"],
    ["--json", "-", "--trace", "-", "--", "true"], [],
  ])
  func `refuses options that contradict each other`(arguments: [String]) {
    #expect(throws: (any Error).self) { try Launchlab.Stages.parse(arguments) }
  }

  @Test(arguments: [
    ["--parse", "app.log", "--strict", "--json", "-"],
    ["--json", "-", "--trace", "t", "--", "true"],
    ["--collect", "text", "--pattern", "x", "--", "true"],
  ])
  func `takes options that go together`(arguments: [String]) throws {
    _ = try Launchlab.Stages.parse(arguments)
  }
}
