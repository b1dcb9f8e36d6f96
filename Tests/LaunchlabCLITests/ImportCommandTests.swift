import ArgumentParser
import Testing

@testable import Measuring
@testable import launchlab

@Suite struct ImportCommandTests {
  @Test(arguments: [
    ["a.csv", "--state", "frozen"], ["a.csv", "--date", "yesterday"], ["a.csv", "--unit", "h"],
  ])
  func `refuses values that mean nothing`(arguments: [String]) throws {
    let command = try Launchlab.Import.parse(arguments)
    #expect(throws: WorkflowError.self) { try command.run(on: .standard) }
  }

  @Test(arguments: [[], ["a.csv", "--format", "xml"]])
  func `refuses a command line without files or of an unknown format`(arguments: [String]) {
    #expect(throws: (any Error).self) { try Launchlab.Import.parse(arguments) }
  }

  @Test(arguments: [["--all", "2026"], ["--what", "alerts", "2026"], ["--what", "stars"]])
  func `refuses exports that contradict themselves`(arguments: [String]) {
    #expect(throws: (any Error).self) { try Launchlab.Export.parse(arguments) }
  }
}
