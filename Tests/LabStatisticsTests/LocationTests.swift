import Testing

@testable import LaunchStatistics

@Suite struct LocationTests {
  struct Location: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let values: [Double]
    let estimate: Double
    let lower: Double
    let upper: Double
    let probability: Double?
    let scale: Double?

    var testDescription: String { name }
  }

  @Test(arguments: try fixture("locations", as: [Location].self))
  func `locations agree with all averages of two values`(expected: Location) {
    let found = HodgesLehmann(expected.values, confidence: 0.99)
    #expect(agree(found.estimate, expected.estimate, within: 1e-14))
    #expect(found.lower == expected.lower)
    #expect(found.upper == expected.upper)
  }

  @Test(arguments: try fixture("locations", as: [Location].self))
  func `signed ranks agree with scipy`(expected: Location) {
    guard let probability = expected.probability else { return }
    #expect(agree(SignedRank.probability(expected.values), probability, within: 1e-10))
  }

  @Test(arguments: try fixture("locations", as: [Location].self))
  func `scales are those of the greatest likelihood`(expected: Location) {
    guard let scale = expected.scale else { return }
    let found = StudentScale(expected.values, degreesOfFreedom: 4)
    #expect(agree(found.scale, scale, within: 1e-4))
  }

  @Test func `few values, zeros and equal ones give no signed rank and no zero scale`() {
    #expect(SignedRank.probability([]) == 1)
    #expect(SignedRank.probability([1, 2, 3, 4, 5]) == 1)
    #expect(SignedRank.probability([0, 0, 0, 1, 2, 3, 4, 5]) == 1)
    #expect(SignedRank.probability([Double](repeating: 1, count: 16)) < 0.001)
    #expect(SignedRank.probability([1, -1, 1, -1, 1, -1, 1, -1]) == 1)
    #expect(StudentScale([2, 2, 2], degreesOfFreedom: 4, floor: 0.01).scale == 0.01)
  }

  @Test func `values of both signs and of zero have exact averages`() {
    let found = HodgesLehmann([-3, -0.0, 0, 5, 1e-300, -1e-300], confidence: 0.5)
    #expect(found.lower <= found.estimate && found.estimate <= found.upper)
    #expect(found.estimate == 0)
  }
}
