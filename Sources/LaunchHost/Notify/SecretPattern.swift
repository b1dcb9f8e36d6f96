/// One way to write a secret, and how it is found in a text.
///
/// A secret is a sequence of units: characters, which may each be escaped in several ways, pairs of
/// hexadecimal digits, or digits of base64.
struct SecretPattern: Sendable {
  private let units: [Unit]

  /// At the end of a piece of a text fewer units than these say nothing.
  private static let fewestUnits = 3

  private enum Unit: Sendable {
    case character(Unicode.Scalar)
    case hexadecimal(UInt8)

    /// A value from 0 to 63.
    case base64(UInt8)
  }

  /// Every way to write a secret.
  static func patterns(of secret: String) -> [Self] {
    let bytes = Array(secret.utf8)
    var patterns = [Self(units: secret.unicodeScalars.map(Unit.character))]
    guard bytes.count >= 4 else { return patterns }
    patterns.append(Self(units: bytes.map(Unit.hexadecimal)))
    // Where the secret begins within three bytes decides how it looks.
    patterns += (0..<3).map { offset in Self(units: digits(of: bytes, offset: offset)) }
    return patterns
  }

  /// The base64 digits that depend on nothing but the secret, when `offset` bytes stand before it.
  private static func digits(of bytes: [UInt8], offset: Int) -> [Unit] {
    let bits = ([UInt8](repeating: 0, count: offset) + bytes).flatMap { byte in
      (0..<8).map { byte >> (7 - $0) & 1 }
    }
    let first = (offset * 8 + 5) / 6
    return (first..<bits.count / 6).map { digit in
      .base64(bits[digit * 6..<digit * 6 + 6].reduce(0) { $0 << 1 | $1 })
    }
  }

  /// The bytes that a match may begin with.
  var firstBytes: Set<UInt8> {
    guard let first = units.first else { return [] }
    return Set((0...UInt8.max).filter { byte in Self.mayBegin(first, with: byte) })
  }

  private static func mayBegin(_ unit: Unit, with byte: UInt8) -> Bool {
    switch unit {
    case .character(let scalar):
      return Array(String(scalar).utf8).first == byte || #"%=\&+"#.utf8.contains(byte)
        || scalar == "\n" && byte == UInt8(ascii: "\r")
    case .hexadecimal(let value): return hexadecimal(byte) == value >> 4
    case .base64(let value):
      return base64(byte) == value || value >= 62 && #"%=\&"#.utf8.contains(byte)
    }
  }

  // MARK: - Matching

  /// Where a match ends that begins at an index; nil when there is none.
  ///
  /// - Parameters:
  ///   - text: What is searched.
  ///   - start: The index of the first byte of the match.
  ///   - isCut: Whether the beginning of a secret at the end of the text is a match too.
  /// - Returns: The index after the last byte of the longest match.
  func end(in text: [UInt8], from start: Int, isCut: Bool) -> Int? {
    end(of: units[...], in: text, from: start, isCut: isCut)
  }

  /// Where the rest of a secret ends that a text begins with; nil when it begins with none.
  func endOfRest(in text: [UInt8]) -> Int? {
    guard units.count > Self.fewestUnits else { return nil }
    let rests = 1...(units.count - Self.fewestUnits)
    // The text may begin in the middle of an escape as well.
    return (0...min(5, max(0, text.count - 1))).lazy.compactMap { start in
      rests.lazy.compactMap { end(of: units[$0...], in: text, from: start, isCut: false) }.first
    }.first
  }

  private func end(
    of units: ArraySlice<Unit>,
    in text: [UInt8],
    from start: Int,
    isCut: Bool
  ) -> Int? {
    var places: Set<Int> = [start]
    for (count, unit) in units.enumerated() {
      var next: Set<Int> = []
      for place in places {
        let place = count == 0 ? place : Self.afterBreak(in: text, at: place, before: unit)
        next.formUnion(Self.ends(of: unit, in: text, at: place))
      }
      if next.isEmpty {
        // An escape at the very end may be cut as well.
        let isAtEnd = places.contains { $0 + Self.longestEscape > text.count }
        let isEnough = isCut && isAtEnd && count >= Self.fewestUnits
        return isEnough && places.contains { Self.isBegun(unit, in: text, at: $0) }
          ? text.count : nil
      }
      places = next
    }
    return places.max()
  }

  private static let longestEscape = 12

  /// Whether a text ends at a place, or in the middle of an escape that begins there.
  private static func isBegun(_ unit: Unit, in text: [UInt8], at place: Int) -> Bool {
    guard place < text.count else { return true }
    if case .hexadecimal = unit { return false }
    return #"%=\&"#.utf8.contains(text[place])
  }

  /// The place after a line break that an encoding puts in, if there is one.
  private static func afterBreak(in text: [UInt8], at place: Int, before unit: Unit) -> Int {
    var place = place
    switch unit {
    case .hexadecimal: return place
    case .base64: break
    case .character:
      // Quoted-printable ends such a line with a sign.
      guard place + 1 < text.count, text[place] == UInt8(ascii: "="),
        text[place + 1] == 0x0A || text[place + 1] == 0x0D
      else { return place }
      place += 1
    }
    if place < text.count, text[place] == 0x0D { place += 1 }
    if place < text.count, text[place] == 0x0A { place += 1 }
    return place
  }

