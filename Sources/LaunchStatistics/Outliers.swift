/// The values that lie far from the median; they are counted and never dropped.
package struct Outliers: Hashable, Sendable {
  /// How many lie below.
  package var low: Int

  /// How many lie above.
  package var high: Int

  package var count: Int { low + high }
}

extension Sample {
  /// The modified z-score beyond which a value is an outlier.
  package static let outlierLimit = 3.5

  /// The values whose modified z-score is beyond 3.5.
  package var outliers: Outliers {
    let scale = OutlierScale(self)
    return Outliers(
      low: sorted.count { scale.score(of: $0) < -Self.outlierLimit },
      high: sorted.count { scale.score(of: $0) > Self.outlierLimit }
    )
  }
}

/// The centre and the spread that modified z-scores are taken with.
///
/// The score is 0.6745 (x − median) / MAD. When more than half of the values are equal, MAD is 0,
/// and the mean absolute deviation from the median takes its place, as (x − median) / (1.253314 ·
/// mean deviation). Both constants make the score a usual z-score on normal data.
///
/// Source: Iglewicz and Hoaglin, *How to Detect and Handle Outliers* (1993), section 3.3.
struct OutlierScale {
  private let center: Double

  /// What one unit of score is worth; 0 for a constant sample.
  private let unit: Double

  init(_ sample: Sample) {
    center = sample.median
    let deviation = sample.medianAbsoluteDeviation
    unit = deviation > 0 ? deviation / 0.6745 : 1.253314 * sample.meanAbsoluteDeviation
  }

  /// The modified z-score; for a constant sample 0, or infinite for any other value.
  func score(of value: Double) -> Double {
    let distance = value - center
    guard unit > 0 else {
      return distance == 0 ? 0 : .infinity * (distance < 0 ? -1 : 1)
    }
    return distance / unit
  }
}

/// A first value that stands apart from all that follow it.
package struct FirstValueEffect: Hashable, Sendable {
  package var value: Double

  /// The first value as a multiple of the median of the others.
  package var multiple: Double

  package init(value: Double, multiple: Double) {
    self.value = value
    self.multiple = multiple
  }
}

extension Sample {
  /// The modified z-score, against the other values, beyond which a first value stands apart.
  package static let firstValueLimit = 10.0

  /// The first value, if it alone lies far above the others.
  ///
  /// Far is a modified z-score above 10 against the other values, not the 3.5 of an outlier: the
  /// first value is the largest in 1 of n samples anyway, and launch times have long tails. If
  /// another value lies as far, being first explains nothing. Nil for fewer than 6 values.
  package var firstValueEffect: FirstValueEffect? {
    guard count >= 6, let others = try? Sample(Array(values[1...])) else { return nil }
    let first = values[0]
    let scale = OutlierScale(others)
    guard others.median > 0,
      scale.score(of: first) > Self.firstValueLimit,
      scale.score(of: others.maximum) <= Self.firstValueLimit,
      first >= (1 + Self.smallestDrift) * others.median
    else { return nil }
    return FirstValueEffect(value: first, multiple: first / others.median)
  }
}
