/// A named time in a text.
package struct LoaderLogValue: Hashable, Sendable {
  /// As printed.
  package var name: String

  /// The name of the stage that it is brought to, of `StageName`; nil where there is none.
  package var stage: String?

  /// How long it took; nil where the text has no time for it.
  package var amount: LoaderLogAmount?

  /// In percent of the total, digits as printed with a digit before the point; nil for none.
  package var percent: String?

  /// Those of ``LoaderLogFlag``.
  package var flags: [String] = []

  /// The number of its line, from 1.
  package var line: Int

  /// The best guess at a wrapped time in nanoseconds: the total less the other stages, at least 0.
  package var repaired: Int64?

  /// The cycles that passed, with the last digit restored as 0; nil when they cannot be told.
  package var cycles: Int64?

  /// When it began, or for a mark and for the JVM when it ended.
  package var instant: LoaderLogAmount?

  /// The part of the time that was not spent in what it contains.
  package var own: LoaderLogAmount?

  /// How deep it is nested, from 0.
  package var depth: Int?

  package var pid: Int64?

  /// What else the line counts, such as `bytes`.
  package var counters: [String: Int64] = [:]

  init(
    name: String,
    stage: String? = nil,
    amount: LoaderLogAmount?,
    percent: String? = nil,
    flags: [String] = [],
    line: Int,
    instant: LoaderLogAmount? = nil
  ) {
    self.name = name
    self.stage = stage
    self.amount = amount
    self.percent = percent
    self.flags = flags
    self.line = line
    self.instant = instant
  }
}

/// A printed number with its unit, kept exactly.
package struct LoaderLogAmount: Hashable, Sendable {
  /// The digits as printed, with `.` as the decimal point and without grouping; may be empty.
  package var printed: String

  package var unit: Unit

  /// In whole nanoseconds, rounded; nil when it is not usable or its scale is not known.
  package var nanoseconds: Int64?

  /// The place after the decimal point, in seconds, of the last digit; nil for cycles.
  package var places: Int?

  /// How far the value may be off, in nanoseconds; nil when that is not known.
  package var resolution: Int64?

  /// The printed number in seconds, without zeros at its end; nil for cycles.
  package var printedSeconds: String? {
    unit.places.map { ExactDecimal.shifted(printed, by: $0) }
  }

  /// The value in seconds, without zeros at its end; nil when it is not usable.
  package var seconds: String? { nanoseconds == nil ? nil : printedSeconds }

  /// The resolution in seconds; nil for cycles.
  package var resolutionSeconds: String? {
    places.map { ExactDecimal.shifted("1", by: $0) }
  }

  /// Creates an amount of time whose resolution is its last digit.
  ///
  /// - Parameters:
  ///   - printed: Digits, with at most one point among them.
  ///   - unit: A unit of time.
  init(_ printed: String, _ unit: Unit) {
    self.printed = printed
    self.unit = unit
    guard let unitPlaces = unit.places else { return }
    let places = unitPlaces + ExactDecimal.fractionDigits(of: printed)
    self.places = places
    nanoseconds = ExactDecimal.integer(printed, timesTenTo: 9 - unitPlaces)
    resolution = places >= 9 ? 1 : ExactDecimal.power(9 - places)
  }

  /// The units in which texts print.
  package enum Unit: String, Sendable {
    case seconds
    case milliseconds
    case microseconds
    case nanoseconds
    case cycles

    /// How many decimal places a second has in it; nil for cycles.
    var places: Int? {
      switch self {
      case .seconds: 0
      case .milliseconds: 3
      case .microseconds: 6
      case .nanoseconds: 9
      case .cycles: nil
      }
    }
  }
}

/// Arithmetic on decimal numbers as text, which loses no digit.
enum ExactDecimal {
  /// How many digits follow the point.
  static func fractionDigits(of number: String) -> Int {
    guard let point = number.utf8.firstIndex(of: UInt8(ascii: ".")) else { return 0 }
    return number.utf8.distance(from: point, to: number.utf8.endIndex) - 1
  }

  /// The number with its point moved to the left, without zeros that say nothing.
  static func shifted(_ number: String, by places: Int) -> String {
    let isNegative = number.hasPrefix("-")
    let parts = parts(of: number)
    var whole = parts.whole
    var fraction = parts.fraction
    if whole.count < places {
      whole = Array(repeating: zero, count: places - whole.count) + whole
    }
    fraction = Array(whole.suffix(places)) + fraction
    whole = Array(whole.dropLast(places).drop { $0 == zero })
    while fraction.last == zero { fraction.removeLast() }
    let digits = (whole.isEmpty ? [zero] : whole) + (fraction.isEmpty ? [] : [point] + fraction)
    let text = String(decoding: digits, as: UTF8.self)
    return isNegative && text != "0" ? "-" + text : text
  }

  /// The number times a power of ten, rounded to a whole number; nil when that is too large.
  static func integer(_ number: String, timesTenTo exponent: Int) -> Int64? {
    let parts = parts(of: number)
    guard parts.whole.count + parts.fraction.count > 0 else { return nil }
    var result: Int64 = 0
    let padding = max(0, exponent - parts.fraction.count)
    let kept = parts.whole + parts.fraction.prefix(exponent)
    for digit in kept + Array(repeating: zero, count: padding) {
      guard (zero...zero + 9).contains(digit) else { return nil }
      let (product, isTooLarge) = result.multipliedReportingOverflow(by: 10)
      let (sum, isTooLargeStill) = product.addingReportingOverflow(Int64(digit - zero))
      if isTooLarge || isTooLargeStill { return nil }
      result = sum
    }
    if let next = parts.fraction.dropFirst(exponent).first, next >= zero + 5, result < .max {
      result += 1
    }
    return number.hasPrefix("-") ? -result : result
  }

  /// Ten to a power from 0 to 18.
  static func power(_ exponent: Int) -> Int64 {
    (0..<exponent).reduce(Int64(1)) { power, _ in power * 10 }
  }

  private static let zero = UInt8(ascii: "0")
  private static let point = UInt8(ascii: ".")

  private static func parts(of number: String) -> (whole: [UInt8], fraction: [UInt8]) {
    let digits = number.utf8.drop { $0 == UInt8(ascii: "-") }
    let parts = digits.split(separator: point, maxSplits: 1, omittingEmptySubsequences: false)
    return (Array(parts[0]), parts.count > 1 ? Array(parts[1]) : [])
  }
}
