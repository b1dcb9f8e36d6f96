import Testing

@testable import LaunchStatistics

@Suite struct SeededGeneratorTests {
  @Test func `gives the published numbers of SplitMix64`() {
    var generator = SeededGenerator(seed: 1_234_567)
    let found = (0..<3).map { _ in generator.next() }
    #expect(
      found == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
    )
  }

  @Test func `uniform numbers lie in the half-open unit interval and are spread evenly`() throws {
    var generator = SeededGenerator(seed: 1)
    let sample = try Sample((0..<20_000).map { _ in generator.nextUniform() })
    #expect(sample.minimum >= 0)
    #expect(sample.maximum < 1)
    #expect(abs(sample.mean - 0.5) < 0.01)
    #expect(abs(try #require(sample.variance) - 1.0 / 12) < 0.002)
  }
}
