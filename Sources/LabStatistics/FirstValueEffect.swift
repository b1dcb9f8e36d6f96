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
