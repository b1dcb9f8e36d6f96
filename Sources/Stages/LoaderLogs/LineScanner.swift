/// A place in a line from which it is read on.
struct LineScanner {
  let bytes: [UInt8]

  /// Where the line is in the bytes, without its end.
  let range: Range<Int>

  /// From 1.
  let number: Int

  /// Whether a line end follows, so that the line is not cut off.
  let isTerminated: Bool

  var position: Int

  /// Where reading stops.
  var end: Int

  /// How many bytes were looked at.
  private(set) var work = 0

  /// Whether a space that does not break was passed.
  private(set) var sawNoBreakSpace = false

  init(_ bytes: [UInt8], _ range: Range<Int>, number: Int, isTerminated: Bool) {
    self.bytes = bytes
    self.range = range
    self.number = number
    self.isTerminated = isTerminated
    position = range.lowerBound
    end = range.upperBound
  }

  /// Goes back to the beginning of the line.
  mutating func rewind() {
    position = range.lowerBound
    end = range.upperBound
    sawNoBreakSpace = false
  }

  var isAtEnd: Bool { position >= end }

  var next: UInt8? { position < end ? bytes[position] : nil }

  /// The byte some bytes further on.
  func peek(_ offset: Int) -> UInt8? {
    position + offset < end ? bytes[position + offset] : nil
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// Counts bytes that were looked at without being passed.
  mutating func charge(_ count: Int) { work += count }

  mutating func advance(_ count: Int = 1) {
    position += count
    work += count
  }

  /// Passes a byte if it comes next.
  mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    advance()
    return true
  }

  /// Passes a text if it comes next.
  mutating func take(_ text: String) -> Bool {
    var index = position
    work += 1
    for byte in text.utf8 {
      guard index < end, bytes[index] == byte else { return false }
      index += 1
      work += 1
    }
    position = index
    return true
  }

  /// Whether bytes stand at a place.
  mutating func isNext(_ literal: [UInt8], at start: Int) -> Bool {
    work += 1
    guard end - start >= literal.count else { return false }
    for index in literal.indices {
      guard bytes[start + index] == literal[index] else { return false }
      work += 1
    }
    return true
  }

  /// Passes bytes for as long as they satisfy a condition.
  @discardableResult mutating func skip(while condition: (UInt8) -> Bool) -> Range<Int> {
    let start = position
    while position < end, condition(bytes[position]) { position += 1 }
    work += position - start + 1
    return start..<position
  }

  /// Passes ASCII digits.
  mutating func digits() -> Range<Int> { skip(while: Ascii.isDigit) }

  /// Passes letters, also those beyond ASCII.
  mutating func word() -> Range<Int> { skip { Ascii.isLetter($0) || $0 >= 0x80 } }

  /// Passes a text and what is before it, if it begins a word somewhere.
  mutating func find(_ text: String) -> Bool {
    guard let first = text.utf8.first else { return false }
    let start = position
    while position < end {
      if bytes[position] == first, position == start || !Ascii.isLetter(bytes[position - 1]),
        take(text)
      {
        return true
      }
      advance()
    }
    position = start
    return false
  }

  /// Passes digits with or without a fraction; nil when there are none.
  mutating func decimal() -> String? {
    let whole = digits()
    guard !whole.isEmpty else { return nil }
    guard next == Ascii.dot, let digit = peek(1), Ascii.isDigit(digit) else { return text(whole) }
    advance()
    return text(whole.lowerBound..<digits().upperBound)
  }

  /// Passes digits that are a whole number; nil when there are none, or too many.
  mutating func integer() -> Int64? { Int64(text(digits())) }

  /// Where a byte comes last before the end; nil when it does not come.
  mutating func last(_ byte: UInt8) -> Int? {
    var index = end
    while index > position {
      index -= 1
      work += 1
      if bytes[index] == byte { return index }
    }
    return nil
  }

  /// Where a byte comes first; nil when it does not come.
  mutating func first(_ byte: UInt8) -> Int? {
    var index = position
    while index < end {
      work += 1
      if bytes[index] == byte { return index }
      index += 1
    }
    return nil
  }
}

// MARK: - Blanks

