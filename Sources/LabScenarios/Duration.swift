import LabModel

/// A non-negative decimal number, exact to nine places.
struct ExactDecimal {
  var whole: Int64
  var billionths: Int64

  /// Reads digits with at most one point, such as `1.5`; nil for anything else.
  init?(written text: some StringProtocol) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : "0"
    let digits = parts.joined().utf8
    guard let first = parts.first, !first.isEmpty, !fraction.isEmpty, fraction.count <= 9,
      digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let whole = Int64(first), let part = Int64(fraction)
    else { return nil }
    self.whole = whole
    billionths = (fraction.count..<9).reduce(part) { scaled, _ in scaled * 10 }
  }
}

extension Nanoseconds {
  private static let units: [(suffix: String, size: Int64)] = [
    ("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000),
    ("min", 60_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
  ]

  /// The longest duration that a scenario may ask for.
  static let longest = Nanoseconds.seconds(24 * 3600)

  /// Reads a duration such as `250us`, `500ms`, `1.5s` or `1m`, of at most a day.
  init(written text: String) throws(FormProblem) {
    if ExactDecimal(written: text) != nil {
      throw FormProblem(
        problem: "\(quoted(text)) is a duration without a unit",
        remedy: "write the unit, such as \(text)s or \(text)ms"
      )
    }
    guard let unit = Self.units.first(where: { Self.number(text, before: $0.suffix) != nil }),
      let number = Self.number(text, before: unit.suffix)
    else {
      throw FormProblem(
        problem: "\(quoted(text)) is not a duration",
        remedy: "write a number and one of the units us, ms, s, m, h, such as 500ms"
      )
    }
    guard number.whole <= Self.longest.count / unit.size else {
      throw FormProblem(
        problem: "the duration \(quoted(text)) is longer than a day",
        remedy: "use at most 24h"
      )
    }
    // The unit divides by 1000 or is below it, so the product of the fraction cannot overflow.
    let fraction = number.billionths * (unit.size / 1_000) / 1_000_000
    let rest = number.billionths * (unit.size % 1_000) / 1_000_000_000
    self.init(number.whole * unit.size + fraction + rest)
  }

  private static func number(_ text: String, before suffix: String) -> ExactDecimal? {
    text.hasSuffix(suffix) ? ExactDecimal(written: text.dropLast(suffix.count)) : nil
  }
}
