import LaunchCore
import LaunchStatistics
import Testing

@testable import Measuring

@Suite struct LaunchRemarksTests {
  private func remarks(_ milliseconds: [Double]) throws -> [String] {
    try LaunchRemarks(Sample(milliseconds.map { $0 * 1e6 })).all
      .filter { $0.id == "two-modes" }.map(\.problem)
  }

  @Test func `a median whose interval reaches from one group to another is told of`() throws {
    let values = [5.42, 1.58, 5.38, 1.591, 5.41, 5.37, 1.6, 5.382, 5.39, 5.4]
    let sample = try Sample(values)
    #expect(sample.bimodality == nil)
    #expect(sample.medianInterval().low <= 1.6)
    let found = try remarks(values)
    #expect(found.count == 1)
    #expect(found[0].hasPrefix("the median may be in either of two groups, which its interval "))
    #expect(found[0].contains("30 % near 1.59"))
    #expect(found[0].contains("70 % near 5.39"))
  }

  @Test(arguments: [
    [5.42, 5.41, 5.38, 5.39, 5.41, 5.37, 5.36, 5.382, 5.39, 5.4],
    // One slow launch of ten is an outlier.
    [5.42, 5.41, 5.38, 5.39, 5.41, 5.37, 5.36, 5.382, 5.39, 54],
    // They scatter, and there is no gap.
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  ])
  func `one group is not taken for two`(_ values: [Double]) throws {
    #expect(try remarks(values) == [])
  }

  @Test func `of samples with one peak few have two groups`() throws {
    var generator = SeededGenerator(seed: 46)
    let found = try (0..<500).count { _ in
      let values = (0..<12).map { _ in
        1 + 0.25 * (0..<12).reduce(-6) { sum, _ in sum + generator.nextUniform() }
      }
      return try Sample(values).groupsAcrossMedian != nil
    }
    #expect(found <= 10)
  }
}
