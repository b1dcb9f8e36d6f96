import Foundation

/// Student's t distribution, and with infinitely many degrees of freedom the normal one.
package enum StudentT {
  /// The probability of a value above the given one.
  ///
  /// - Parameters:
  ///   - t: Any number.
  ///   - degreesOfFreedom: Above 0, not necessarily whole; infinite for the standard normal
  ///     distribution.
  /// - Returns: From 0 to 1, with the digits of a small probability; not a number if `t` is none.
  ///
  /// Source: DLMF 8.17, half of I_x(ν / 2, 1 / 2) at x = ν / (ν + t²).
  package static func upperTail(_ t: Double, degreesOfFreedom: Double) -> Double {
    precondition(degreesOfFreedom > 0, "a distribution has degrees of freedom")
    guard !t.isNaN else { return .nan }
    guard t != 0 else { return 0.5 }
    guard t > 0 else { return 1 - upperTail(-t, degreesOfFreedom: degreesOfFreedom) }
    guard degreesOfFreedom < 1e10 else { return erfc(t / 2.0.squareRoot()) / 2 }
    // The share of t² stays exact for small t, the share of ν for large t.
    let quotient = t / degreesOfFreedom * t
    let share = quotient.isFinite ? 1 / (1 + quotient) : 0
    guard share > 0 else { return 0 }
    let complement = quotient / (1 + quotient)
    guard complement > 0 else { return 0.5 }
    return incompleteBeta(share, complement: complement, degreesOfFreedom / 2, 0.5) / 2
  }

  /// The value that is not exceeded with the given probability.
  ///
  /// - Parameters:
  ///   - probability: From 0, which gives −∞, to 1, which gives ∞.
  ///   - degreesOfFreedom: Above 0; infinite for the standard normal distribution.
  /// - Returns: Exact to some 12 digits. Found by Newton's method on the logarithm of the tail, kept
  ///   between bounds; some ten evaluations.
  package static func quantile(_ probability: Double, degreesOfFreedom: Double) -> Double {
    precondition(degreesOfFreedom > 0, "a distribution has degrees of freedom")
    precondition(probability >= 0 && probability <= 1, "a probability lies between 0 and 1")
    guard probability != 0.5 else { return 0 }
    guard probability > 0.5 else {
      return -valueAbove(probability, degreesOfFreedom: degreesOfFreedom)
    }
    return valueAbove(1 - probability, degreesOfFreedom: degreesOfFreedom)
  }

  /// The positive value with the given upper tail below a half.
  private static func valueAbove(_ tail: Double, degreesOfFreedom: Double) -> Double {
    guard tail > 0 else { return .infinity }
    var low = 0.0
    var high = 1.0
    while upperTail(high, degreesOfFreedom: degreesOfFreedom) > tail {
      low = high
      high *= 2
      guard high.isFinite else { return .infinity }
    }
    var value = (low + high) / 2
    for _ in 0..<200 {
      let found = upperTail(value, degreesOfFreedom: degreesOfFreedom)
      if found > tail { low = value } else { high = value }
      let slope = density(value, degreesOfFreedom: degreesOfFreedom) / found
      let step = value + log(found / tail) / slope
      let next = step > low && step < high ? step : (low + high) / 2
      if abs(next - value) <= 1e-15 * next { return next }
      value = next
    }
    return value
  }

  private static func density(_ t: Double, degreesOfFreedom: Double) -> Double {
    guard degreesOfFreedom < 1e10 else { return exp(-t * t / 2) / (2 * .pi).squareRoot() }
    let half = degreesOfFreedom / 2
    let front = logGamma(half + 0.5) - logGamma(half) - log(degreesOfFreedom * .pi) / 2
    return exp(front - (half + 0.5) * log1p(t / degreesOfFreedom * t))
  }
}

/// The regularised incomplete beta function I_x(a, b).
///
/// - Parameters:
///   - x: From 0 to 1, both excluded.
///   - complement: 1 − x, given apart since it may be known more exactly than by subtraction.
///   - a: Above 0.
///   - b: Above 0.
/// - Returns: From 0 to 1. Takes about √max(a, b) steps.
///
/// Source: DLMF 8.17, the continued fraction 8.17.22 by the method of Lentz as modified by Thompson
/// and Barnett (1986).
func incompleteBeta(_ x: Double, complement: Double, _ a: Double, _ b: Double) -> Double {
  let logComplement = complement < 0.5 ? log(complement) : log1p(-x)
  let logValue = x < 0.5 ? log(x) : log1p(-complement)
  let front = logGamma(a + b) - logGamma(a) - logGamma(b) + a * logValue + b * logComplement
  // The fraction converges fast on one side of the mean only; the other side is the complement.
  guard x > (a + 1) / (a + b + 2) else {
    return exp(front) / (a * betaFraction(a, b, x))
  }
  return 1 - exp(front) / (b * betaFraction(b, a, complement))
}

/// The value of 1 + d₁/(1 + d₂/(1 + …)) for the incomplete beta function.
private func betaFraction(_ a: Double, _ b: Double, _ x: Double) -> Double {
  let tiny = 1e-300
  var numerator = 1.0
  var denominator = 0.0
  var value = 1.0
  for step in 1...10_000 {
    let coefficient = betaCoefficient(step, a, b, x)
    denominator = 1 / nonZero(1 + coefficient * denominator, tiny)
    numerator = nonZero(1 + coefficient / numerator, tiny)
    let factor = numerator * denominator
    value *= factor
    if abs(factor - 1) < 1e-16 { break }
  }
  return value
}

private func betaCoefficient(_ step: Int, _ a: Double, _ b: Double, _ x: Double) -> Double {
  let m = Double(step / 2)
  guard step.isMultiple(of: 2) else {
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
  }
  return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
}

private func nonZero(_ value: Double, _ tiny: Double) -> Double {
  abs(value) < tiny ? tiny : value
}

/// The natural logarithm of the gamma function of a positive number.
func logGamma(_ value: Double) -> Double { lgamma(value) }

/// The location and scale of values with the heavy tails of Student's t distribution.
package struct StudentScale: Hashable, Sendable {
  package let location: Double

  /// In the unit of the values, at least the floor that was asked for.
  package let scale: Double

  /// Fits both by expectation and maximisation, 40 steps from the median and its deviation.
  ///
  /// - Parameters:
  ///   - values: At least one finite number, in any order.
  ///   - degreesOfFreedom: Above 0; the fewer, the less an outlier counts.
  ///   - floor: The least scale, above 0, so that equal values have one too.
  ///
  /// Source: Lange, Little and Taylor, Journal of the American Statistical Association 84 (1989),
  /// 881-896.
  package init(_ values: [Double], degreesOfFreedom: Double, floor: Double = 1e-4) {
    precondition(!values.isEmpty && floor > 0, "a scale is that of values, and above 0")
    var location = medianOfSorted(values.sorted()[...])
    let deviations = values.map { abs($0 - location) }.sorted()
    let deviation = 1.4826 * medianOfSorted(deviations[...])
    var square = max(floor, deviation) * max(floor, deviation)
    for _ in 0..<40 {
      let weights = values.map { value in
        (degreesOfFreedom + 1)
          / (degreesOfFreedom + (value - location) * (value - location) / square)
      }
      location =
        zip(weights, values).reduce(0) { $0 + $1.0 * $1.1 } / weights.reduce(0, +)
      let sum = zip(weights, values).reduce(0) { sum, pair in
        sum + pair.0 * (pair.1 - location) * (pair.1 - location)
      }
      square = max(floor * floor, sum / Double(values.count))
    }
    self.location = location
    scale = square.squareRoot()
  }
}
