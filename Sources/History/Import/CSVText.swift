/// A text of comma-separated values, split into records.
///
/// Source of the format: RFC 4180. Lines may end with LF or CR LF, and a byte order mark is skipped.
/// A small reader of our own, because it has to say where in the file a field stands.
struct CSVText {
  /// Without the empty lines.
  private(set) var records: [Record] = []

  /// One line, or several where a quoted field holds line ends.
  struct Record {
    /// From 1.
    var line: Int
    var fields: [Field]
  }

  /// A field without its quotes.
  struct Field {
    var text: String
    var line: Int

    /// In characters, from 1.
    var column: Int
  }

  /// Why a text is not of the format, and where.
  struct Problem: Error {
    var text: String
    var line: Int
    var column: Int
    var remedy = "quote fields as RFC 4180 says"
  }

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var column = 1

  /// - Parameter bytes: The content of the file.
  /// - Throws: A ``Problem`` where no further field can be told.
  init(_ bytes: [UInt8]) throws(Problem) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    self.bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(3)) : bytes
    while index < self.bytes.count {
      let record = try record()
      let isBlank = record.fields.count == 1 && record.fields[0].text.isEmpty
      if !isBlank { records.append(record) }
    }
  }

  /// The encoding of text whose characters have more than one byte each, by its byte order mark or the
  /// zero bytes in its first characters; nil for any other.
  static func wideEncoding(of bytes: some Collection<UInt8>) -> String? {
    let start = Array(bytes.prefix(4))
    if [[0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF]].contains(start) { return "UTF-32" }
    if [[0xFF, 0xFE], [0xFE, 0xFF]].contains(Array(start.prefix(2))) { return "UTF-16" }
    switch start.map({ $0 == 0 }) {
    case [false, true, false, true]: return "UTF-16LE"
    case [true, false, true, false]: return "UTF-16BE"
    case [false, true, true, true]: return "UTF-32LE"
    case [true, true, true, false]: return "UTF-32BE"
    default: return nil
    }
  }

  private mutating func record() throws(Problem) -> Record {
    var record = Record(line: line, fields: [])
    while true {
      record.fields.append(try field())
      guard index < bytes.count else { return record }
      let separator = bytes[index]
      advance()
      if separator == Self.comma { continue }
      if separator == Self.carriageReturn, index < bytes.count, bytes[index] == Self.lineFeed {
        advance()
      }
      return record
    }
  }

  private mutating func field() throws(Problem) -> Field {
    let (line, column) = (line, column)
    let content = isAt(Self.quote) ? try quoted() : try plain()
    guard let text = String(validating: content, as: UTF8.self) else {
      throw Problem(
        text: "the field is not UTF-8 text",
        line: line,
        column: column,
        remedy: "save the file as UTF-8"
      )
    }
    return Field(text: text, line: line, column: column)
  }

  private mutating func plain() throws(Problem) -> [UInt8] {
    let start = index
    while index < bytes.count, !isEnd(bytes[index]) {
      guard bytes[index] != Self.quote else {
        throw Problem(
          text: "quote inside an unquoted field",
          line: line,
          column: column
        )
      }
      advance()
    }
    return Array(bytes[start..<index])
  }

  private mutating func quoted() throws(Problem) -> [UInt8] {
    let opening = (line: line, column: column)
    var content: [UInt8] = []
    advance()
    while index < bytes.count {
      let byte = bytes[index]
      advance()
      guard byte == Self.quote else {
        content.append(byte)
        continue
      }
      if isAt(Self.quote) {
        content.append(Self.quote)
        advance()
      } else if index == bytes.count || isEnd(bytes[index]) {
        return content
      } else {
        throw Problem(text: "text follows a quoted field", line: line, column: column)
      }
    }
    throw Problem(
      text: "the quoted field has no end",
      line: opening.line,
      column: opening.column
    )
  }

  private func isAt(_ byte: UInt8) -> Bool { index < bytes.count && bytes[index] == byte }

  private func isEnd(_ byte: UInt8) -> Bool {
    byte == Self.comma || byte == Self.lineFeed || byte == Self.carriageReturn
  }

  private mutating func advance() {
    let byte = bytes[index]
    index += 1
    if byte == Self.lineFeed || (byte == Self.carriageReturn && !isAt(Self.lineFeed)) {
      line += 1
      column = 1
    } else if byte & 0xC0 != 0x80 {
      // Bytes that go on a character of UTF-8 are no columns of their own.
      column += 1
    }
  }

  private static let comma = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
}
