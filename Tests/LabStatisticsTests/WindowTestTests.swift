import Testing

@testable import LaunchStatistics

@Suite struct WindowTestTests {
  @Test(arguments: PottsRealSeriesTests.Case.all.map(\.name))
  func `finds every change that Mozilla pins, and no other`(name: String) throws {
    let series = try RealSeries.perfherder(name)
    #expect(WindowTest.changes(in: series.values) == series.changes)
  }

  @Test func `has nothing to say of short and of constant series`() {
    #expect(WindowTest.changes(in: []).isEmpty)
    #expect(WindowTest.changes(in: [Double](repeating: 1, count: 23)).isEmpty)
    #expect(WindowTest.changes(in: [Double](repeating: 1, count: 200)).isEmpty)
  }

  @Test func `finds a step without any noise`() {
    let values = [Double](repeating: 100, count: 40) + [Double](repeating: 101, count: 40)
    #expect(WindowTest.changes(in: values) == [40])
  }
}
