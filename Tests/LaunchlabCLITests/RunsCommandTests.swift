import ArgumentParser
import Testing

@testable import launchlab

@Suite struct RunsCommandTests {
  @Test func `taking a run out of history needs a reason, putting it back none`() throws {
    #expect(throws: (any Error).self) { try Launchlab.Runs.Exclude.parse(["20261110"]) }
    #expect(throws: (any Error).self) { try Launchlab.Runs.Remove.parse(["20261110"]) }
    #expect(try Launchlab.Runs.Include.parse(["20261110"]).reason.isEmpty)
  }
}
