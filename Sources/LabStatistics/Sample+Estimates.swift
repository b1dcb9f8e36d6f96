extension Sample {
  /// The fewest values that get an interval of the median.
  package static let fewestForInterval = 5

  /// Everything that is always shown of a sample; O(n log n).
  package var estimates: Estimates {
    let mean = mean
    let standardDeviation = standardDeviation
    return Estimates(
      n: count,
      mean: mean,
      variance: variance,
      standardDeviation: standardDeviation,
      coefficientOfVariation: mean == 0 ? nil : standardDeviation.map { $0 / mean },
      median: median,
      medianAbsoluteDeviation: medianAbsoluteDeviation,
      minimum: minimum,
      maximum: maximum,
      p90: quantile(0.9),
      p95: quantile(0.95),
      medianInterval: count < Self.fewestForInterval ? nil : medianInterval()
    )
  }
}
