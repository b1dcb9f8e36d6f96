/// The order of names with numbers in them, in which `v9` comes before `v10`.
enum VersionOrder {
  /// Whether a name comes first: numbers go by their value and the rest by its bytes, as in `sort -V`.
  ///
  /// Names that differ in leading zeros only go by their bytes.
  static func isBefore(_ left: String, _ right: String) -> Bool {
    let (lefts, rights) = (parts(of: left), parts(of: right))
    for (a, b) in zip(lefts, rights) where a != b { return a < b }
    return lefts.count == rights.count ? left < right : lefts.count < rights.count
  }

  /// A run of digits, or of other bytes.
  private enum Part: Comparable {
    /// The digits without leading zeros.
    case number([UInt8])

    case text([UInt8])

    static func < (left: Self, right: Self) -> Bool {
      switch (left, right) {
      case (.number(let a), .number(let b)):
        a.count == b.count ? a.lexicographicallyPrecedes(b) : a.count < b.count
      case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
      case (.number, .text): true
      case (.text, .number): false
      }
    }
  }

  private static func parts(of name: String) -> [Part] {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    var rest = Array(name.utf8)[...]
    var parts: [Part] = []
    while let first = rest.first {
      let isNumber = digits.contains(first)
      let run = rest.prefix { digits.contains($0) == isNumber }
      rest = rest.dropFirst(run.count)
      parts.append(
        isNumber ? .number(Array(run.drop { $0 == digits.lowerBound })) : .text(Array(run))
      )
    }
    return parts
  }
}
