extension Sample {
  /// The middle value, or the mean of the two middle ones.
  package var median: Double { medianOfSorted(sorted[...]) }

  /// The raw median absolute deviation from the median, not scaled to a normal distribution.
  package var medianAbsoluteDeviation: Double {
    let center = median
    return medianOfSorted(sorted.map { abs($0 - center) }.sorted()[...])
  }

  /// The median absolute deviation, scaled to the standard deviation of normal data.
  ///
  /// It is 1.4826 · MAD; 0 when more than half of the values are equal.
  package var robustDeviation: Double { 1.4826 * medianAbsoluteDeviation }

  /// The mean absolute deviation from the median.
  package var meanAbsoluteDeviation: Double {
    let center = median
    return sorted.reduce(0) { $0 + abs($1 - center) } / Double(count)
  }

  /// The quantile by linear interpolation between order statistics, type 7.
  ///
  /// - Parameter probability: From 0, the minimum, to 1, the maximum; values outside are clamped.
  /// - Returns: A value in the unit of the sample.
  ///
  /// Source: Hyndman and Fan, The American Statistician 50 (1996), 361-365; the default of R and
  /// NumPy.
  package func quantile(_ probability: Double) -> Double {
    let position = min(max(probability, 0), 1) * Double(count - 1)
    let index = Int(position)
    guard index + 1 < count else { return maximum }
    return sorted[index] + (position - Double(index)) * (sorted[index + 1] - sorted[index])
  }
}

/// The median of at least one ascending value.
func medianOfSorted(_ values: ArraySlice<Double>) -> Double {
  let middle = values.startIndex + values.count / 2
  guard values.count.isMultiple(of: 2) else { return values[middle] }
  return values[middle - 1] / 2 + values[middle] / 2
}
