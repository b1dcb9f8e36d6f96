import Testing

@testable import LaunchStatistics

@Suite struct MedianIntervalTests {
  struct Distribution: Decodable, CustomTestStringConvertible {
    struct Atom: Decodable {
      let value: Double
      let p: Double
    }

    let name: String
    let values: [Double]
    let cumulative: [Atom]

    var testDescription: String { name }
  }

  struct Bootstrap: Decodable, CustomTestStringConvertible {
    let name: String
    let values: [Double]
    let resamples: Double
    let low: Double
    let high: Double

    var testDescription: String { name }
  }

  @Test(arguments: try fixture("median-distributions", as: [Distribution].self))
  func `the distribution agrees with the enumeration of all resamples`(
    expected: Distribution
  ) throws {
    let distribution = BootstrapMedian(sorted: expected.values)
    let differences = expected.cumulative.map { abs(distribution.cumulative($0.value) - $0.p) }
    #expect(try #require(differences.max()) < 1e-12)
    #expect(distribution.cumulative(expected.values[0] - 1) == 0)
  }

  @Test(arguments: try fixture("median-distributions", as: [Distribution].self))
  func `the interval is the one of the enumeration of all resamples`(
    expected: Distribution
  ) throws {
    let low = try #require(expected.cumulative.first { $0.p >= 0.025 }).value
    let high = try #require(expected.cumulative.first { $0.p >= 0.975 }).value
    let found = try Sample(expected.values).medianInterval()
    #expect(agree(found.low, low))
    #expect(agree(found.high, high))
  }

  /// A drawn bootstrap only knows its percentiles to the scatter of its draws, so the exact
  /// probability at its bounds must be the wanted one within four standard errors.
  @Test(arguments: try fixture("median-intervals", as: [Bootstrap].self))
  func `the bounds of scipy lie at the wanted probabilities`(expected: Bootstrap) throws {
    let distribution = BootstrapMedian(sorted: expected.values.sorted())
    let tolerance = 4 * (0.025 * 0.975 / expected.resamples).squareRoot()
    let bounds = [(expected.low, 0.025), (expected.high, 0.975)]
    #expect(bounds.allSatisfy { distribution.cumulative($0.0) >= $0.1 - tolerance })
    #expect(bounds.allSatisfy { distribution.cumulative($0.0.nextDown) <= $0.1 + tolerance })
  }

  @Test(arguments: [5, 6, 50, 51, 400])
  func `the interval turns over with the sample`(count: Int) throws {
    var generator = SeededGenerator(seed: UInt64(count))
    let values = (0..<count).map { _ in (generator.nextUniform() * 1e6).rounded() }
    let interval = try Sample(values).medianInterval()
    let mirrored = try Sample(values.map { -$0 }).medianInterval()
    #expect(interval == Interval(low: -mirrored.high, high: -mirrored.low))
  }

  @Test func `more confidence gives no narrower interval`() throws {
    var generator = SeededGenerator(seed: 3)
    let sample = try Sample((0..<60).map { _ in generator.nextUniform() })
    let usual = sample.medianInterval()
    let wide = sample.medianInterval(confidence: 0.99)
    #expect(wide.low < usual.low)
    #expect(wide.high > usual.high)
  }

  @Test(arguments: [100_000, 99_999])
  func `a large sample has a narrow interval around its median`(count: Int) throws {
    var generator = SeededGenerator(seed: 9)
    let sample = try Sample((0..<count).map { _ in generator.nextUniform() })
    let interval = sample.medianInterval()
    // The standard error of the median of a uniform sample is 1 / (2 √n) = 0.00158.
    #expect(interval.low < sample.median && sample.median < interval.high)
    #expect(abs(interval.high - interval.low - 2 * 1.96 * 0.00158) < 0.0006)
  }

  @Test func `a midpoint of values far apart neither overflows nor hangs`() throws {
    let huge = Double.greatestFiniteMagnitude
    let interval = try Sample([-huge, -huge, -huge, huge, huge, huge]).medianInterval()
    #expect(interval == Interval(low: -huge, high: huge))
  }
}
