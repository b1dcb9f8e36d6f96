import ArgumentParser
import Testing

@testable import launchlab

@Suite struct SelfTestCommandTests {
  @Test(arguments: [
    ["--launches", "4"], ["--compare", "a.json", "--", "true"],
    ["--compare", "a.json", "--state", "warm"], ["--compare", "a.json", "--seed", "1"],
    ["--compare", "a.json", "--store", "s"], ["--probe", "/bin", "--compare", "a.json"],
    ["--probe", "/bin", "--", "true"], ["--probe", "/bin", "--state", "warm"],
    ["--probe", "/bin", "--seed", "1"],
  ])
  func `refuses options that contradict each other`(arguments: [String]) {
    #expect(throws: (any Error).self) { try Launchlab.SelfTest.parse(arguments) }
  }

  @Test func `takes several files to compare`() throws {
    let command = try Launchlab.SelfTest.parse(["--compare", "a", "b", "--json", "-"])
    #expect(command.compare == ["a", "b"])
    #expect(command.json == "-")
  }

  @Test func `takes a command, or none`() throws {
    #expect(try Launchlab.SelfTest.parse([]).target.command.isEmpty)
    #expect(try Launchlab.SelfTest.parse(["--", "node", "-e", "0"]).target.command.count == 3)
  }
}
