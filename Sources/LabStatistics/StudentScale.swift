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
