import Testing

@testable import LaunchStatistics

@Suite struct BinomialTailTests {
  struct Case: Decodable {
    let count: Int
    let probability: Double
    let least: Int
    let tail: Double
  }

  /// The logarithm of a factorial of 100,000 has an error of 1e-10, which the power passes on.
  @Test(arguments: try fixture("binomial-tails", as: [Case].self))
  func `agrees with scipy`(expected: Case) {
    let found = binomialTail(
      count: expected.count,
      probability: expected.probability,
      atLeast: expected.least
    )
    #expect(agree(found, expected.tail, within: expected.count > 1_000 ? 1e-9 : 1e-11))
  }
}
