import Testing

@testable import LaunchStatistics

@Suite struct CholeskyFactorTests {
  struct System: Decodable, Sendable {
    let count: Int
    let matrix: [Double]
    let right: [Double]
    let solution: [Double]
    let inverse: [Double]
    let logDeterminant: Double
  }

  @Test(arguments: try fixture("systems", as: [System].self))
  func `solutions, inverses and determinants agree with numpy`(expected: System) throws {
    let factor = try #require(CholeskyFactor(expected.matrix, count: expected.count))
    let solved = factor.solve(expected.right)
    #expect(zip(solved, expected.solution).allSatisfy { agree($0, $1, within: 1e-9) })
    let inverse = factor.inverse()
    #expect(zip(inverse, expected.inverse).allSatisfy { agree($0, $1, within: 1e-9) })
    #expect(abs(factor.logDeterminant - expected.logDeterminant) < 1e-10)
  }

  @Test(arguments: [[1, 2, 2, 1], [0, 0, 0, 0], [-1, 0, 0, 1], [.nan, 0, 0, 1]] as [[Double]])
  func `a matrix that is not positive definite has no factor`(elements: [Double]) {
    #expect(CholeskyFactor(elements, count: 2) == nil)
  }
}
