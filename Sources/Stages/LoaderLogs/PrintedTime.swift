/// A time with its unit and percentage, as loaders print them after a colon.
struct PrintedTime {
  /// Digits with `.` as the decimal point, without grouping; empty where none are printed.
  var number = ""

  /// Nil for the unit of a loader that counts cycles.
  var unit = LoaderLogAmount.Unit.cycles

  /// Digits with one before the point; nil where the line has none.
  var percent: String?

  /// Whether there is a percentage without digits.
  var isPercentEmpty = false

  /// Whether the number is grouped in thousands.
  var isGrouped = false

  /// Whether a full-width dot is its decimal point.
  var hasWideDot = false

  /// Whether the unit is spelled as loaders spell it.
  var isUnitStandard = false

  /// Whether the unit is `clock cycles`.
  var isClockCycles = false

  /// Whether bytes that belong to nothing follow the number.
  var hasStrayBytes = false

  /// Whether markup follows.
  var hasMarkup = false

  /// Whether other words follow.
  var hasNote = false

  /// Reads a time such as `430.43 milliseconds (100.0%)`; nil when there is none.
  static func read(_ line: inout LineScanner) -> PrintedTime? {
    var time = PrintedTime()
    time.hasMarkup = line.emphasis()
    guard time.readNumber(&line), !time.number.isEmpty else { return nil }
    line.blanks()
    guard time.readUnit(&line) else { return nil }
    time.readPercent(&line)
    time.readTail(&line)
    return time
  }

  /// Reads a number of cycles such as `1828577 clock cycles (44.2%)`; nil when there is none.
  static func readCycles(_ line: inout LineScanner) -> PrintedTime? {
    var time = PrintedTime()
    line.blanks()
    guard time.readNumber(&line), !time.number.contains(".") else { return nil }
    if !time.number.isEmpty {
      time.hasStrayBytes = !line.skip { $0 != Ascii.space && $0 != Ascii.tab }.isEmpty
    }
    line.blanks()
    time.isClockCycles = line.take("clock")
    if time.isClockCycles { line.blanks() }
    let word = line.word()
    guard line.text(word) == "cycles" else { return nil }
    time.isUnitStandard = true
    time.readPercent(&line)
    time.readTail(&line)
    return time
  }

  // MARK: - Parts

  /// Reads digits, which may be grouped by commas, and a fraction.
  private mutating func readNumber(_ line: inout LineScanner) -> Bool {
    number = line.text(line.digits())
    while line.next == Ascii.comma, let next = line.peek(1), Ascii.isDigit(next) {
      line.advance()
      let group = line.digits()
      guard group.count == 3, !number.isEmpty else { return false }
      number += line.text(group)
      isGrouped = true
    }
    guard let next = line.next, !number.isEmpty, let length = Self.dotLength(next, &line),
      let digit = line.peek(length), Ascii.isDigit(digit)
    else { return true }
    hasWideDot = length > 1
    line.advance(length)
    number += "." + line.text(line.digits())
    return true
  }

  /// How many bytes the dot has that comes next; nil for no dot.
  private static func dotLength(_ byte: UInt8, _ line: inout LineScanner) -> Int? {
    if byte == Ascii.dot { return 1 }
    // U+FF0E, U+3002 and U+FF61.
    let dots: [[UInt8]] = [[0xEF, 0xBC, 0x8E], [0xE3, 0x80, 0x82], [0xEF, 0xBD, 0xA1]]
    guard byte >= 0xE3 else { return nil }
    return dots.first { line.isNext($0, at: line.position) }?.count
  }

  private static let standardUnits = ["milliseconds", "seconds"]

  private mutating func readUnit(_ line: inout LineScanner) -> Bool {
    let word = line.word()
    guard word.count <= 16 else { return false }
    let name = line.text(word)
    let isCut = line.isAtEnd && !line.isTerminated
    switch name {
    case _ where isCut && Self.standardUnits.contains { $0 != name && $0.hasPrefix(name) }:
      return false
    case "milliseconds": (unit, isUnitStandard) = (.milliseconds, true)
    case "seconds": (unit, isUnitStandard) = (.seconds, true)
    case "ms", "msec", "msecs", "millis", "millisecond": unit = .milliseconds
    case "s", "sec", "secs", "second": unit = .seconds
    case "us", "µs", "μs", "usec", "usecs", "microsecond", "microseconds": unit = .microseconds
    case "ns", "nsec", "nsecs", "nanosecond", "nanoseconds": unit = .nanoseconds
    default: return false
    }
    return true
  }

  private mutating func readPercent(_ line: inout LineScanner) {
    let start = line.position
    line.blanks()
    guard line.take(Ascii.opening) || line.take("\u{FF08}") else {
      line.position = start
      return
    }
    line.blanks()
    let whole = line.text(line.digits())
    var text = whole.isEmpty ? "0" : whole
    if let next = line.next, let length = Self.dotLength(next, &line),
      let digit = line.peek(length), Ascii.isDigit(digit)
    {
      if length > 1 { hasWideDot = true }
      line.advance(length)
      text += "." + line.text(line.digits())
    } else if whole.isEmpty {
      isPercentEmpty = true
    }
    line.blanks()
    // The first versions of glibc print no percent sign.
    let isUnsigned = unit == .cycles && !whole.isEmpty && line.next == Ascii.closing
    guard isUnsigned || line.take(Ascii.percent) || line.take("\u{FF05}") else {
      // A percentage that is cut off says nothing; anything else is a note.
      isPercentEmpty = false
      if !line.isBlank() { line.position = start }
      return
    }
    line.blanks()
    if !line.take(Ascii.closing) { _ = line.take("\u{FF09}") }
    percent = isPercentEmpty ? nil : text
  }

  private static let endMarks = Array("*`\"'|,;\\_".utf8)

  /// Passes what may follow: blanks, the end of markup, or something else.
  private mutating func readTail(_ line: inout LineScanner) {
    while !line.isBlank() {
      guard let byte = line.next else { return }
      if Self.endMarks.contains(byte) {
        line.advance()
      } else if !line.takeTag() {
        hasNote = true
        return
      }
      hasMarkup = true
    }
  }
}

// MARK: - Judgement

extension PrintedTime {
  /// Whether dyld prints a time like this.
  ///
  /// It prints milliseconds below 1000 with two decimals, with one before version 132, and from
  /// 1 second on seconds with one. Source: `printTime` in src/ImageLoader.cpp.
  var isDyldForm: Bool {
    guard isUnitStandard, !isGrouped, !hasNote, !isPercentEmpty else { return false }
    let decimals = ExactDecimal.fractionDigits(of: number)
    let hasForm =
      switch unit {
      case .milliseconds: (1...2).contains(decimals) && number.utf8.count - decimals <= 4
      case .seconds: decimals == 1 && !number.hasPrefix("0")
      default: false
      }
    return hasForm && (percent.map { ExactDecimal.fractionDigits(of: $0) == 1 } ?? true)
  }

  /// Whether glibc prints a number of cycles like this.
  var isGlibcForm: Bool { !isGrouped && !hasNote }

  /// Whether an unsigned difference went below zero: no launch takes three years.
  ///
  /// Source: `printTime` casts to 32 bits, so that it prints 411015771.6 seconds for a counter of
  /// 24 MHz, and 126687488.9 seconds for one of 1 GHz.
  var isWrapped: Bool {
    let whole = number.split(separator: ".").first ?? ""
    let digits = whole.utf8.drop { $0 == Ascii.zero }.count
    return unit == .seconds && digits >= 9
  }
}
