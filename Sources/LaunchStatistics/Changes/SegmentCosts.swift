/// The sums of absolute deviations from the median of all stretches of a series.
///
/// For every last index all first indices are computed by taking values away from the front: a
/// linked list through the sorted values gives the next median in a constant number of steps. O(n²)
/// in time and memory, eight bytes for each of the n (n + 1) / 2 stretches.
struct SegmentCosts {
  private let count: Int

  /// The costs by last index, then by first index.
  private var costs: [Double] = []

  /// - Parameter values: Finite numbers.
  init(_ values: ArraySlice<Double>) {
    count = values.count
    guard count > 0 else { return }
    costs.reserveCapacity(count * (count + 1) / 2)
    // Distances from the middle keep more digits than the values themselves.
    let center = medianOfSorted(values.sorted()[...])
    let distances = values.map { $0 - center }
    let order = distances.indices.sorted { distances[$0] < distances[$1] }
    var window = ShrinkingWindow(distances: distances, order: order)
    for last in 0..<count {
      window.refill(upTo: last)
      for first in 0...last {
        costs.append(window.cost)
        window.remove(first)
      }
    }
  }

  /// The cost of all values as one stretch; 0 for none.
  var whole: Double { count == 0 ? 0 : costs[count * (count - 1) / 2] }

  /// The first indices of the stretches whose costs, with a penalty for each jump, are least.
  ///
  /// By Bellman's recursion over the last index; of equal costs the later start is taken. O(n²).
  func cheapestStarts(gamma: Double) -> [Int] {
    guard count > 0 else { return [] }
    var best = Array(repeating: 0.0, count: count + 1)
    var starts = Array(repeating: 0, count: count)
    best[0] = -gamma
    var row = 0
    for last in 0..<count {
      let least = leastSum(best, row, count: last + 1)
      var start = last
      while best[start] + costs[row + start] > least { start -= 1 }
      best[last + 1] = least + gamma
      starts[last] = start
      row += last + 1
    }
    return Array(sequence(first: starts[count - 1]) { $0 > 0 ? starts[$0 - 1] : nil }.reversed())
  }

  /// The least of best[i] + costs[row + i] for the first `count` places i.
  ///
  /// Four minima at once, since each comparison waits for the one before it.
  private func leastSum(_ best: [Double], _ row: Int, count: Int) -> Double {
    var (first, second) = (Double.infinity, Double.infinity)
    var (third, fourth) = (Double.infinity, Double.infinity)
    var place = 0
    while place &+ 4 <= count {
      let (a, b) = (best[place] + costs[row &+ place], best[place &+ 1] + costs[row &+ place &+ 1])
      let c = best[place &+ 2] + costs[row &+ place &+ 2]
      let d = best[place &+ 3] + costs[row &+ place &+ 3]
      first = a < first ? a : first
      second = b < second ? b : second
      third = c < third ? c : third
      fourth = d < fourth ? d : fourth
      place &+= 4
    }
    while place < count {
      let sum = best[place] + costs[row &+ place]
      first = sum < first ? sum : first
      place &+= 1
    }
    return min(min(first, second), min(third, fourth))
  }
}

/// The values of a stretch, whose first ones are taken away one by one, with their median.
private struct ShrinkingWindow {
  private let sorted: [Double]

  /// The place of each value among the sorted ones, and the other way round.
  private var ranks: [Int]
  private let order: [Int]

  /// The neighbours among the values that are left, by rank; `count` and -1 are the ends.
  private var next: [Int]
  private var previous: [Int]

  /// The rank of the median, of an even number the lower of both.
  private var middle = 0
  private var left = 0
  private var lowSum = 0.0
  private var highSum = 0.0

  init(distances: [Double], order: [Int]) {
    self.order = order
    sorted = order.map { distances[$0] }
    ranks = Array(repeating: 0, count: order.count)
    next = ranks
    previous = ranks
    for (rank, index) in order.enumerated() { ranks[index] = rank }
  }

  /// Sums above the median less those up to it.
  var cost: Double {
    max(0, highSum - lowSum + (left.isMultiple(of: 2) ? 0 : sorted[middle]))
  }

  /// Holds the values from the first to the given one.
  mutating func refill(upTo last: Int) {
    left = last + 1
    lowSum = 0
    highSum = 0
    let lowCount = (left + 1) / 2
    var seen = 0
    var before = -1
    for rank in order.indices where order[rank] <= last {
      previous[rank] = before
      if before >= 0 { next[before] = rank }
      before = rank
      seen += 1
      if seen == lowCount { middle = rank }
      if seen <= lowCount { lowSum += sorted[rank] } else { highSum += sorted[rank] }
    }
    next[before] = order.count
  }

  mutating func remove(_ index: Int) {
    let rank = ranks[index]
    let value = sorted[rank]
    if left.isMultiple(of: 2) {
      if rank <= middle {
        lowSum += sorted[next[middle]] - value
        highSum -= sorted[next[middle]]
        middle = next[middle]
      } else {
        highSum -= value
      }
    } else {
      let isMiddle = rank == middle
      if rank > middle {
        highSum += sorted[middle] - value
        lowSum -= sorted[middle]
      } else {
        lowSum -= value
      }
      if isMiddle || rank > middle { middle = previous[middle] }
    }
    unlink(rank)
    left -= 1
  }

  private mutating func unlink(_ rank: Int) {
    let before = previous[rank]
    let after = next[rank]
    if before >= 0 { next[before] = after }
    if after < order.count { previous[after] = before }
  }
}
