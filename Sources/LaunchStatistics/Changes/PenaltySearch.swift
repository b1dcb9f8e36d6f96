import Foundation

/// Finds the penalty of a jump that suits a series, from the series itself.
///
/// A penalty γ gives a step function with k segments. It is rated by 4 ln(N) / n · k + ln(σ₀ + S):
/// n is the number of values at hand and N that of the whole series, so that a window of a long
/// series is cut no more readily than the whole would be. S = |e₁| + Σ|eᵢ − ρ eᵢ₋₁| over the
/// deviations e, with the ρ from −1 to 1 that makes it least: noise whose neighbours are alike makes
/// no segments. σ₀, a tenth of the smallest jump, or a thousandth of the smallest level for up to
/// two segments, keeps a perfect fit from being infinitely good.
///
/// The search is by golden section for ln γ, from ln(0.1 / n) to 0 in units of the cost of one
/// segment, and rough on purpose: some ten penalties are tried, and the best of them is taken.
///
/// Source: airspeed velocity, `asv/step_detect.py`, its published constants.
struct PenaltySearch {
  private let values: ArraySlice<Double>
  private let costs: SegmentCosts
  private let beta: Double

  struct Fit {
    /// The first indices of the segments, within the values at hand.
    var starts: [Int]

    var gamma: Double
  }

  /// - Parameters:
  ///   - values: Finite numbers.
  ///   - total: The number of values of the series that they are a window of.
  init(_ values: ArraySlice<Double>, total: Int? = nil) {
    self.values = values
    costs = SegmentCosts(values)
    beta = 4 * log(Double(total ?? values.count)) / Double(max(1, values.count))
  }

  func fit() -> Fit {
    let whole = costs.whole
    let scale = whole > 0 ? whole : 1
    var best = Fit(starts: values.isEmpty ? [] : [0], gamma: scale)
    guard values.count > 1 else { return best }
    var least = Double.infinity
    let lowest = log(0.1 / Double(values.count))
    _ = goldenSection(from: lowest, to: 0, width: 0.1 * abs(lowest), tolerance: 0) { exponent in
      let gamma = scale * exp(exponent)
      let starts = costs.cheapestStarts(gamma: gamma)
      let rating = rating(of: starts)
      if rating < least {
        least = rating
        best = Fit(starts: starts, gamma: gamma)
      }
      return rating
    }
    return best
  }

  private func rating(of starts: [Int]) -> Double {
    var levels: [Double] = []
    var deviations: [Double] = []
    deviations.reserveCapacity(values.count)
    for (start, end) in zip(starts, starts.dropFirst() + [values.count]) {
      let piece = values[values.startIndex + start..<values.startIndex + end]
      let level = medianOfSorted(piece.sorted()[...])
      levels.append(level)
      deviations.append(contentsOf: piece.map { $0 - level })
    }
    let rho = goldenSection(from: -1, to: 1, width: 0.05, tolerance: 1e-8) {
      correlatedSum(of: deviations, rho: $0)
    }
    let sum = correlatedSum(of: deviations, rho: rho)
    return beta * Double(starts.count) + log(floor(of: levels) + sum)
  }

  private func correlatedSum(of deviations: [Double], rho: Double) -> Double {
    var sum = 0.0
    var before = 0.0
    for deviation in deviations {
      sum += abs(deviation - rho * before)
      before = deviation
    }
    return sum
  }

  private func floor(of levels: [Double]) -> Double {
    let jumps = zip(levels, levels.dropFirst()).map { 0.1 * abs($1 - $0) }
    let smallest =
      levels.count > 2 ? jumps.min() : levels.map { 0.001 * abs($0) }.min()
    return max(1e-300, smallest ?? 0)
  }
}

/// Looks for the place of the least value of a function by golden section.
///
/// The bounds are moved outwards first, so that the function is evaluated at the given ones.
///
/// - Parameters:
///   - low: The first place that is tried.
///   - high: The second one.
///   - width: Ends when the place is known to so much.
///   - tolerance: Ends when two values differ by less than this share of the first ones.
///   - function: What is to be least.
/// - Returns: The better of the last two places.
///
/// Source: Kiefer, Proceedings of the American Mathematical Society 4 (1953), 502-506.
private func goldenSection(
  from low: Double,
  to high: Double,
  width: Double,
  tolerance: Double,
  _ function: (Double) -> Double
) -> Double {
  let ratio = 2 / (1 + 5.0.squareRoot())
  let rest = 1 - ratio
  var left = (ratio * low - rest * high) / (2 * ratio - 1)
  var right = (ratio * high - rest * low) / (2 * ratio - 1)
  var (first, second) = (ratio * left + rest * right, rest * left + ratio * right)
  var (atFirst, atSecond) = (function(first), function(second))
  let least = tolerance * max(abs(atFirst), abs(atSecond))
  while abs(right - left) >= width, abs(atFirst - atSecond) >= least {
    if atSecond < atFirst {
      left = first
      (first, atFirst) = (second, atSecond)
      second = ratio * first + rest * right
      atSecond = function(second)
    } else {
      right = second
      (second, atSecond) = (first, atFirst)
      first = ratio * second + rest * left
      atFirst = function(first)
    }
  }
  return atSecond < atFirst ? second : first
}
