import Testing

@testable import LaunchStatistics

@Suite struct PottsSegmentationTests {
  struct Given: Decodable {
    let gamma: Double
    let starts: [Int]
    let cost: Double
  }

  struct Case: Decodable, CustomTestStringConvertible {
    let name: String
    let values: [Double]
    let given: [Given]
    let starts: [Int]

    var testDescription: String { name }
  }

  @Test(arguments: try fixture("segmentations", as: [Case].self))
  func `agrees with an independent implementation for given penalties`(expected: Case) {
    for given in expected.given {
      let segments = PottsSegmentation.segments(of: expected.values, gamma: given.gamma)
      #expect(agree(cost(of: segments, gamma: given.gamma), given.cost, within: 1e-9))
      #expect(segments.map(\.range.lowerBound) == given.starts)
    }
  }

  @Test(arguments: try fixture("segmentations", as: [Case].self))
  func `agrees with an independent implementation that chooses the penalty`(expected: Case) {
    let segments = PottsSegmentation.segments(of: expected.values)
    #expect(segments.map(\.range.lowerBound) == expected.starts)
  }

  @Test(arguments: 1...11)
  func `costs no more than any other way to cut a short series`(count: Int) {
    var generator = SeededGenerator(seed: UInt64(count))
    for round in 0..<6 {
      // Whole numbers, so that equal costs are exactly equal.
      let values = (0..<count).map { _ in Double(generator.next() % (round < 3 ? 4 : 50)) }
      for gamma in [0.5, 2, 7, 30] {
        let best = allSegmentations(of: values).map { cost(of: $0, gamma: gamma) }.min()
        let found = PottsSegmentation.segments(of: values, gamma: gamma)
        #expect(cost(of: found, gamma: gamma) == best)
      }
    }
  }

  @Test func `of equal costs the later cut is taken`() {
    // One segment costs 2, as any one cut does, and both of them.
    let segments = PottsSegmentation.segments(of: [0, 1, 2], gamma: 1)
    #expect(segments.map(\.range) == [0..<1, 1..<2, 2..<3])
  }

  @Test func `segments tell their level and their error`() {
    let segments = PottsSegmentation.segments(of: [1, 3, 2, 2, 12, 10, 10, 16], gamma: 7)
    #expect(
      segments == [
        Segment(range: 0..<4, level: 2, error: 0.5), Segment(range: 4..<8, level: 11, error: 2),
      ]
    )
  }

  @Test func `no values have no segments`() {
    #expect(PottsSegmentation.segments(of: []).isEmpty)
    #expect(PottsSegmentation.segments(of: [], gamma: 1).isEmpty)
    #expect(PottsSegmentation.levels(of: []).isEmpty)
  }

  @Test(arguments: [1, 2, 3, 60, 500, 501, 1_300])
  func `a constant series is one segment`(count: Int) {
    let values = Array(repeating: 0.1, count: count)
    let whole = [Segment(range: 0..<count, level: 0.1, error: 0)]
    #expect(PottsSegmentation.segments(of: values) == whole)
    #expect(PottsSegmentation.segments(of: values, gamma: 0.5).count == 1)
    #expect(PottsSegmentation.levels(of: values) == whole)
  }

  @Test(arguments: [[7.0], [7, 9], [7, 9, 8], [0, 0, 5]])
  func `the shortest series are one level`(values: [Double]) {
    #expect(PottsSegmentation.levels(of: values).map(\.range) == [0..<values.count])
  }

  @Test(arguments: [Double.nan, .infinity])
  func `a series with a value that is no number is one segment`(value: Double) {
    let values = [1, 1, 1, value, 5, 5, 5]
    #expect(PottsSegmentation.segments(of: values).map(\.range) == [0..<7])
    #expect(PottsSegmentation.segments(of: values, gamma: 1).map(\.range) == [0..<7])
    #expect(PottsSegmentation.levels(of: values).map(\.range) == [0..<7])
  }

  @Test(arguments: try fixture("segmentations", as: [Case].self))
  func `another unit changes nothing`(expected: Case) {
    let scaled = expected.values.map { $0 * 1_048_576 }
    #expect(PottsSegmentation.segments(of: scaled).map(\.range.lowerBound) == expected.starts)
  }

  @Test(arguments: try fixture("segmentations", as: [Case].self))
  func `with a given penalty an offset changes nothing`(expected: Case) {
    for given in expected.given {
      let moved = expected.values.map { $0 + 4_096 }
      let segments = PottsSegmentation.segments(of: moved, gamma: given.gamma)
      #expect(segments.map(\.range.lowerBound) == given.starts)
    }
  }

  @Test(arguments: try fixture("segmentations", as: [Case].self))
  func `backwards the same series costs the same`(expected: Case) {
    for given in expected.given {
      let segments = PottsSegmentation.segments(of: expected.values.reversed(), gamma: given.gamma)
      #expect(agree(cost(of: segments, gamma: given.gamma), given.cost, within: 1e-9))
    }
  }

  @Test func `a step turned around is found at the same place`() {
    var generator = SeededGenerator(seed: 8)
    let values = (0..<120).map { ($0 < 70 ? 400 : 430) + 4 * generator.nextNormal() }
    #expect(PottsSegmentation.levels(of: values).map(\.range) == [0..<70, 70..<120])
    #expect(PottsSegmentation.levels(of: values.reversed()).map(\.range) == [0..<50, 50..<120])
  }
}

/// What a step function with the levels of the segments costs.
private func cost(of segments: [Segment], gamma: Double) -> Double {
  let errors = segments.reduce(0) { $0 + $1.error * Double($1.range.count) }
  return errors + gamma * Double(segments.count - 1)
}

/// Every way to cut a series, with the median of each piece.
private func allSegmentations(of values: [Double]) -> [[Segment]] {
  (0..<1 << (values.count - 1)).map { cuts in
    let inner = (1..<values.count).filter { cuts >> ($0 - 1) & 1 == 1 }
    return zip([0] + inner, inner + [values.count]).map { start, end in
      let piece = values[start..<end].sorted()
      let level = (piece[(piece.count - 1) / 2] + piece[piece.count / 2]) / 2
      let error = piece.reduce(0) { $0 + abs($1 - level) } / Double(piece.count)
      return Segment(range: start..<end, level: level, error: error)
    }
  }
}