extension LineScanner {
  /// Passes blanks of all kinds.
  ///
  /// - Returns: Whether there was one.
  @discardableResult mutating func blanks() -> Bool {
    let start = position
    while position < end {
      let length = blankLength(at: position)
      guard length > 0 else { break }
      if bytes[position] == 0xC2 || bytes[position] == UInt8(ascii: "&") { sawNoBreakSpace = true }
      position += length
    }
    work += position - start + 1
    return position > start
  }

  /// Whether only dots are left, which stand for lines that were cut out.
  mutating func isEllipsis() -> Bool {
    let start = position
    defer { position = start }
    while take(Ascii.dot) || take("\u{2026}") {}
    return position >= start + 3 && isBlank()
  }

  /// Takes blanks off the end.
  mutating func trimEnd() {
    while end > position {
      work += 1
      if Self.isAsciiBlank(bytes[end - 1]) {
        end -= 1
      } else if end - position >= 2, bytes[end - 2] == 0xC2, bytes[end - 1] == 0xA0 {
        end -= 2
        sawNoBreakSpace = true
      } else if end - position >= 3, blankLength(at: end - 3) == 3 {
        end -= 3
      } else {
        return
      }
    }
  }

  /// Whether only blanks are left.
  mutating func isBlank() -> Bool {
    blanks()
    return isAtEnd
  }

  static func isAsciiBlank(_ byte: UInt8) -> Bool {
    byte == Ascii.space || byte == Ascii.tab || byte == 0x0B || byte == 0x0C
      || byte == Ascii.carriageReturn
  }

  /// How many bytes the blank at a place has; 0 for none.
  private func blankLength(at place: Int) -> Int {
    let byte = bytes[place]
    if Self.isAsciiBlank(byte) { return 1 }
    guard byte >= 0xC2 || byte == UInt8(ascii: "&") else { return 0 }
    func follows(_ offset: Int, _ value: UInt8) -> Bool {
      place + offset < end && bytes[place + offset] == value
    }
    switch byte {
    case 0xC2: return follows(1, 0xA0) ? 2 : 0
    case 0xE2:
      // U+2000 to U+200B, U+202F and U+205F.
      guard place + 2 < end else { return 0 }
      let last = bytes[place + 2]
      if bytes[place + 1] == 0x80 { return (0x80...0x8B).contains(last) || last == 0xAF ? 3 : 0 }
      return bytes[place + 1] == 0x81 && last == 0x9F ? 3 : 0
    case 0xE3: return follows(1, 0x80) && follows(2, 0x80) ? 3 : 0
    case 0xEF: return follows(1, 0xBB) && follows(2, 0xBF) ? 3 : 0
    case UInt8(ascii: "&"):
      let entity = Array("&nbsp;".utf8)
      return entity.indices.allSatisfy { follows($0, entity[$0]) } ? entity.count : 0
    default: return 0
    }
  }
}

/// The lines of a text, and the parts of lines that end with a carriage return.
struct TextLines: Sequence, IteratorProtocol {
  private let bytes: [UInt8]
  private var position = 0
  private var number = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> LineScanner? {
    guard position < bytes.count else { return nil }
    let start = position
    var end = start
    while end < bytes.count, bytes[end] != Ascii.lineFeed, bytes[end] != Ascii.carriageReturn {
      end += 1
    }
    let isTerminated = end < bytes.count
    let line = LineScanner(bytes, start..<end, number: number, isTerminated: isTerminated)
    position = end + 1
    guard isTerminated else { return line }
    if bytes[end] == Ascii.carriageReturn, position < bytes.count,
      bytes[position] == Ascii.lineFeed
    {
      position += 1
      number += 1
    } else if bytes[end] == Ascii.lineFeed {
      number += 1
    }
    return line
  }
}

/// Bytes with names.
enum Ascii {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let colon = UInt8(ascii: ":")
  static let dot = UInt8(ascii: ".")
  static let comma = UInt8(ascii: ",")
  static let percent = UInt8(ascii: "%")
  static let opening = UInt8(ascii: "(")
  static let closing = UInt8(ascii: ")")
  static let star = UInt8(ascii: "*")
  static let zero = UInt8(ascii: "0")

  static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
}
