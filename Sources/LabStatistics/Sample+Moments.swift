extension Sample {
  /// The arithmetic mean.
  ///
  /// It is the smallest value plus the mean of the distances to it, summed with compensation, so
  /// that a large common offset costs no digits.
  ///
  /// Source: Neumaier, Zeitschrift für Angewandte Mathematik und Mechanik 54 (1974), 39-51.
  package var mean: Double {
    minimum + compensatedSum(of: values) { $0 - minimum } / Double(count)
  }

  /// The unbiased sample variance with the divisor n − 1; nil for a single value.
  ///
  /// The corrected two-pass formula: the squared sum of deviations takes away what the rounding of
  /// the mean put in.
  ///
  /// Source: Chan, Golub and LeVeque, The American Statistician 37 (1983), 242-247.
  package var variance: Double? {
    guard count > 1 else { return nil }
    let center = mean
    let squares = compensatedSum(of: values) { ($0 - center) * ($0 - center) }
    let remainder = compensatedSum(of: values) { $0 - center }
    return max(0, squares - remainder * remainder / Double(count)) / Double(count - 1)
  }

  /// The square root of the variance; nil for a single value.
  package var standardDeviation: Double? { variance?.squareRoot() }

  /// The skewness, adjusted for the number of values: above 0 for a long tail of large values.
  ///
  /// √(n (n − 1)) / (n − 2) · m₃ / m₂^1.5 with the central moments m. On normal data its standard
  /// error is about √(6 / n). Nil for fewer than 3 values, and when all are equal.
  ///
  /// Source: Joanes and Gill, The Statistician 47 (1998), 183-189, G₁.
  package var skewness: Double? {
    guard count > 2, range > 0 else { return nil }
    // In units of the range, so that no power of a small or large number is lost.
    let center = compensatedSum(of: values) { ($0 - minimum) / range } / Double(count)
    let distances = values.map { ($0 - minimum) / range - center }
    let n = Double(count)
    let second = compensatedSum(of: distances) { $0 * $0 } / n
    let third = compensatedSum(of: distances) { $0 * $0 * $0 } / n
    return (n * (n - 1)).squareRoot() / (n - 2) * third / (second * second.squareRoot())
  }
}

/// The sum of the transformed values, with the rounding error of each addition carried along.
private func compensatedSum(of values: [Double], _ transform: (Double) -> Double) -> Double {
  var sum = 0.0
  var correction = 0.0
  for value in values {
    let term = transform(value)
    let next = sum + term
    correction += abs(sum) >= abs(term) ? (sum - next) + term : (term - next) + sum
    sum = next
  }
  return sum + correction
}
