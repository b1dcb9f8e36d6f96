import Testing

@testable import LaunchStatistics

@Suite struct StudentTTests {
  struct Tail: Decodable {
    let df: Double?
    let t: Double
    let tail: Double
  }

  struct Quantile: Decodable {
    let df: Double?
    let p: Double
    let value: Double
  }

  @Test(arguments: try fixture("student-tails", as: [Tail].self))
  func `tails agree with scipy`(expected: Tail) {
    let freedom = expected.df ?? .infinity
    let tail = StudentT.upperTail(expected.t, degreesOfFreedom: freedom)
    #expect(agree(tail, expected.tail, within: freedom < 1e5 ? 1e-11 : 1e-8))
  }

  @Test(arguments: try fixture("student-quantiles", as: [Quantile].self))
  func `quantiles agree with scipy`(expected: Quantile) {
    let found = StudentT.quantile(expected.p, degreesOfFreedom: expected.df ?? .infinity)
    #expect(agree(found, expected.value, within: 1e-10))
  }

  @Test(arguments: [1.0, 6, 27, .infinity])
  func `the ends are infinite and the middle is 0`(freedom: Double) {
    #expect(StudentT.quantile(0, degreesOfFreedom: freedom) == -.infinity)
    #expect(StudentT.quantile(1, degreesOfFreedom: freedom) == .infinity)
    #expect(StudentT.quantile(0.5, degreesOfFreedom: freedom) == 0)
    #expect(StudentT.upperTail(.infinity, degreesOfFreedom: freedom) == 0)
    #expect(StudentT.upperTail(-.infinity, degreesOfFreedom: freedom) == 1)
    #expect(StudentT.upperTail(0, degreesOfFreedom: freedom) == 0.5)
    #expect(StudentT.upperTail(.nan, degreesOfFreedom: freedom).isNaN)
  }

  @Test func `two degrees of freedom have a closed form`() {
    for t in [1e-200, 1e-3, 0.5, 4, 1e4] {
      let expected = 0.5 - t / (2 * (2 + t * t).squareRoot())
      #expect(agree(StudentT.upperTail(t, degreesOfFreedom: 2), expected, within: 1e-8))
    }
  }
}
