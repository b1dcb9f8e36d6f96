/// A t-test of two neighbouring windows at each place of a series, as Perfherder makes it.
///
/// It finds short excursions that a penalty over the whole series passes over, and is misled by
/// noise that is correlated: it is a second opinion, and no level is made of it.
///
/// Source: Mozilla Treeherder, `perfalert`, with its published constants.
package enum WindowTest {
  /// The least t of a change.
  static let threshold = 7.0

  /// The fewest and the most values before a place.
  package static let before = 12...24

  /// The number of values from a place on.
  package static let after = 12

  /// Finds the places where a new level begins.
  ///
  /// - Parameter values: In order; finite.
  /// - Returns: The first indices of new levels, ascending. A place is one where t exceeds 7 and is
  ///   no smaller than at both neighbours. Its cost grows linearly.
  package static func changes(in values: [Double]) -> [Int] {
    guard values.count >= before.lowerBound + after else { return [] }
    let scores = scores(of: values)
    return scores.indices.dropFirst().filter { place in
      let next = place + 1 < scores.count ? scores[place + 1] : 0
      return scores[place] > threshold && scores[place - 1] <= scores[place]
        && next <= scores[place]
    }
  }

  /// The t of every place; 0 where a window lacks values.
  ///
  /// The window before a place grows with the distance to the last change, so that it does not
  /// reach across it.
  private static func scores(of values: [Double]) -> [Double] {
    var scores = [Double](repeating: 0, count: values.count)
    var quiet = 0
    for place in values.indices.dropFirst() {
      let length = min(before.upperBound, max(quiet, before.lowerBound))
      let old = values[max(0, place - length)..<place]
      let new = values[place..<min(values.count, place + after)]
      quiet += 1
      guard old.count >= before.lowerBound, new.count == after else { continue }
      scores[place] = Window(old.reversed()).distance(to: Window(Array(new)))
      if scores[place] > threshold { quiet = 0 }
    }
    return scores
  }

  /// The values of one side, those next to the place first.
  private struct Window {
    let mean: Double

    /// The variance of the mean.
    let variance: Double

    /// Weights fall linearly with the distance to the place.
    init(_ values: [Double]) {
      let count = Double(values.count)
      let weights = values.indices.map { count - Double($0) }
      let sum = zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 }
      let mean = sum / weights.reduce(0, +)
      self.mean = mean
      variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1) / count
    }

    func distance(to other: Self) -> Double {
      let difference = abs(mean - other.mean)
      let error = (variance + other.variance).squareRoot()
      guard error > 0 else { return difference > 0 ? .infinity : 0 }
      return difference / error
    }
  }
}
