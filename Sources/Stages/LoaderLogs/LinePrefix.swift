/// What stands before the words of a loader in a line: quotation marks, and what a log adds.
struct LinePrefix: Equatable {
  /// Whether the line is marked as a quotation or a comment.
  var isQuoted = false

  /// Whether the line begins with markup.
  var hasMarkup = false

  /// What a log adds to the line; nil when nothing does.
  var log: Log?

  /// What a log adds before a message.
  struct Log: Equatable {
    /// How many words it has.
    var words: Int

    /// Its bytes with one zero for every number, so that those of two lines can be compared.
    var shape: [UInt8]

    /// The word that tells the process, up to the process number; empty when there is none.
    var process: [UInt8]

    /// The number of the process, where it can be told.
    var pid: Int64?
  }

  /// The longest text of a log that is taken for one, in bytes.
  private static let limit = 256

  /// Reads what stands before a place, passing quotation marks first.
  ///
  /// - Returns: Nil when it is too long for what a log adds.
  static func read(_ line: inout LineScanner, upTo place: Int) -> LinePrefix? {
    let end = line.end
    line.position = line.range.lowerBound
    line.end = place
    defer { line.end = end }
    var prefix = marks(in: &line)
    line.trimEnd()
    guard !line.isAtEnd else { return prefix }
    guard line.end - line.position <= limit else { return nil }
    prefix.log = log(in: &line, words: .max)
    return prefix
  }

  /// Passes quotation marks, markup and blanks.
  static func marks(in line: inout LineScanner) -> LinePrefix {
    var prefix = LinePrefix()
    while true {
      line.blanks()
      guard let byte = line.next else { return prefix }
      switch byte {
      case UInt8(ascii: ">"), UInt8(ascii: "#"), UInt8(ascii: ";"):
        line.advance()
        prefix.isQuoted = true
      case UInt8(ascii: "/") where line.peek(1) == byte:
        line.skip { $0 == byte }
        prefix.isQuoted = true
      case Ascii.star where line.peek(1) != byte:
        line.advance()
        prefix.isQuoted = true
      case UInt8(ascii: "-") where line.peek(1) == Ascii.space:
        line.advance()
        prefix.isQuoted = true
      case Ascii.star, UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "\""):
        line.skip { $0 == byte }
        prefix.hasMarkup = true
      case UInt8(ascii: "<"):
        guard line.takeTag() else { return prefix }
        prefix.hasMarkup = true
      default: return prefix
      }
    }
  }

  /// Reads words of a log.
  ///
  /// - Parameters:
  ///   - line: Read on behind the words and the blanks after them.
  ///   - words: How many there are at most.
  /// - Returns: The words, fewer than asked for where the line ends before.
  static func log(in line: inout LineScanner, words: Int) -> Log {
    var log = Log(words: 0, shape: [], process: [], pid: nil)
    while log.words < words, !line.isAtEnd {
      let start = line.position
      let word = line.skip { !LineScanner.isAsciiBlank($0) }
      if word.isEmpty {
        line.advance()
      } else {
        log.words += 1
        appendShape(of: line.bytes[word], to: &log.shape)
        if let process = process(in: line.bytes[word]) { (log.process, log.pid) = process }
      }
      line.blanks()
      if line.position == start { break }
    }
    return log
  }

  private static func appendShape(of word: ArraySlice<UInt8>, to shape: inout [UInt8]) {
    var wasDigit = false
    for byte in word {
      let isDigit = Ascii.isDigit(byte)
      if !isDigit || !wasDigit { shape.append(isDigit ? Ascii.zero : byte) }
      wasDigit = isDigit
    }
    shape.append(Ascii.space)
  }

  /// The process of a word such as `Demo[512:9001]`.
  private static func process(in word: ArraySlice<UInt8>) -> ([UInt8], Int64?)? {
    guard let bracket = word.lastIndex(of: UInt8(ascii: "[")) else { return nil }
    let digits = word[word.index(after: bracket)...].prefix(while: Ascii.isDigit)
    guard !digits.isEmpty, let pid = Int64(String(decoding: digits, as: UTF8.self)) else {
      return nil
    }
    return (Array(word[word.startIndex..<digits.endIndex]), pid)
  }
}

extension LineScanner {
  /// Passes a tag of a markup language, of at most 64 bytes.
  mutating func takeTag() -> Bool {
    guard next == UInt8(ascii: "<"),
      let second = peek(1), Ascii.isLetter(second) || second == UInt8(ascii: "/")
    else { return false }
    var length = 2
    while length < 64, let byte = peek(length) {
      charge(1)
      length += 1
      if byte == UInt8(ascii: ">") {
        advance(length)
        return true
      }
      if byte == UInt8(ascii: "<") { return false }
    }
    return false
  }
}
