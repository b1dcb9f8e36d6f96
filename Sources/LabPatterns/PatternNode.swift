/// A regular expression as it was read.
indirect enum PatternNode: Hashable, Sendable {
  case empty
  case symbols(SymbolSet)
  case assertion(PatternAssertion)
  case sequence([PatternNode])
  case choice([PatternNode])

  /// `most` is nil without a limit.
  case repetition(PatternNode, least: Int, most: Int?, isLazy: Bool)

  /// A group whose text is wanted, by its number from 0.
  case group(Int, PatternNode)
}

/// What must hold between two symbols; the raw value is its code in the spawner's encoding.
enum PatternAssertion: String, Hashable, Sendable {
  case start = "^"
  case end = "$"
  case boundary = "b"
  case noBoundary = "B"
  case wordStart = "<"
  case wordEnd = ">"
}

/// Which symbols match: Unicode scalars, or bytes.
struct SymbolSet: Hashable, Sendable {
  var ranges: [ClosedRange<UInt32>] = []
  var properties: [Property] = []
  var nested: [SymbolSet] = []
  var isNegated = false
  var ignoresCase = false

  /// A property of Unicode.
  enum Property: Hashable, Sendable {
    case word(Bool)
    case digit(Bool)
    case space(Bool)

    /// The general category, or its first letter.
    case category(String, Bool)
  }

  static func only(_ symbol: UInt32) -> SymbolSet { SymbolSet(ranges: [symbol...symbol]) }

  static let everything = SymbolSet(isNegated: true)

  /// What ends a line in Unicode.
  static let notNewline = SymbolSet(
    ranges: [0x0A...0x0D, 0x85...0x85, 0x2028...0x2029],
    isNegated: true
  )

  /// Letters, digits and the underscore of ASCII.
  static let asciiWord: [ClosedRange<UInt32>] = [
    0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A,
  ]

  func contains(_ symbol: UInt32) -> Bool {
    var isIn = hasExactly(symbol)
    if !isIn, ignoresCase { isIn = Self.otherCases(of: symbol).contains { hasExactly($0) } }
    return isIn != isNegated
  }

  private func hasExactly(_ symbol: UInt32) -> Bool {
    ranges.contains { $0.contains(symbol) } || properties.contains { Self.holds($0, for: symbol) }
      || nested.contains { $0.contains(symbol) }
  }

  private static func otherCases(of symbol: UInt32) -> [UInt32] {
    guard let scalar = Unicode.Scalar(symbol) else { return [] }
    return [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping]
      .compactMap { $0.unicodeScalars.count == 1 ? $0.unicodeScalars.first?.value : nil }
  }

  private static func holds(_ property: Property, for symbol: UInt32) -> Bool {
    guard let scalar = Unicode.Scalar(symbol) else { return false }
    return switch property {
    case .word(let wanted): isWord(scalar) == wanted
    case .digit(let wanted): (scalar.properties.generalCategory == .decimalNumber) == wanted
    case .space(let wanted): scalar.properties.isWhitespace == wanted
    case .category(let name, let wanted):
      scalar.properties.generalCategory.letters.hasPrefix(name) == wanted
    }
  }

  /// Whether a scalar belongs to a word; Unicode Technical Standard 18, annex C.
  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return asciiWord.contains { $0.contains(scalar.value) } }
    if scalar.properties.isAlphabetic || scalar.properties.isJoinControl { return true }
    return switch scalar.properties.generalCategory {
    case .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// The 256 bytes as bits, the first byte's in the lowest bit of the first pair of digits.
  var hexadecimalBytes: String {
    (0..<32).map { group in
      let bits = (0..<8).reduce(0) { $0 | (contains(UInt32(8 * group + $1)) ? 1 << $1 : 0) }
      return String(bits >> 4, radix: 16) + String(bits & 15, radix: 16)
    }
    .joined()
  }
}

extension Unicode.GeneralCategory {
  /// The two letters of the category, such as `Lu`.
  fileprivate var letters: String {
    switch self {
    case .uppercaseLetter: "Lu"
    case .lowercaseLetter: "Ll"
    case .titlecaseLetter: "Lt"
    case .modifierLetter: "Lm"
    case .otherLetter: "Lo"
    case .nonspacingMark: "Mn"
    case .spacingMark: "Mc"
    case .enclosingMark: "Me"
    case .decimalNumber: "Nd"
    case .letterNumber: "Nl"
    case .otherNumber: "No"
    case .connectorPunctuation: "Pc"
    case .dashPunctuation: "Pd"
    case .openPunctuation: "Ps"
    case .closePunctuation: "Pe"
    case .initialPunctuation: "Pi"
    case .finalPunctuation: "Pf"
    case .otherPunctuation: "Po"
    case .mathSymbol: "Sm"
    case .currencySymbol: "Sc"
    case .modifierSymbol: "Sk"
    case .otherSymbol: "So"
    case .spaceSeparator: "Zs"
    case .lineSeparator: "Zl"
    case .paragraphSeparator: "Zp"
    case .control: "Cc"
    case .format: "Cf"
    case .surrogate: "Cs"
    case .privateUse: "Co"
    case .unassigned: "Cn"
    @unknown default: "Cn"
    }
  }
}
