package import Foundation
package import LaunchCore

/// The unit in which a value is easiest to read, and how many decimals it then needs.
///
/// It is chosen once for a group of values, so that a median, its interval and its extremes can be
/// compared at a glance.
package struct Scale: Hashable, Sendable {
  /// What a value is divided by.
  package let divisor: Double

  /// The unit's symbol; empty for plain counts.
  package let symbol: String

  let decimals: Int

  private let unit: Metric.Unit

  /// Chooses the scale in which `magnitude` has four significant digits.
  package init(_ unit: Metric.Unit, for magnitude: Double) {
    let steps = Self.steps(of: unit)
    let size = abs(magnitude)
    let step = steps.last { size >= $0.divisor } ?? steps[0]
    self.unit = unit
    divisor = step.divisor
    symbol = step.symbol
    decimals =
      unit == .percent
      ? (size < 9.95 ? 1 : 0) : step.isWhole ? 0 : Self.decimals(for: size / step.divisor)
  }

  /// Chooses the scale in which values that stand beside each other can be compared.
  ///
  /// The unit is that of the largest, and the smallest keeps its digits, down to four decimals. Counts of
  /// which one is shown whole are all whole.
  package init(_ unit: Metric.Unit, forAll values: [Double]) {
    let sizes = values.map(abs).filter { $0 > 0 }
    let smallest = sizes.min() ?? 0
    let scale = Scale(unit, for: unit == .count ? smallest : sizes.max() ?? 0)
    self.unit = unit
    divisor = scale.divisor
    symbol = scale.symbol
    let scaled = smallest / scale.divisor
    decimals = scale.decimals == 0 ? 0 : scaled < 0.1 ? 4 : Self.decimals(for: scaled)
  }

  /// The number without its unit; a half of a count is never rounded away.
  package func number(_ value: Double) -> String {
    let isHalf = decimals == 0 && unit != .percent && value != value.rounded()
    return String(format: "%.\(isHalf ? 1 : decimals)f", value / divisor)
  }

  /// The number with its unit.
  package func text(_ value: Double) -> String {
    symbol.isEmpty ? number(value) : "\(number(value)) \(symbol)"
  }

  /// The number with its unit, with three significant digits at most, such as `4.2 MiB`.
  package func short(_ value: Double) -> String {
    let number = value / divisor
    return String(format: "%.\(number < 10 && divisor > 1 ? 1 : 0)f \(symbol)", number)
  }

  /// A sum of squares, in the square of this unit, or of a smaller one where digits would be lost.
  package func squared(_ value: Double) -> String {
    let number = value / (divisor * divisor)
    guard number == 0 || number >= 0.001 || divisor == 1 else {
      return Scale(unit, for: value.squareRoot()).squared(value)
    }
    let text = Quantity.significant(number)
    return symbol.isEmpty ? text : "\(text) \(symbol)²"
  }

  private static func decimals(for scaled: Double) -> Int {
    scaled < 10 ? 3 : scaled < 100 ? 2 : 1
  }

  private struct Step {
    var divisor: Double
    var symbol: String
    var isWhole = false
  }

  private static func steps(of unit: Metric.Unit) -> [Step] {
    switch unit {
    case .nanoseconds:
      [
        Step(divisor: 1, symbol: "ns", isWhole: true), Step(divisor: 1e3, symbol: "µs"),
        Step(divisor: 1e6, symbol: "ms"), Step(divisor: 1e9, symbol: "s"),
      ]
    case .bytes:
      [
        Step(divisor: 1, symbol: "B", isWhole: true), Step(divisor: 1_024, symbol: "KiB"),
        Step(divisor: 1_048_576, symbol: "MiB"), Step(divisor: 1_073_741_824, symbol: "GiB"),
      ]
    case .count:
      [
        Step(divisor: 1, symbol: "", isWhole: true), Step(divisor: 1e6, symbol: "M"),
        Step(divisor: 1e9, symbol: "G"),
      ]
    case .percent: [Step(divisor: 1, symbol: "%")]
    }
  }
}

/// The one place where a single value becomes text.
package enum Quantity {
  /// What stands where there is no value.
  package static let none = "–"

  /// A value in the unit that suits it, such as `2.613 ms`.
  package static func text(_ value: Double, _ unit: Metric.Unit) -> String {
    Scale(unit, for: value).text(value)
  }

  /// Values that stand beside each other, in one unit.
  ///
  /// - Returns: A text each, ``none`` where there is no value.
  package static func texts(_ values: [Double?], _ unit: Metric.Unit) -> [String] {
    let scale = Scale(unit, forAll: values.compactMap(\.self))
    return values.map { $0.map(scale.text) ?? none }
  }

  /// A span of time in the unit that suits it.
  package static func text(_ span: Nanoseconds) -> String { text(Double(span.count), .nanoseconds) }

  /// A share from 0 to 1 as a percentage with two significant digits, such as `3.2 %`.
  package static func percent(_ share: Double) -> String {
    let percent = share * 100
    return String(format: percent < 9.95 ? "%.1f %%" : "%.0f %%", percent)
  }

  /// A value with its sign, such as `+3.2 %` or `−14 µs`; the one place that writes a sign.
  ///
  /// - Parameters:
  ///   - value: What has the sign.
  ///   - text: The text of the absolute value.
  /// - Returns: That text behind `+`, or behind a minus sign.
  package static func signed(_ value: Double, _ text: (Double) -> String) -> String {
    (value < 0 ? "−" : "+") + text(abs(value))
  }

  /// A ratio with three significant digits, such as `4.21`.
  package static func significant(_ value: Double) -> String {
    guard value != 0 else { return "0" }
    let exponent = Int(clamping: log10(abs(value)).rounded(.down))
    return String(format: "%.\(max(0, 2 - exponent))f", value)
  }

  /// How long something took, such as `42 s`, `12 min` or `3.4 h`.
  package static func duration(seconds: Double) -> String {
    if seconds < 90 { return String(format: "%.0f s", seconds) }
    return seconds < 5400
      ? String(format: "%.0f min", seconds / 60) : String(format: "%.1f h", seconds / 3600)
  }

  /// How long something will take, in words that promise no precision.
  package static func estimate(_ span: Nanoseconds) -> String {
    let seconds = Double(span.count) / 1e9
    if seconds < 10 { return "less than 10 seconds" }
    if seconds < 90 { return "about \(Int(clamping: seconds.rounded())) seconds" }
    let minutes = seconds / 60
    return minutes < 90
      ? "about \(Int(clamping: minutes.rounded())) minutes"
      : String(format: "about %.1f hours", minutes / 60)
  }

  /// A count with its noun, such as `1 launch` or `3 launches`.
  package static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
  }

  /// A number of launches, such as `1 launch` and `12 launches`.
  package static func launches(_ number: Int) -> String {
    count(number, "launch", plural: "launches")
  }

  /// Some of all launches, such as `3 of 40 launches`.
  package static func launches(_ number: Int, of all: Int) -> String {
    "\(number) of \(launches(all))"
  }

  /// An instant in UTC, such as `2026-11-21 04:30:00 UTC`.
  package static func instant(_ date: Date) -> String {
    date.formatted(.iso8601)
      .replacingOccurrences(of: "T", with: " ").replacingOccurrences(of: "Z", with: " UTC")
  }
}

extension CounterEvent {
  /// What one value of the event named `name` counts; events not known count occurrences.
  package static func unit(of name: String) -> Metric.Unit {
    switch Self(rawValue: name) {
    case .taskClock, .cpuClock: .nanoseconds
    default: .count
    }
  }
}
