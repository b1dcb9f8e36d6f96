import Foundation
import LabModel

/// How numbers are put into the sentences of a diagnostic.
enum Wording {
  /// A time of either sign with three significant digits, such as `1.23 ms`.
  static func time(_ nanoseconds: Double) -> String {
    let units = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)]
    // Half a unit of the third digit is added, so that 999.6 µs is 1.00 ms.
    let unit = units.first { abs(nanoseconds) * 1.0005 >= $0.1 } ?? ("ns", 1)
    return "\(significant(nanoseconds / unit.1)) \(unit.0)"
  }

  /// A share as a percentage with at least two significant digits, such as `4.3 %` and `60 %`.
  static func percent(_ share: Double) -> String {
    String(format: abs(share) < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * share)
  }

  /// A multiple with three significant digits, such as `3.10`.
  static func multiple(_ value: Double) -> String { significant(value) }

  /// A number of launches with its noun, such as `1 launch` and `12 launches`.
  static func launches(_ count: Int) -> String { count == 1 ? "1 launch" : "\(count) launches" }

  /// Some of all launches, such as `3 of 40 launches`.
  static func launches(_ count: Int, of all: Int) -> String { "\(count) of \(launches(all))" }

  private static func significant(_ value: Double) -> String {
    let size = abs(value)
    let decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0
    return String(format: "%.\(decimals)f", value)
  }
}
