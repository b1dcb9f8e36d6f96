extension PatternParser {
  // MARK: - Escapes

  /// Reads what a backslash begins, outside of brackets.
  mutating func escape() throws(PatternError) -> PatternNode {
    let start = position
    position += 1
    guard !isAtEnd else { throw PatternError("nothing follows the \"\\\"", at: start) }
    guard let letter = peek() else { return set(take()) }
    if ("1"..."9").contains(letter) {
      throw Self.unsupported("the reference \\\(letter) to a group", at: start)
    }
    if let assertion = assertion(letter) {
      position += 1
      return .assertion(assertion)
    }
    if dialect == .posix { return posixEscape(letter) }
    if letter == "Q" { return quotation() }
    if let set = try namedSet(letter, at: start) { return .symbols(folded(set)) }
    return set(try escapedSymbol(at: start))
  }

  private func assertion(_ letter: Character) -> PatternAssertion? {
    switch (letter, dialect) {
    case ("b", _): .boundary
    case ("B", _): .noBoundary
    case ("A", .named), ("`", .posix): .start
    case ("z", .named), ("Z", .named), ("'", .posix): .end
    case ("<", .posix): .wordStart
    case (">", .posix): .wordEnd
    default: nil
    }
  }

  private mutating func posixEscape(_ letter: Character) -> PatternNode {
    let symbol = take()
    return switch letter {
    case "w", "W": .symbols(SymbolSet(ranges: SymbolSet.asciiWord, isNegated: letter == "W"))
    case "s", "S": .symbols(SymbolSet(ranges: Self.asciiSpace, isNegated: letter == "S"))
    default: set(symbol)
    }
  }

  private static let asciiSpace: [ClosedRange<UInt32>] = [0x09...0x0D, 0x20...0x20]

  /// What stands between `\Q` and `\E`, as it is.
  private mutating func quotation() -> PatternNode {
    position += 1
    var parts: [PatternNode] = []
    while !isAtEnd, !take("\\E") { parts.append(set(take())) }
    return .sequence(parts)
  }

  /// The set that a letter behind a backslash names; nil when it names none.
  private mutating func namedSet(
    _ letter: Character,
    at start: Int
  ) throws(PatternError) -> SymbolSet? {
    var set = SymbolSet()
    switch letter {
    case "d", "D": set.properties = [.digit(letter == "d")]
    case "w", "W": set.properties = [.word(letter == "w")]
    case "s", "S": set.properties = [.space(letter == "s")]
    case "h", "H":
      set = SymbolSet(
        ranges: [9...9],
        properties: [.category("Zs", true)],
        isNegated: letter == "H"
      )
    case "v", "R": set.nested = [SymbolSet(nested: [.notNewline], isNegated: true)]
    case "V", "N": set = .notNewline
    case "p", "P":
      position += 1
      return SymbolSet(properties: [.category(try categoryName(at: start), letter == "p")])
    default: return nil
    }
    position += 1
    return set
  }

  private mutating func categoryName(at start: Int) throws(PatternError) -> String {
    var name = ""
    if take("{") {
      name = take { $0 != "}" }
      guard take("}") else { throw PatternError("there is no \"}\" for the \"{\"", at: start) }
    }
    let majors = ["L", "M", "N", "P", "S", "Z", "C"]
    guard name.count <= 2, majors.contains(String(name.prefix(1))) else {
      throw PatternError(
        "the property \"\(name)\" is not known",
        at: start,
        remedy: "give a general category, such as \\p{L} or \\p{Lu}"
      )
    }
    return name
  }

  /// Reads the one symbol that an escape stands for, from behind the backslash.
  private mutating func escapedSymbol(at start: Int) throws(PatternError) -> UInt32 {
    guard !isAtEnd else { throw PatternError("nothing follows the \"\\\"", at: start) }
    let letter = peek()
    let symbol = take()
    guard let letter, letter.isLetter || letter == "0" else { return symbol }
    if let control = Self.controls[letter] { return control }
    if let most = Self.digits[letter] { return try number(most: most, at: start) }
    if letter == "k" || letter == "g" {
      throw Self.unsupported("the reference \\\(letter) to a group", at: start)
    }
    throw PatternError("the escape \\\(letter) is not known", at: start)
  }

  private static let controls: [Character: UInt32] = [
    "t": 0x09, "n": 0x0A, "r": 0x0D, "f": 0x0C, "a": 0x07, "e": 0x1B, "0": 0x00,
  ]

  /// How many digits the number of a character has at most without braces.
  private static let digits: [Character: Int] = ["x": 2, "u": 4, "U": 8]

  private mutating func number(most: Int, at start: Int) throws(PatternError) -> UInt32 {
    let isBraced = take("{")
    let digits = take(most: isBraced ? 8 : most) { $0.isHexDigit }
    guard let value = UInt32(digits, radix: 16), Unicode.Scalar(value) != nil,
      !isBraced || take("}")
    else { throw PatternError("the escape has no number of a character", at: start) }
    return value
  }

  // MARK: - Brackets

  /// Reads a set in brackets, which may hold others.
  mutating func bracket(depth: Int = 0) throws(PatternError) -> SymbolSet {
    let start = position
    position += 1
    guard depth < 20 else { throw PatternError("brackets are nested too deep", at: start) }
    var set = SymbolSet()
    set.isNegated = take("^")
    var isFirst = true
    while isFirst || !isNext("]") {
      guard !isAtEnd else { throw PatternError("there is no \"]\" for the \"[\"", at: start) }
      isFirst = false
      try addMember(to: &set, depth: depth)
    }
    position += 1
    return set
  }

  private mutating func addMember(
    to set: inout SymbolSet,
    depth: Int
  ) throws(PatternError) {
    let start = position
    if take("[:") { return set.nested.append(try classNamed(at: start)) }
    if dialect == .named {
      for operation in ["&&", "--", "~~"] where isNext(operation) {
        throw PatternError(
          "the operation \(operation) between sets is not supported,",
          at: start,
          remedy: "write \\ before it, or do without it"
        )
      }
      if isNext("[") { return set.nested.append(folded(try bracket(depth: depth + 1))) }
      if isNext("\\"), let letter = peek(1) {
        position += 1
        if let named = try namedSet(letter, at: start) { return set.nested.append(folded(named)) }
        position -= 1
      }
    }
    let first = try member()
    guard peek() == "-", position + 1 < input.count, peek(1) != "]" else {
      return set.ranges.append(first...first)
    }
    // In Swift's syntax two hyphens are an operation.
    if dialect == .named, peek(1) == "-" { return set.ranges.append(first...first) }
    position += 1
    let last = try member()
    guard first <= last else { throw PatternError("the range ends below its beginning", at: start) }
    set.ranges.append(first...last)
  }

  /// Reads one symbol of a set.
  private mutating func member() throws(PatternError) -> UInt32 {
    let start = position
    if dialect == .posix, isNext("[.") || isNext("[=") {
      guard position + 4 < input.count, input[position + 3] == input[position + 1],
        input[position + 4] == 0x5D
      else { throw PatternError("the name of a character is not known", at: start) }
      position += 5
      return input[start + 2]
    }
    position += 1
    guard dialect == .named, input[start] == 0x5C else { return input[start] }
    if take("b") { return 0x08 }
    return try escapedSymbol(at: start)
  }

  /// Reads the rest of a class such as `[:alpha:]`.
  private mutating func classNamed(at start: Int) throws(PatternError) -> SymbolSet {
    let isNegated = dialect == .named && take("^")
    let name = take { $0.isLetter }
    guard take(":]"), let members = Self.membersOfClass(name),
      dialect == .named || !members.ranges.isEmpty
    else { throw PatternError("the class [:\(name):] is not known", at: start) }
    var set = SymbolSet(isNegated: isNegated)
    if dialect == .posix || members.properties.isEmpty {
      set.ranges = members.ranges
    } else {
      set.properties = members.properties
    }
    return folded(set)
  }

  /// The ranges of a class in the C locale, and its Unicode properties where it has more members.
  private static func membersOfClass(
    _ name: String
  ) -> (ranges: [ClosedRange<UInt32>], properties: [SymbolSet.Property])? {
    switch name {
    case "alpha": return ([0x41...0x5A, 0x61...0x7A], [.category("L", true)])
    case "digit": return ([0x30...0x39], [.digit(true)])
    case "alnum":
      return ([0x30...0x39, 0x41...0x5A, 0x61...0x7A], [.category("L", true), .digit(true)])
    case "upper": return ([0x41...0x5A], [.category("Lu", true)])
    case "lower": return ([0x61...0x7A], [.category("Ll", true)])
    case "space": return (asciiSpace, [.space(true)])
    case "word": return ([], [.word(true)])
    case "blank": return ([0x09...0x09, 0x20...0x20], [])
    case "punct": return ([0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E], [])
    case "print": return ([0x20...0x7E], [])
    case "graph": return ([0x21...0x7E], [])
    case "cntrl": return ([0x00...0x1F, 0x7F...0x7F], [])
    case "xdigit": return ([0x30...0x39, 0x41...0x46, 0x61...0x66], [])
    default: return nil
    }
  }
}
