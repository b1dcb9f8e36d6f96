/// A series with the places where it is cut, which can be taken out again.
struct Partition {
  private let values: [Double]

  /// The first index of each piece, ascending from 0.
  private(set) var starts: [Int]

  /// What the cut before each piece must save, from the second piece on.
  private var penalties: [Double]

  /// How many values on either side of a cut are looked at to see what it saves.
  private let reach: Int

  /// What each cut saves beyond its penalty; below or equal to 0 it does not pay.
  private var gains: [Double] = []

  init(_ values: [Double], starts: [Int], penalties: [Double] = [], reach: Int = .max) {
    self.values = values
    self.starts = values.isEmpty ? [] : starts
    self.penalties = penalties
    self.reach = reach
  }

  var segments: [Segment] { starts.indices.map { segment(range(of: $0)) } }

  /// Takes out the cuts that save no more than their penalty, the worst first.
  mutating func joinUnpaid() {
    weighCuts()
    while let worst = gains.indices.min(by: { gains[$0] < gains[$1] }), gains[worst] <= 0 {
      remove(worst)
    }
  }

  /// Joins pieces that are too short, then takes out what no longer pays.
  mutating func joinShort(minimumLength: Int) {
    weighCuts()
    while starts.count > 1 {
      let lengths = starts.indices.map { range(of: $0).count }
      guard let shortest = lengths.indices.min(by: { lengths[$0] < lengths[$1] }),
        lengths[shortest] < minimumLength
      else { return }
      remove(cheaperCut(of: shortest))
      joinUnpaid()
    }
  }

  /// Takes out the smallest jump, as a share of the level before it, until none is too small.
  mutating func joinSmall(effect: Double) {
    weighCuts()
    while starts.count > 1, effect > 0 {
      let levels = segments.map(\.level)
      let jumps = zip(levels, levels.dropFirst()).map { abs($1 - $0) / abs($0) }
      guard let smallest = jumps.indices.min(by: { jumps[$0] < jumps[$1] }),
        jumps[smallest] < effect
      else { return }
      remove(smallest)
    }
  }

  private mutating func weighCuts() {
    guard gains.count != penalties.count else { return }
    gains = penalties.indices.map { saving(at: $0) - penalties[$0] }
  }

  /// The cut on that side of a piece where joining costs less, the left one if equal.
  private func cheaperCut(of piece: Int) -> Int {
    guard piece > 0 else { return 0 }
    guard piece < starts.count - 1 else { return piece - 1 }
    return saving(at: piece) < saving(at: piece - 1) ? piece : piece - 1
  }

  private mutating func remove(_ cut: Int) {
    starts.remove(at: cut + 1)
    penalties.remove(at: cut)
    gains.remove(at: cut)
    for near in [cut - 1, cut] where gains.indices.contains(near) {
      gains[near] = saving(at: near) - penalties[near]
    }
  }

  /// How much less the two pieces beside a cut cost than one piece of both.
  private func saving(at cut: Int) -> Double {
    let left = range(of: cut).suffix(reach)
    let right = range(of: cut + 1).prefix(reach)
    let both = left.lowerBound..<right.upperBound
    return cost(of: both) - cost(of: left) - cost(of: right)
  }

  private func range(of piece: Int) -> Range<Int> {
    starts[piece]..<(piece + 1 < starts.count ? starts[piece + 1] : values.count)
  }

  private func cost(of range: Range<Int>) -> Double {
    let level = medianOfSorted(values[range].sorted()[...])
    return values[range].reduce(0) { $0 + abs($1 - level) }
  }

  private func segment(_ range: Range<Int>) -> Segment {
    let level = medianOfSorted(values[range].sorted()[...])
    let error = values[range].reduce(0) { $0 + abs($1 - level) } / Double(range.count)
    return Segment(range: range, level: level, error: error)
  }
}
