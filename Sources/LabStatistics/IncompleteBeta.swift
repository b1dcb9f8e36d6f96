import Foundation

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
