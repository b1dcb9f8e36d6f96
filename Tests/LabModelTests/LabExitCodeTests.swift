import Testing

@testable import LaunchCore

@Suite struct LabExitCodeTests {
  @Test func `prefers the code that says most`() {
    let codes: [LabExitCode] = [.done, .inconclusive, .regression, .couldNotMeasure, .interrupted]
    #expect(codes.shuffled().sorted() == codes)
  }
}
