import Testing

@testable import Measuring

@Suite struct WordingTests {
  @Test(arguments: [
    (0, "0.00 ns"), (999, "999 ns"), (1_234, "1.23 µs"), (999_600, "1.00 ms"),
    (9_996_000, "10.0 ms"), (99_960_000, "100 ms"), (-1_234_000_000, "-1.23 s"),
  ])
  func `a time has three significant digits`(nanoseconds: Double, text: String) {
    #expect(Wording.time(nanoseconds) == text)
  }
}
