/// Reads a regular expression, in the syntax of Swift's `Regex` or in that of POSIX with the
/// extensions of glibc.
struct PatternParser {
  enum Dialect {
    /// Of Unicode scalars, with named groups.
    case named

    /// Of bytes, in the C locale.
    case posix
  }

  let input: [UInt32]
  let dialect: Dialect

  var position = 0

  /// The named groups so far.
  private(set) var groups: [String] = []

  var ignoresCase = false
  private var dotIsAll = false
  private var depth = 0

  private static let deepest = 100

  /// The highest count in braces.
  private static let highestCount = 1_000

  init(_ input: [UInt32], dialect: Dialect) {
    self.input = input
    self.dialect = dialect
  }

  mutating func parse() throws(PatternError) -> PatternNode {
    let node = try choice()
    guard position == input.count else {
      throw PatternError("there is no \"(\" for the \")\"", at: position)
    }
    return node
  }

  // MARK: - Symbols

  var isAtEnd: Bool { position >= input.count }

  func isNext(_ text: String) -> Bool {
    input[position...].starts(with: text.utf8.map(UInt32.init))
  }

  mutating func take(_ text: String) -> Bool {
    guard isNext(text) else { return false }
    position += text.utf8.count
    return true
  }

  /// Takes the next symbol, which must exist.
  mutating func take() -> UInt32 {
    position += 1
    return input[position - 1]
  }

  /// Takes ASCII characters while they fit, at most so many.
  mutating func take(most: Int = .max, while fits: (Character) -> Bool) -> String {
    var text = ""
    while text.utf8.count < most, let letter = peek(), fits(letter) {
      text.append(letter)
      position += 1
    }
    return text
  }

  /// The next symbol as ASCII; nil for others and at the end.
  func peek(_ offset: Int = 0) -> Character? {
    let index = position + offset
    guard index < input.count, input[index] < 128 else { return nil }
    return Unicode.Scalar(input[index]).map(Character.init)
  }

  func set(_ symbol: UInt32) -> PatternNode { .symbols(folded(.only(symbol))) }

  /// The set as the flag `i` has it.
  func folded(_ set: SymbolSet) -> SymbolSet {
    var set = set
    set.ignoresCase = ignoresCase
    return set
  }

  // MARK: - Structure

  private mutating func choice() throws(PatternError) -> PatternNode {
    var parts = [try sequence()]
    while take("|") { parts.append(try sequence()) }
    return parts.count == 1 ? parts[0] : .choice(parts)
  }

  private mutating func sequence() throws(PatternError) -> PatternNode {
    var parts: [PatternNode] = []
    while !isAtEnd, !isNext("|") {
      // POSIX takes what closes nothing for itself.
      if isNext(")"), depth > 0 || dialect == .named { break }
      parts.append(try repeated(try atom()))
    }
    return parts.count == 1 ? parts[0] : parts.isEmpty ? .empty : .sequence(parts)
  }

  private mutating func atom() throws(PatternError) -> PatternNode {
    let start = position
    switch peek() {
    case "(": return try group()
    case "[": return .symbols(folded(try bracket()))
    case "\\": return try escape()
    case "^":
      position += 1
      return .assertion(.start)
    case "$":
      position += 1
      return .assertion(.end)
    case ".":
      position += 1
      if dialect == .posix { return .symbols(SymbolSet(ranges: [0...0], isNegated: true)) }
      return .symbols(dotIsAll ? .everything : .notNewline)
    case "*", "+", "?":
      throw PatternError("there is nothing to repeat", at: start, remedy: "write \\ before it")
    case "{":
      let isCount = try counts() != nil
      guard dialect == .named, !isCount else {
        throw PatternError("there is nothing to repeat", at: start, remedy: "write \\ before it")
      }
      return literal()
    default: return literal()
    }
  }

  private mutating func literal() -> PatternNode {
    let first = position
    let symbol = take()
    guard dialect == .posix, symbol >= 0xC0 else { return set(symbol) }
    // The bytes of one character are repeated together.
    while !isAtEnd, input[position] & 0xC0 == 0x80 { position += 1 }
    return .sequence(input[first..<position].map { set($0) })
  }

  // MARK: - Groups

