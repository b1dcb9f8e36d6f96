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
