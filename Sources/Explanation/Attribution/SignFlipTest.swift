import LaunchCore

/// Which of many differences are there, by exchanging the two launches of whole blocks.
///
/// If nothing differs, each block might as well have had its two launches the other way round. The
/// statistic of an exchange is the largest of all t that are at least as large as a floor; it bears
/// any dependence between the differences, since they are exchanged together. All exchanges are
/// tried where they are few, and otherwise as many as are asked for, drawn by the seed.
///
/// Source: Nichols and Holmes, "Nonparametric permutation tests for functional neuroimaging",
/// Human Brain Mapping 15 (2002), 1-25; Phipson and Smyth, "Permutation P-values should never be
/// zero", Statistical Applications in Genetics and Molecular Biology 9 (2010), 39.
struct SignFlipTest: Sendable {
  /// The statistics of the exchanges, ascending; each is that of the square of t.
  private let statistics: [Double]

  /// Whether all exchanges were tried.
  private let isExact: Bool

  /// The fewest blocks with which anything can be called different.
  static let fewestBlocks = 8

  /// What a difference must be at least to count.
  struct Floor: Hashable, Sendable {
    /// In nanoseconds.
    var least: Double

    /// The share of the whole difference, which is exchanged like all others.
    var share: Double

    func amount(whole: Double) -> Double { max(least, share * abs(whole)) }
  }

  /// Tries the exchanges.
  ///
  /// - Parameters:
  ///   - differences: By node and block, in nanoseconds.
  ///   - whole: The differences of the launches, by block.
  ///   - floor: What counts.
  ///   - permutations: How many exchanges at most.
  ///   - seed: What decides the draws.
  init(
    _ differences: [[Double]],
    whole: [Double],
    floor: Floor,
    permutations: Int,
    seed: UInt64
  ) {
    let count = whole.count
    // Whatever the signs are, no mean is larger than that of the sizes.
    let nodes = Set(
      (differences + [whole]).filter { values in
        values.reduce(0) { $0 + abs($1) } >= floor.least * Double(count)
      }
    )
    let rows = nodes.map { values in
      Row(values: values, sumOfSquares: values.reduce(0) { $0 + $1 * $1 })
    }
    let isExact = count < 62 && (1 << max(0, count - 1)) <= permutations
    var generator = SplitMix64(seed: seed)
    var statistics: [Double] = []
    // Turning all signs changes no statistic, so the first sign stays.
    let tried = isExact ? 1 << max(0, count - 1) : permutations
    for exchange in 0..<tried {
      let signs = (0..<count).map { block -> Double in
        isExact
          ? (block == 0 || exchange >> (block - 1) & 1 == 0 ? 1 : -1)
          : (generator.next() & 1 == 0 ? 1 : -1)
      }
      let limit = floor.amount(whole: Self.mean(whole, signs)) * (1 - 1e-12)
      var largest = 0.0
      for row in rows {
        let mean = Self.mean(row.values, signs)
        if abs(mean) >= limit {
          largest = max(largest, Self.statistic(mean, row.sumOfSquares, count))
        }
      }
      statistics.append(largest)
    }
    self.isExact = isExact
    self.statistics = statistics.sorted()
  }

  private struct Row {
    var values: [Double]
    var sumOfSquares: Double
  }

  private static func mean(_ values: [Double], _ signs: [Double]) -> Double {
    var sum = 0.0
    for block in values.indices { sum += values[block] * signs[block] }
    return values.isEmpty ? 0 : sum / Double(values.count)
  }

  /// The square of the mean as a share of the mean of the squares, which grows as |t| does.
  private static func statistic(_ mean: Double, _ sumOfSquares: Double, _ count: Int) -> Double {
    sumOfSquares > 0 ? mean * mean * Double(count) / sumOfSquares : 0
  }

  /// The chance that any difference would look as clear as this one if none were there.
  ///
  /// - Parameter differences: By block, in nanoseconds.
  /// - Returns: From above 0 to 1.
  func probability(_ differences: [Double]) -> Double {
    let count = differences.count
    guard count > 0 else { return 1 }
    let mean = differences.reduce(0, +) / Double(count)
    let square = differences.reduce(0) { $0 + $1 * $1 }
    let found = Self.statistic(mean, square, count) * (1 - 1e-9)
    var low = 0
    var high = statistics.count
    while low < high {
      let middle = (low + high) / 2
      if statistics[middle] < found { low = middle + 1 } else { high = middle }
    }
    let reaching = Double(statistics.count - low)
    let tried = Double(statistics.count)
    return isExact ? max(1, reaching) / tried : (reaching + 1) / (tried + 1)
  }
}

extension SignFlipTest.Floor {
  /// - Parameter launch: How long a launch takes, in nanoseconds.
  init(launch: Double) { self.init(least: max(0.015 * launch, 30_000), share: 0.08) }
}
