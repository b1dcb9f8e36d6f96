import LabModel
import LabStatistics

extension NoiseProfile {
  /// The newest nights that are looked at.
  private static let nights = 100

  /// The fewest nights that tell a shape.
  private static let fewest = 20

  /// How the nights of the newest part scatter around the levels of their segments.
  ///
  /// Two modes, at the limits of `Sample.twoModes`, come before more than 3 % of outliers (at least
  /// two), and those before a skew: the 10 % quantile and the 90 % quantile are not equally far from
  /// the median, by a ratio of more than 2.
  init(_ chain: SeriesChain, segments: [Segment]) {
    let first = max(chain.partStart, chain.points.count - Self.nights)
    let ratios = segments.flatMap { segment in
      segment.range.filter { $0 >= first && segment.level > 0 }.map {
        chain.points[$0].median / segment.level
      }
    }
    guard ratios.count >= Self.fewest, let sample = try? Sample(ratios) else {
      self = .unknown
      return
    }
    let outliers = sample.outliers.count
    let below = sample.median - sample.quantile(0.1)
    let above = sample.quantile(0.9) - sample.median
    if sample.twoModes != nil {
      self = .modal
    } else if outliers >= 2, Double(outliers) > 0.03 * Double(sample.count) {
      self = .outliers
    } else {
      self = max(above, below) > 2 * min(above, below) ? .skewed : .ok
    }
  }
}
