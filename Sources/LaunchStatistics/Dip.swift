extension Sample {
  /// The dip: how far the distribution of the values is from the nearest one with a single peak.
  ///
  /// It is the largest vertical distance between the step function of the sample and the closest
  /// unimodal distribution function; from 1 / 2n, for evenly spread values, to at most 0.25.
  /// Independent of unit and offset. O(n) per step after sorting, with few steps.
  ///
  /// Source: Hartigan and Hartigan, The Annals of Statistics 13 (1985), 70-84.
  package var dip: Double { dipOfSorted(sorted) }
}

/// The dip of at least one ascending value.
func dipOfSorted(_ values: [Double]) -> Double {
  guard values[0] < values[values.count - 1] else { return 0.5 / Double(values.count) }
  var search = DipSearch(values: values)
  while search.narrow() {}
  return search.dip
}

/// The narrowing of the interval that holds the peak, which finds the dip.
///
/// Below the peak, a unimodal distribution function is convex, above it concave. So the step
/// function is compared with its greatest convex minorant and its least concave majorant: where they
/// are furthest apart over the interval, the peak must lie, and outside it each of them is the best
/// fit. Distances are in counts of values, and twice the dip, until `dip` divides them.
private struct DipSearch {
  let values: [Double]
  private var low = 0
  private var high: Int
  private var best = 1.0

  init(values: [Double]) {
    self.values = values
    high = values.count - 1
  }

  var dip: Double { best / Double(2 * values.count) }

  /// Narrows the interval; false when that can no longer change the dip.
  mutating func narrow() -> Bool {
    let minorant = hull(convex: true)
    let majorant = hull(convex: false)
    var gap = widestAtMajorant(minorant, majorant)
    let other = widestAtMinorant(minorant, majorant)
    if other.size > gap.size { gap = other }
    guard gap.size > best else { return false }
    best = max(best, misfit(ofMinorant: minorant, upTo: gap.low))
    best = max(best, misfit(ofMajorant: majorant, from: gap.high))
    guard gap.low > low || gap.high < high else { return false }
    low = gap.low
    high = gap.high
    return true
  }

  /// The corners of the minorant or the majorant of the points (value, index) over the interval.
  private func hull(convex: Bool) -> [Int] {
    var corners: [Int] = []
    for index in low...high {
      while corners.count > 1,
        !bends(corners[corners.count - 2], corners[corners.count - 1], index, convex: convex)
      {
        corners.removeLast()
      }
      corners.append(index)
    }
    return corners
  }

  /// Whether the slope strictly grows (for convex) or falls at the middle one of three points.
  private func bends(_ a: Int, _ b: Int, _ c: Int, convex: Bool) -> Bool {
    let before = Double(b - a) * (values[c] - values[b])
    let after = Double(c - b) * (values[b] - values[a])
    return convex ? before < after : before > after
  }

  /// The height at a value of the straight line between two corners.
  private func height(_ a: Int, _ b: Int, at value: Double) -> Double {
    guard values[b] > values[a] else { return Double(b) }
    return Double(a) + Double(b - a) * (value - values[a]) / (values[b] - values[a])
  }

  private struct Gap {
    var size: Double
    var low: Int
    var high: Int
  }

  private func widestAtMajorant(_ minorant: [Int], _ majorant: [Int]) -> Gap {
    var widest = Gap(size: 1, low: low, high: high)
    var segment = 0
    for corner in majorant.dropFirst().dropLast() {
      while minorant[segment + 1] < corner { segment += 1 }
      let floor = height(minorant[segment], minorant[segment + 1], at: values[corner])
      let size = Double(corner) - floor + 1
      if size > widest.size { widest = Gap(size: size, low: minorant[segment], high: corner) }
    }
    return widest
  }

  private func widestAtMinorant(_ minorant: [Int], _ majorant: [Int]) -> Gap {
    var widest = Gap(size: 1, low: low, high: high)
    var segment = 0
    for corner in minorant.dropFirst().dropLast() {
      while majorant[segment + 1] < corner { segment += 1 }
      let ceiling = height(majorant[segment], majorant[segment + 1], at: values[corner])
      let size = ceiling - Double(corner) + 1
      if size > widest.size { widest = Gap(size: size, low: corner, high: majorant[segment + 1]) }
    }
    return widest
  }

  private func misfit(ofMinorant corners: [Int], upTo end: Int) -> Double {
    var largest = 0.0
    for (a, b) in zip(corners, corners.dropFirst()) where b <= end {
      for index in a...b {
        largest = max(largest, Double(index) - height(a, b, at: values[index]) + 1)
      }
    }
    return largest
  }

  private func misfit(ofMajorant corners: [Int], from start: Int) -> Double {
    var largest = 0.0
    for (a, b) in zip(corners, corners.dropFirst()) where a >= start {
      for index in a...b {
        largest = max(largest, height(a, b, at: values[index]) - Double(index) + 1)
      }
    }
    return largest
  }
}
