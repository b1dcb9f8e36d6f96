package import LabAnalysis
package import LabModel

/// Ends a comparison at the first look that has an answer for everything that is compared.
///
/// Each look is judged with a confidence that is high enough for all of them together, so that
/// looking often does not make a false alarm more likely; see docs/methodology.md.
package struct ComparisonSufficiency: Sufficiency {
  private var accumulator: ComparisonAccumulator
  private let rules: ComparisonRules
  private let precision: Double

  /// - Parameters:
  ///   - accumulator: Has seen the launches of before.
  ///   - rules: How the arms are judged, at every look alike.
  ///   - precision: The half-width of an interval that is narrow enough, as a share of the ratio.
  package init(accumulator: ComparisonAccumulator, rules: ComparisonRules, precision: Double) {
    self.accumulator = accumulator
    self.rules = rules
    self.precision = precision
  }

  package mutating func add(_ record: LaunchRecord) { accumulator.add(record) }

  package func isEnough(atLook look: Int) -> Bool {
    accumulator.isDecided(by: rules, precision: precision)
  }
}
