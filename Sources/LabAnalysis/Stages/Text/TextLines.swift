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
