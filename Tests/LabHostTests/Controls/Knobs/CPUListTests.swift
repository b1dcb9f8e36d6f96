import Testing

@testable import LaunchHost

@Suite struct CPUListTests {
  @Test(arguments: ["", "0", "0-1", "0-3,5", "1,3,5-127"])
  func `writes what it reads`(_ text: String) { #expect(CPUList(text)?.description == text) }

  @Test func `joins neighbours`() { #expect(CPUList([3, 0, 1, 2, 9]).description == "0-3,9") }

  @Test(arguments: ["a", "1-", "3-1", "1-2-3"])
  func `refuses other text`(_ text: String) { #expect(CPUList(text) == nil) }
}
