import Testing

@testable import LaunchStatistics

@Suite struct PottsLevelsTests {
  /// Values around 400 with the given jumps and spikes.
  private func series(
    _ count: Int,
    jumps: [Int: Double] = [:],
    spikes: [Int: Double] = [:],
    noise: Double = 4,
    seed: UInt64 = 12
  ) -> [Double] {
    var generator = SeededGenerator(seed: seed)
    var level = 400.0
    return (0..<count).map { index in
      level += jumps[index] ?? 0
      return level + (spikes[index] ?? 0) + noise * generator.nextNormal()
    }
  }

  @Test func `a spike of two nights makes no level`() {
    let values = series(60, spikes: [30: 300, 31: 300])
    #expect(PottsSegmentation.segments(of: values).map(\.range) == [0..<30, 30..<32, 32..<60])
    #expect(PottsSegmentation.levels(of: values).map(\.range) == [0..<60])
  }

  @Test func `three nights make a level where the penalty says so`() {
    let values = series(60, spikes: [30: 300, 31: 300, 32: 300])
    #expect(PottsSegmentation.levels(of: values).map(\.range) == [0..<30, 30..<33, 33..<60])
    let longer = PottsSegmentation.levels(of: values, minimumLength: 4)
    #expect(longer.map(\.range) == [0..<60])
  }

  @Test func `the first two nights of a new level are part of the old one`() {
    let values = series(60, jumps: [58: 300])
    #expect(PottsSegmentation.segments(of: values).map(\.range) == [0..<58, 58..<60])
    #expect(PottsSegmentation.levels(of: values).map(\.range) == [0..<60])
  }

  @Test func `a spike at a step leaves one step`() {
    let values = series(80, jumps: [40: 60], spikes: [40: 400, 41: 400])
    #expect(PottsSegmentation.levels(of: values).count == 2)
  }

  @Test func `jumps below the effect limit are taken out`() {
    let values = series(300, jumps: [100: 8, 200: 60], noise: 2)
    #expect(PottsSegmentation.levels(of: values).map(\.range.lowerBound) == [0, 100, 200])
    let large = PottsSegmentation.levels(of: values, effect: 0.03)
    #expect(large.map(\.range.lowerBound) == [0, 200])
    #expect(PottsSegmentation.levels(of: values, effect: 0.5).map(\.range) == [0..<300])
  }

  @Test(arguments: [60, 240, 700])
  func `segments cover the series without gaps`(count: Int) {
    let values = series(count, jumps: [20: 30, 45: -50], spikes: [50: 900, count - 1: 4_000])
    for segments in [PottsSegmentation.segments(of: values), PottsSegmentation.levels(of: values)] {
      #expect(segments.flatMap { Array($0.range) } == Array(0..<count))
    }
  }

  @Test(arguments: [480, 240])
  func `windows find the clear steps that the exact form finds`(width: Int) {
    let jumps: [Int: Double] = [90: 20, 130: -30, 300: 25, 431: -35, 620: 40, 777: -20]
    let values = series(900, jumps: jumps)
    let exact = PenaltySearch(values[...]).fit().starts
    let windows = SegmentationWindows(values, width: width).partition()
    #expect(exact == [0] + jumps.keys.sorted())
    #expect(windows.segments.map(\.range.lowerBound) == exact)
  }

  @Test func `a step is found wherever it lies in the windows`() {
    for at in stride(from: 20, through: 780, by: 152) {
      let found = PottsSegmentation.levels(of: series(800, jumps: [at: 24], seed: UInt64(at)))
      #expect(found.count == 2)
      #expect(abs(found[1].range.lowerBound - at) <= 1)
    }
  }

  @Test func `beyond 500 values the costs are those of windows`() {
    let values = series(501, jumps: [250: 30])
    #expect(PottsSegmentation.segments(of: values).map(\.range) == [0..<250, 250..<501])
  }
}