  private mutating func group() throws(PatternError) -> PatternNode {
    let start = position
    position += 1
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else {
      throw PatternError("groups are nested more than \(Self.deepest) deep", at: start)
    }
    let flags = (ignoresCase, dotIsAll)
    var number: Int?
    if dialect == .named, take("?") {
      if take("#") {
        while !isAtEnd, !isNext(")") { position += 1 }
        try close(start)
        return .empty
      }
      if let name = try groupName(start) {
        guard !groups.contains(name) else {
          throw PatternError("there are two groups named \"\(name)\"", at: start)
        }
        number = groups.count
        groups.append(name)
      } else if try takeFlags(start) {
        return .empty
      }
    }
    let inner = try choice()
    try close(start)
    (ignoresCase, dotIsAll) = flags
    return number.map { .group($0, inner) } ?? inner
  }

  private mutating func close(_ start: Int) throws(PatternError) {
    guard take(")") else {
      throw PatternError("there is no \")\" for the \"(\"", at: start)
    }
  }

  /// Reads the name of a group, with the brackets around it; nil when it has none.
  private mutating func groupName(_ start: Int) throws(PatternError) -> String? {
    if isNext("=") || isNext("!") || isNext("<=") || isNext("<!") {
      throw Self.unsupported("lookaround, such as (?=…),", at: start)
    }
    if isNext(">") { throw Self.unsupported("an atomic group (?>…)", at: start) }
    guard take("<") || take("P<") || take("'") else { return nil }
    let name = take { $0.isLetter || $0.isNumber || $0 == "_" }
    guard let initial = name.first, !initial.isNumber, take(">") || take("'") else {
      throw PatternError("the name of the group is not of letters, digits and _", at: start)
    }
    return name
  }

  /// Reads flags and what ends them.
  ///
  /// - Returns: Whether they hold from here on, rather than for a group that begins.
  private mutating func takeFlags(_ start: Int) throws(PatternError) -> Bool {
    var isOn = true
    while !isAtEnd {
      switch peek() {
      case ":":
        position += 1
        return false
      case ")":
        position += 1
        return true
      case "-": isOn = false
      case "i": ignoresCase = isOn
      case "s": dotIsAll = isOn
      default:
        throw PatternError(
          "this kind of group is not supported",
          at: start,
          remedy: "write it as (?:…) or (?<name>…)"
        )
      }
      position += 1
    }
    throw PatternError("there is no \")\" for the \"(\"", at: start)
  }

  static func unsupported(_ what: String, at place: Int) -> PatternError {
    PatternError(
      "\(what) cannot be matched in linear time, and is not supported,",
      at: place,
      remedy: "do without it; what is supported is in docs/stages.md, \"Patterns\""
    )
  }

  // MARK: - Repetitions

  /// Reads what follows an atom that says how often it comes.
  private mutating func repeated(_ atom: PatternNode) throws(PatternError) -> PatternNode {
    var node = atom
    var count = 0
    while let (least, most) = try quantifier() {
      count += 1
      guard count <= Self.deepest else {
        throw PatternError("an atom is repeated more than \(Self.deepest) times over", at: position)
      }
      if case .assertion = node {
        throw PatternError("there is nothing to repeat", at: position - 1)
      }
      if dialect == .named, isNext("+") {
        throw Self.unsupported("a possessive quantifier, such as a*+,", at: position)
      }
      let isLazy = dialect == .named && take("?")
      node = .repetition(node, least: least, most: most, isLazy: isLazy)
      if dialect == .named { break }
    }
    return node
  }

  private mutating func quantifier() throws(PatternError) -> (Int, Int?)? {
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    guard isNext("{") else { return nil }
    if let (least, most, end) = try counts() {
      position = end
      return (least, most)
    }
    guard dialect == .posix else { return nil }
    throw PatternError("the braces hold no count such as {2} or {2,5}", at: position)
  }

  /// Reads a count in braces without passing it; nil when it is none.
  private func counts() throws(PatternError) -> (least: Int, most: Int?, end: Int)? {
    guard let close = input[position...].firstIndex(of: 0x7D) else { return nil }
    let text = String(
      String.UnicodeScalarView(input[position + 1..<close].compactMap(Unicode.Scalar.init))
    )
    let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    guard text != "", text != ",",
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    let numbers = parts.map { $0.isEmpty ? nil : Int($0) ?? Int.max }
    let least = numbers[0] ?? 0
    let most = numbers.count == 1 ? least : numbers[1]
    guard max(least, most ?? 0) <= Self.highestCount else {
      throw PatternError(
        "the count {\(text)} is above \(Self.highestCount)",
        at: position,
        remedy: "lower it, or use * and +"
      )
    }
    guard least <= most ?? least else {
      throw PatternError("the count {\(text)} ends below its beginning", at: position)
    }
    return (least, most, close + 1)
  }
}
