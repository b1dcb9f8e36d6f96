/// Reads `performance.nodeTiming` of Node as JSON, on one line.
///
/// Its marks are milliseconds since the process began, and -1 for what was not reached; what lies
/// between two of them is how long the launch took for it. `duration` is when it was printed.
struct NodeTimingReader: StageTextReader {
  private(set) var found: [FoundBlock] = []

  /// The instants; what else is a number is a time that passed.
  private static let marks: Set = [
    "nodeStart", "v8Start", "environment", "bootstrapComplete", "loopStart", "loopExit",
  ]

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
    block.total = values.first { $0.name == "duration" }
    block.stages = Self.stages(values)
    if !line.takeAfterBlanks(UInt8(ascii: "}")) { block.flags = [StageTextFlag.truncated] }
    found.append(FoundBlock(block: block, usedLines: [line.number]))
    return true
  }

  /// The marks by their instants, each with the time since the one before, and what else passed.
  private static func stages(_ values: [StageTextValue]) -> [StageTextValue] {
    var marks = values.filter { Self.marks.contains($0.name) }
    for index in marks.indices {
      marks[index].instant = marks[index].amount
      marks[index].amount = nil
    }
    var reached = marks.filter { $0.instant?.nanoseconds != nil }
    reached.sort { ($0.instant?.nanoseconds ?? 0) < ($1.instant?.nanoseconds ?? 0) }
    var last: Int64 = 0
    for index in reached.indices {
      let instant = reached[index].instant?.nanoseconds ?? last
      reached[index].amount = .milliseconds(nanoseconds: instant - last)
      last = instant
    }
    let others = values.filter {
      !Self.marks.contains($0.name) && !["startTime", "duration"].contains($0.name)
    }
    return reached + marks.filter { $0.instant?.nanoseconds == nil } + others
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

extension StageTextAmount {
  /// A time of whole nanoseconds, as printed in milliseconds.
  static func milliseconds(nanoseconds: Int64) -> Self {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return Self("\(whole)." + "\(1_000_000 + rest)".dropFirst(), .milliseconds)
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
