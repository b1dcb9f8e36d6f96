/// A regular expression that is matched in time linear in the text, whatever it is.
///
/// Its syntax is the part of Swift's `Regex` that needs no backtracking: no references back, no
/// lookaround, no atomic groups. Of several matches the leftmost is taken, and of those the one
/// that a backtracking matcher would find first.
///
/// Source: Cox, *Regular Expression Matching: the Virtual Machine Approach* (2009), Pike's machine.
package struct TextPattern: Hashable, Sendable {
  /// As it was written.
  package let text: String

  /// The names of its groups, in the order in which they begin.
  package let groups: [String]

  let program: PatternProgram

  /// Reads a regular expression.
  ///
  /// - Throws: ``PatternError`` for one that cannot be read, or is too large.
  package init(_ text: String) throws(PatternError) {
    self.text = text
    var parser = PatternParser(text.unicodeScalars.map(\.value), dialect: .named)
    let node = try parser.parse()
    groups = parser.groups
    program = try PatternProgram(node, groupCount: parser.groups.count)
  }

  /// Finds the first match in a text.
  ///
  /// The work is proportional to the length of the text times that of the pattern.
  ///
  /// - Returns: The text of each group that took part, by its name; nil without a match.
  package func firstMatch(in text: String) -> [String: String]? {
    let scalars = Array(text.unicodeScalars)
    var machine = PatternMachine(program, scalars.map(\.value))
    guard let slots = machine.run() else { return nil }
    var found: [String: String] = [:]
    for (index, group) in groups.enumerated() {
      let (start, end) = (slots[2 * index], slots[2 * index + 1])
      guard start >= 0, end >= start else { continue }
      found[group] = String(String.UnicodeScalarView(scalars[start..<end]))
    }
    return found
  }
}

/// A POSIX extended regular expression for the output of a program, as the spawner runs it.
///
/// The bytes of a line are matched one by one as they come, and none is looked at twice. It has
/// the extensions of glibc, except references back.
package struct OutputPattern: Hashable, Sendable {
  private let program: PatternProgram

  /// Reads a regular expression.
  ///
  /// - Throws: ``PatternError`` for one that cannot be read, or is too large.
  package init(_ text: String) throws(PatternError) {
    var parser = PatternParser(text.utf8.map(UInt32.init), dialect: .posix)
    program = try PatternProgram(try parser.parse(), groupCount: 0)
  }

  /// Whether a whole line matches somewhere, as the spawner sees it.
  func matches(_ line: String) -> Bool {
    var machine = PatternMachine(program, line.utf8.map(UInt32.init))
    return machine.run() != nil
  }

  /// The steps of the pattern in the encoding of `spawner/match.c`.
  package var encoded: String {
    program.steps.map { step in
      switch step {
      case .symbols(let index): "s" + program.sets[index].hexadecimalBytes
      case .assertion(let assertion): assertion.rawValue
      case .split(let first, let second): "/\(first),\(second);"
      case .jump(let target): "/\(target),\(target);"
      // The spawner only has to know whether there is a match.
      case .save: "/\(0),\(0);"
      case .match: "m"
      }
    }
    .joined()
  }
}

/// Why a text is no pattern that can be used.
package struct PatternError: Error, Hashable, Sendable {
  /// What is wrong, as a clause without a full stop.
  package let problem: String

  /// One imperative clause.
  package let remedy: String

  /// - Parameters:
  ///   - problem: What is wrong, without its place.
  ///   - place: The number of the character, from 0; nil means the whole pattern.
  ///   - remedy: One imperative clause.
  init(_ problem: String, at place: Int? = nil, remedy: String = "correct it") {
    self.problem = place.map { "\(problem) at character \($0 + 1)" } ?? problem
    self.remedy = remedy
  }
}

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
      categories[scalar.properties.generalCategory, default: "Cn"].hasPrefix(name) == wanted
    }
  }

  /// The letters of the general categories.
  private static let categories: [Unicode.GeneralCategory: String] = [
    .uppercaseLetter: "Lu", .lowercaseLetter: "Ll", .titlecaseLetter: "Lt", .modifierLetter: "Lm",
    .otherLetter: "Lo", .nonspacingMark: "Mn", .spacingMark: "Mc", .enclosingMark: "Me",
    .decimalNumber: "Nd", .letterNumber: "Nl", .otherNumber: "No", .connectorPunctuation: "Pc",
    .dashPunctuation: "Pd", .openPunctuation: "Ps", .closePunctuation: "Pe",
    .initialPunctuation: "Pi", .finalPunctuation: "Pf", .otherPunctuation: "Po",
    .mathSymbol: "Sm", .currencySymbol: "Sc", .modifierSymbol: "Sk", .otherSymbol: "So",
    .spaceSeparator: "Zs", .lineSeparator: "Zl", .paragraphSeparator: "Zp", .control: "Cc",
    .format: "Cf", .surrogate: "Cs", .privateUse: "Co", .unassigned: "Cn",
  ]

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
