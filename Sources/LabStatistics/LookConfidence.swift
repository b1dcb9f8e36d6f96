/// How sure each look must be when there are several, and the first that decides ends it.
package enum LookConfidence {
  /// The confidence of each of several looks at growing data.
  ///
  /// By the inequality of Bonferroni the chances that a look errs add up at most, however much the
  /// looks have in common: 1 − (1 − overall) / looks.
  ///
  /// - Parameters:
  ///   - overall: The confidence of all looks together, from 0 to 1.
  ///   - looks: How many there are at most, fixed in advance; fewer than 1 count as 1.
  /// - Returns: From `overall` to 1.
  package static func confidence(_ overall: Double, looks: Int) -> Double {
    looks > 1 ? 1 - (1 - overall) / Double(looks) : overall
  }
}
