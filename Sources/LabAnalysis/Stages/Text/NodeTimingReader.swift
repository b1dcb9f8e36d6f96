/// Reads `performance.nodeTiming` of Node as JSON, on one line.
///
/// Its values are milliseconds since the start, and -1 for what was not reached.
struct NodeTimingReader: StageTextReader {
  private(set) var found: [FoundBlock] = []

  mutating func take(_ line: inout LineScanner) -> Bool {
    guard let brace = line.first(UInt8(ascii: "{")), line.containsNodeStart() else { return false }
    line.position = brace + 1
    var values: [StageTextValue] = []
    repeat {
      guard let name = line.quoted(), line.takeAfterBlanks(Ascii.colon) else { break }
      line.blanks()
      if let value = Self.value(name, &line) {
        values.append(value)
      } else if !line.skipValue() {
        break
      }
    } while line.takeAfterBlanks(Ascii.comma)
    guard values.contains(where: { $0.name == "nodeStart" }) else { return false }
    var block = StageTextBlock(format: StageTextFormat.nodeTiming, lines: line.number...line.number)
    block.stages = values
    if !line.takeAfterBlanks(UInt8(ascii: "}")) { block.flags = [StageTextFlag.truncated] }
    found.append(FoundBlock(block: block, usedLines: [line.number]))
    return true
  }

  /// A number; nil for anything else.
  private static func value(_ name: String, _ line: inout LineScanner) -> StageTextValue? {
    let start = line.position
    let isNegative = line.take(UInt8(ascii: "-"))
    guard let digits = line.decimal() else {
      line.position = start
      return nil
    }
    let exponent = line.skip { Ascii.isLetter($0) || Ascii.isDigit($0) || $0 == UInt8(ascii: "-") }
    guard !line.isAtEnd || line.isTerminated else { return nil }
    var amount = StageTextAmount((isNegative ? "-" : "") + digits, .milliseconds)
    if !exponent.isEmpty {
      let printed = line.text(start..<line.position)
      amount = StageTextAmount("0", .milliseconds)
      amount.printed = printed
      amount.places = nil
      amount.nanoseconds = Double(printed).flatMap { Int64(exactly: ($0 * 1e6).rounded()) }
    }
    if isNegative { amount.nanoseconds = nil }
    return StageTextValue(
      name: name,
      amount: amount,
      flags: isNegative ? [StageTextFlag.notReached] : [],
      line: line.number
    )
  }
}

extension LineScanner {
  fileprivate mutating func containsNodeStart() -> Bool {
    let start = position
    defer { position = start }
    return find("\"nodeStart\"")
  }

  fileprivate mutating func takeAfterBlanks(_ byte: UInt8) -> Bool {
    blanks()
    return take(byte)
  }

  /// Passes a string of JSON, and gives what is between its quotation marks.
  fileprivate mutating func quoted() -> String? {
    blanks()
    guard take(UInt8(ascii: "\"")) else { return nil }
    let start = position
    while let byte = next {
      advance(byte == UInt8(ascii: "\\") && peek(1) != nil ? 2 : 1)
      if byte == UInt8(ascii: "\"") { return text(start..<position - 1) }
    }
    return nil
  }

  /// Passes a value of JSON that is not a number.
  fileprivate mutating func skipValue() -> Bool {
    var depth = 0
    repeat {
      switch next {
      case nil: return false
      case UInt8(ascii: "\""):
        guard quoted() != nil else { return false }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        advance()
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { return true }
        advance()
        depth -= 1
      case Ascii.comma where depth == 0: return true
      default: advance()
      }
    } while depth > 0 || next != nil && next != Ascii.comma && next != UInt8(ascii: "}")
    return true
  }
}
