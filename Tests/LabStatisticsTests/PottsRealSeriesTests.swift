import Testing

@testable import LaunchStatistics

/// Series that were measured elsewhere; no constant was chosen for them.
@Suite struct PottsRealSeriesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String

    /// Pinned changes that last too short, or are too small for their noise, to be levels.
    var missed: [Int] = []

    /// Levels that a test of two neighbouring windows does not see.
    var additional: [Int] = []

    var testDescription: String { name }

    static let all = [
      Self(name: "runs1"),
      Self(name: "runs2", additional: [697, 1019, 1135, 1370]),
      Self(name: "runs3"),
      Self(name: "runs4", additional: [771]),
      Self(name: "runs5"),
      // 50 runs 1.4 % lower and 13 runs 2.6 % higher, in correlated noise that scatters by as much.
      Self(name: "a11y", missed: [152, 882]),
      Self(name: "tp5rss", additional: [371, 652]),
    ]
  }

  @Test(arguments: Case.all)
  func `finds the changes that Mozilla pins`(test: Case) throws {
    let series = try RealSeries.perfherder(test.name)
    let found = PottsSegmentation.levels(of: series.values).dropFirst().map(\.range.lowerBound)
    let wanted = (series.changes.filter { !test.missed.contains($0) } + test.additional).sorted()
    #expect(found.count == wanted.count)
    #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= 2 })
  }

  @Test func `the pinned changes are read`() throws {
    #expect(try RealSeries.perfherder("runs2").changes == [899, 972, 1_551])
    #expect(try RealSeries.perfherder("runs4").changes == [877])
    #expect(try Case.all.map { try RealSeries.perfherder($0.name).values.count }.min() == 128)
  }

  /// The step that a person put near 150 is a slow rise from 131 to 194, which becomes two steps.
  @Test func `finds the steps of TigerBeetle and not its outlier`() throws {
    let series = try RealSeries.tigerBeetle()
    let found = PottsSegmentation.levels(of: series.values).dropFirst().map(\.range.lowerBound)
    #expect(found == [15, 71, 95, 131, 194])
  }

  struct Score: Sendable, CustomTestStringConvertible {
    let name: String
    let f1: Double
    let covering: Double

    var testDescription: String { name }

    static let all = [
      Self(name: "quality_control_1", f1: 0.99, covering: 0.99),
      Self(name: "quality_control_2", f1: 0.99, covering: 0.92),
      Self(name: "quality_control_3", f1: 0.99, covering: 0.99),
      Self(name: "quality_control_4", f1: 0.78, covering: 0.67),
      Self(name: "quality_control_5", f1: 1, covering: 1),
      // Its noise is so correlated that the criterion makes no segment of it.
      Self(name: "well_log", f1: 0.23, covering: 0.22),
    ]
  }

  @Test(arguments: Score.all)
  func `agrees with annotators as well as was measured`(expected: Score) throws {
    let series = try #require(try AnnotatedSeries.all().first { $0.name == expected.name })
    let found = PottsSegmentation.levels(of: series.values).dropFirst().map(\.range.lowerBound)
    #expect(series.score(of: found) >= expected.f1)
    #expect(series.covering(of: found) >= expected.covering)
  }
}
