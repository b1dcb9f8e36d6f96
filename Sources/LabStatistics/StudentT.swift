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
