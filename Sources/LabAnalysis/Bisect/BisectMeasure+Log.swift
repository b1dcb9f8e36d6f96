import Foundation
package import LabModel

extension BisectMeasure {
  /// The natural logarithm of a value, so that differences are ratios.
  ///
  /// - Parameter value: At least 0 in the unit of the measure; 0 counts as a half, so that a count of
  ///   nothing has a logarithm too.
  /// - Returns: A finite number for a finite value.
  package func logarithm(of value: Double) -> Double { log(max(value, 0.5)) }
}
