import Testing

@testable import LaunchCore

struct SplitMix64Tests {
  /// From the reference implementation by Sebastiano Vigna, for the seed 1234567.
  @Test func `gives the numbers of the reference implementation`() {
    var generator = SplitMix64(seed: 1_234_567)
    let numbers = (0..<5).map { _ in generator.next() }
    #expect(
      numbers == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ]
    )
  }

  /// 7 cells with 6 degrees of freedom: the 99.99 % quantile of chi-square is 27.9.
  @Test func `draws every number below a bound equally often`() {
    var generator = SplitMix64(seed: 1)
    var counts = Array(repeating: 0, count: 7)
    for _ in 0..<70_000 { counts[generator.next(below: 7)] += 1 }
    let chiSquare = counts.reduce(0.0) {
      $0 + (Double($1) - 10_000) * (Double($1) - 10_000) / 10_000
    }
    #expect(chiSquare < 27.9)
  }

  @Test func `draws nothing but 0 below 1`() {
    var generator = SplitMix64(seed: 1)
    #expect((0..<10).map { _ in generator.next(below: 1) } == Array(repeating: 0, count: 10))
  }
}
