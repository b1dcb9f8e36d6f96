/// Two groups that the values of a sample fall into.
package struct Bimodality: Hashable, Sendable {
  /// The group of the smaller values.
  package var low: Mode

  /// The group of the larger values.
  package var high: Mode

  /// One group of values.
  package struct Mode: Hashable, Sendable {
    /// The median of the group.
    package var center: Double

    /// The share of all values, from 0 to 1.
    package var share: Double

    package init(center: Double, share: Double) {
      self.center = center
      self.share = share
    }
  }
}

extension Sample {
  /// The smallest share of the values that is called a mode.
  package static let smallestModeShare = 0.1

  /// The smallest distance of two modes, as a share of the median, that is worth telling of.
  package static let smallestModeDistance = 0.05

  /// The two modes of the values, if the sample is certainly not single-peaked.
  ///
  /// Hartigan's dip test decides at 1 % for the uniform distribution, which is the worst case: on
  /// single-peaked data with tails, however skewed, it alarms far less often. Then the split into a
  /// lower and an upper group with the least absolute deviations from their medians names the modes.
  /// Each must hold 10 % of the values, their medians must be 5 % of the overall median apart, and
  /// farther than 2.5 times the two groups' MADs together. Nil for fewer than 8 values.
  package var bimodality: Bimodality? {
    guard count >= 8, dipOfSorted(spreadTies) > Self.dipLimit(count: count),
      let split = modeSplit
    else { return nil }
    let modes = groups(at: split)
    let distance = modes.high.center - modes.low.center
    guard distance >= Self.smallestModeDistance * abs(median),
      distance > 2.5 * (deviation(of: sorted[..<split]) + deviation(of: sorted[split...]))
    else { return nil }
    return modes
  }

  /// The smallest gap between two groups of values, as a share of the median, and of the distance of their
  /// medians, across which an interval is told of.
  private static let smallestGap = (ofMedian: 0.1, ofDistance: 0.8)

  /// The two groups that the 95 % interval of the median reaches between, whether or not there are enough
  /// values to be certain of two modes.
  ///
  /// Such a median may be in either group, and nothing lies between. Of samples with one peak that scatter
  /// by a quarter, or by half with a tail, 8 values have such a gap in 3 % of cases, 10 in 1 %, and 20 in
  /// less than 0.1 %. Nil for fewer than 8 values.
  package var groupsAcrossMedian: Bimodality? {
    guard count >= 8, let split = modeSplit else { return nil }
    let interval = medianInterval()
    let (last, first) = (sorted[split - 1], sorted[split])
    let groups = groups(at: split)
    let gap = first - last
    guard interval.low < first, interval.high > last,
      gap >= Self.smallestGap.ofMedian * abs(median),
      gap >= Self.smallestGap.ofDistance * (groups.high.center - groups.low.center)
    else { return nil }
    return groups
  }

  private func groups(at split: Int) -> Bimodality {
    let (low, high) = (sorted[..<split], sorted[split...])
    return Bimodality(
      low: .init(center: medianOfSorted(low), share: Double(low.count) / Double(count)),
      high: .init(center: medianOfSorted(high), share: Double(high.count) / Double(count))
    )
  }

  /// The dip that 1 % of uniform samples exceed, fitted to a simulation to within 3 %.
  static func dipLimit(count: Int) -> Double {
    let root = Double(count).squareRoot()
    return (0.645 - 0.44 / root) / root
  }

  /// The ascending values, equal ones spread evenly over the usual distance between neighbours.
  ///
  /// Values rounded to a coarse grid are heaps, and every heap would be a peak to the dip.
  private var spreadTies: [Double] {
    let sizes = tieSizes
    guard sizes.count > 1, sizes.count < count else { return sorted }
    var distinct: [Double] = []
    var start = 0
    for size in sizes {
      distinct.append(sorted[start])
      start += size
    }
    let gaps = zip(distinct, distinct.dropFirst()).map { $1 - $0 }.sorted()
    let grid = medianOfSorted(gaps[...])
    let spread = zip(distinct, sizes).flatMap { value, size in
      (0..<size).map { value + grid * ((Double($0) + 0.5) / Double(size) - 0.5) }
    }
    return spread.sorted()
  }

  /// Where the upper group begins; nil when no split leaves each group its share.
  private var modeSplit: Int? {
    let fewest = max(2, Int((Self.smallestModeShare * Double(count)).rounded(.up)))
    var sums = [0.0]
    for value in sorted { sums.append(sums[sums.count - 1] + (value - minimum)) }
    let candidates = (fewest..<max(fewest, count - fewest + 1)).filter {
      sorted[$0 - 1] < sorted[$0]
    }
    return candidates.min { cost(of: $0, sums) < cost(of: $1, sums) }
  }

  private func cost(of split: Int, _ sums: [Double]) -> Double {
    deviationSum(0..<split, sums) + deviationSum(split..<count, sums)
  }

  /// The sum of absolute deviations of a range of the ascending values from its median.
  private func deviationSum(_ range: Range<Int>, _ sums: [Double]) -> Double {
    let upper = range.upperBound - range.count / 2
    let lower = range.lowerBound + range.count / 2
    return (sums[range.upperBound] - sums[upper]) - (sums[lower] - sums[range.lowerBound])
  }

  private func deviation(of group: ArraySlice<Double>) -> Double {
    let center = medianOfSorted(group)
    return medianOfSorted(group.map { abs($0 - center) }.sorted()[...])
  }
}
