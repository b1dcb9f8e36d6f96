extension PatternParser {
  // MARK: - Escapes

  /// Reads what a backslash begins, outside of brackets.
  mutating func escape() throws(PatternError) -> PatternNode {
    let start = position
    position += 1
    guard !isAtEnd else { throw PatternError("nothing follows the \"\\\"", at: start) }
    guard let letter = peek() else { return literalEscape() }
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

  private mutating func literalEscape() -> PatternNode {
    position += 1
    return set(input[position - 1])
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
    position += 1
    return switch letter {
    case "w": .symbols(SymbolSet(ranges: SymbolSet.asciiWord))
    case "W": .symbols(SymbolSet(ranges: SymbolSet.asciiWord, isNegated: true))
    case "s": .symbols(SymbolSet(ranges: Self.asciiSpace))
    case "S": .symbols(SymbolSet(ranges: Self.asciiSpace, isNegated: true))
    default: set(input[position - 1])
    }
  }

  private static let asciiSpace: [ClosedRange<UInt32>] = [0x09...0x0D, 0x20...0x20]

  /// What stands between `\Q` and `\E`, as it is.
  private mutating func quotation() -> PatternNode {
    position += 1
    var parts: [PatternNode] = []
    while !isAtEnd, !take("\\E") {
      parts.append(set(input[position]))
      position += 1
    }
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
      while let letter = peek(), letter != "}" {
        name.append(letter)
        position += 1
      }
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
    guard let letter = peek() else {
      guard !isAtEnd else { throw PatternError("nothing follows the \"\\\"", at: start) }
      position += 1
      return input[position - 1]
    }
    position += 1
    switch letter {
    case "t": return 0x09
    case "n": return 0x0A
    case "r": return 0x0D
    case "f": return 0x0C
    case "a": return 0x07
    case "e": return 0x1B
    case "0": return 0x00
    case "x": return try number(most: 2, at: start)
    case "u": return try number(most: 4, at: start)
    case "U": return try number(most: 8, at: start)
    case "k", "g": throw Self.unsupported("the reference \\\(letter) to a group", at: start)
    case _ where letter.isLetter:
      throw PatternError("the escape \\\(letter) is not known", at: start)
    default: return input[position - 1]
    }
  }

  private mutating func number(most: Int, at start: Int) throws(PatternError) -> UInt32 {
    var digits = ""
    let isBraced = take("{")
    while let digit = peek(), digit.isHexDigit, digits.count < (isBraced ? 8 : most) {
      digits.append(digit)
      position += 1
    }
    guard let value = UInt32(digits, radix: 16), Unicode.Scalar(value) != nil,
      !isBraced || take("}")
    else { throw PatternError("the escape has no number of a character", at: start) }
    return value
  }

  // MARK: - Brackets

  /// Reads a set in brackets.
  mutating func bracket() throws(PatternError) -> SymbolSet {
    try bracket(depth: 0)
  }

  private mutating func bracket(depth: Int) throws(PatternError) -> SymbolSet {
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
    var name = ""
    while let letter = peek(), letter.isLetter {
      name.append(letter)
      position += 1
    }
    guard take(":]"), var set = dialect == .posix ? Self.byteClass(name) : Self.textClass(name)
    else { throw PatternError("the class [:\(name):] is not known", at: start) }
    set.isNegated = isNegated
    return folded(set)
  }

  /// The classes of the C locale.
  private static func byteClass(_ name: String) -> SymbolSet? {
    let ranges: [ClosedRange<UInt32>]
    switch name {
    case "alpha": ranges = [0x41...0x5A, 0x61...0x7A]
    case "digit": ranges = [0x30...0x39]
    case "alnum": ranges = [0x30...0x39, 0x41...0x5A, 0x61...0x7A]
    case "upper": ranges = [0x41...0x5A]
    case "lower": ranges = [0x61...0x7A]
    case "space": ranges = asciiSpace
    case "blank": ranges = [0x09...0x09, 0x20...0x20]
    case "punct": ranges = [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E]
    case "print": ranges = [0x20...0x7E]
    case "graph": ranges = [0x21...0x7E]
    case "cntrl": ranges = [0x00...0x1F, 0x7F...0x7F]
    case "xdigit": ranges = [0x30...0x39, 0x41...0x46, 0x61...0x66]
    default: return nil
    }
    return SymbolSet(ranges: ranges)
  }

  /// The same beyond ASCII.
  private static func textClass(_ name: String) -> SymbolSet? {
    switch name {
    case "alpha": SymbolSet(properties: [.category("L", true)])
    case "digit": SymbolSet(properties: [.digit(true)])
    case "alnum": SymbolSet(properties: [.category("L", true), .digit(true)])
    case "upper": SymbolSet(properties: [.category("Lu", true)])
    case "lower": SymbolSet(properties: [.category("Ll", true)])
    case "space": SymbolSet(properties: [.space(true)])
    case "word": SymbolSet(properties: [.word(true)])
    default: byteClass(name)
    }
  }
}