  private static func ends(of unit: Unit, in text: [UInt8], at place: Int) -> Set<Int> {
    guard place < text.count else { return [] }
    switch unit {
    case .base64(let value):
      if base64(text[place]) == value { return [place + 1] }
      guard value >= 62 else { return [] }
      // Forms, URLs and JSON escape these two digits.
      return EscapedCharacter(value == 62 ? "+" : "/").ends(in: text, at: place)
    case .hexadecimal(let value):
      return number(in: text, at: place, digits: 2) == UInt32(value) ? [place + 2] : []
    case .character(let scalar):
      return EscapedCharacter(scalar).ends(in: text, at: place)
    }
  }

  // MARK: - Digits

  /// The number that so many hexadecimal digits stand for; nil when they do not stand there.
  static func number(in text: [UInt8], at place: Int, digits: Int) -> UInt32? {
    guard place + digits <= text.count else { return nil }
    return text[place..<place + digits].reduce(0 as UInt32?) { number, byte in
      guard let number, let digit = hexadecimal(byte) else { return nil }
      return number << 4 | UInt32(digit)
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
  }

  private static func base64(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

/// A character, and how it looks where it is escaped.
struct EscapedCharacter {
  private let scalar: Unicode.Scalar
  private let bytes: [UInt8]

  init(_ scalar: Unicode.Scalar) {
    self.scalar = scalar
    bytes = Array(String(scalar).utf8)
  }

  /// Where the character may end when it begins at a place.
  func ends(in text: [UInt8], at place: Int) -> Set<Int> {
    var ends: Set<Int> = [place]
    for byte in bytes {
      ends = ends.reduce(into: []) { $0.formUnion(Self.ends(of: byte, in: text, at: $1)) }
    }
    for spelling in spellings where text[place...].starts(with: spelling) {
      ends.insert(place + spelling.count)
    }
    if let end = endOfReference(in: text, at: place) { ends.insert(end) }
    if let end = endOfUnicodeEscape(in: text, at: place) { ends.insert(end) }
    return ends
  }

  /// One byte as it is, as `%2F` or `=2F`, or as `\x2f` or `\057`.
  private static func ends(of byte: UInt8, in text: [UInt8], at place: Int) -> [Int] {
    guard place < text.count else { return [] }
    var ends = text[place] == byte ? [place + 1] : []
    func isHexadecimal(at place: Int) -> Bool {
      SecretPattern.number(in: text, at: place, digits: 2) == UInt32(byte)
    }
    switch text[place] {
    case UInt8(ascii: "%"), UInt8(ascii: "="):
      if isHexadecimal(at: place + 1) { ends.append(place + 3) }
    case UInt8(ascii: "\\") where place + 1 < text.count:
      if text[place + 1] == UInt8(ascii: "x"), isHexadecimal(at: place + 2) {
        ends.append(place + 4)
      }
      let octal = String(byte, radix: 8)
      let digits = String(repeating: "0", count: 3 - octal.count) + octal
      if text[(place + 1)...].starts(with: digits.utf8) { ends.append(place + 4) }
    default: break
    }
    return ends
  }

  /// Names and other short forms, without those that have numbers.
  private var spellings: [[UInt8]] {
    let named: [Unicode.Scalar: [String]] = [
      " ": ["+"], "\n": [#"\n"#, "\r\n"], "\r": [#"\r"#], "\t": [#"\t"#],
      "\u{8}": [#"\b"#], "\u{C}": [#"\f"#], "&": ["&amp;"], "<": ["&lt;"], ">": ["&gt;"],
      "\"": ["&quot;", "\"\""], "'": ["&apos;", "''", #"'\''"#],
    ]
    let isSign =
      scalar.isASCII && scalar.value > 0x20 && scalar.value < 0x7F
      && !scalar.properties.isAlphabetic && !("0"..."9").contains(scalar)
    return ((named[scalar] ?? []) + (isSign ? [#"\\#(scalar)"#] : [])).map { Array($0.utf8) }
  }

  /// `&#47;` or `&#x2f;`, of XML and HTML.
  private func endOfReference(in text: [UInt8], at place: Int) -> Int? {
    guard text[place...].starts(with: "&#".utf8) else { return nil }
    let rest = text[(place + 2)...].prefix(9)
    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let digits = String(decoding: rest[..<end], as: UTF8.self).lowercased()
    let value =
      digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return value == scalar.value ? end + 1 : nil
  }

  /// `\u002f`, two of them for a character beyond 16 bits, `\U0000002f`, or `\u{2f}`.
  private func endOfUnicodeEscape(in text: [UInt8], at place: Int) -> Int? {
    func number(_ prefix: String, at place: Int, digits: Int) -> UInt32? {
      guard place < text.count, text[place...].starts(with: prefix.utf8) else { return nil }
      return SecretPattern.number(in: text, at: place + prefix.utf8.count, digits: digits)
    }
    if number(#"\U"#, at: place, digits: 8) == scalar.value { return place + 10 }
    let units = Array(String(scalar).utf16)
    let isUTF16 = units.indices.allSatisfy { index in
      number(#"\u"#, at: place + 6 * index, digits: 4) == UInt32(units[index])
    }
    if isUTF16 { return place + 6 * units.count }
    guard text[place...].starts(with: #"\u{"#.utf8),
      let end = text[(place + 3)...].prefix(9).firstIndex(of: UInt8(ascii: "}")),
      UInt32(String(decoding: text[place + 3..<end], as: UTF8.self), radix: 16) == scalar.value
    else { return nil }
    return end + 1
  }
}
