import LabModel

/// What a scalar must look like.
enum ScalarForm: Equatable, Sendable {
  /// Any text; numbers and words such as `on` are taken as they are written.
  case text
  case name
  case word([String])
  case boolean
  case whole(ClosedRange<Int>)
  case duration
  case percentage
  case signal
  case path
  case endpoint
  case url
  case control(ControlForm)
  case trend(TrendForm)
}

/// Why a text does not have the form that is asked for.
struct FormProblem: Error {
  var problem: String
  var remedy: String
}

extension ScalarForm {
  /// What is asked for, as a phrase with an article.
  var phrase: String {
    switch self {
    case .text: "a text"
    case .name: "a name"
    case .word(let words): "one of \(words.joined(separator: ", "))"
    case .boolean: "true or false"
    case .whole(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .duration: "a duration such as 500ms or 2s"
    case .percentage: "a percentage such as 2%"
    case .signal: "a signal such as TERM"
    case .path: "a path"
    case .endpoint: "a host and a port such as 127.0.0.1:7379"
    case .url: "a URL such as http://127.0.0.1:8080/health"
    case .control(let form): form.phrase
    case .trend(let form): form.phrase
    }
  }

  /// Checks one scalar.
  ///
  /// - Throws: A problem that quotes the text.
  func check(_ text: String, isPlain: Bool) throws(FormProblem) {
    switch self {
    case .text: break
    case .name: try Self.checkName(text)
    case .word(let words):
      guard !words.contains(text) else { break }
      throw FormProblem(
        problem: "\(quoted(text)) is not \(phrase)",
        remedy: spellingRemedy(for: text, among: words)
      )
    case .boolean: try Self.checkBoolean(text, isPlain: isPlain)
    case .whole(let range): _ = try Self.whole(text, in: range, isPlain: isPlain)
    case .duration: _ = try Nanoseconds(written: text)
    case .percentage: try Self.checkPercentage(text)
    case .signal: _ = try Signal.number(of: text)
    case .path: try Self.checkPath(text)
    case .endpoint: _ = try Endpoint(written: text)
    case .url: _ = try WebAddress(written: text)
    case .control(let form): try form.check(text)
    case .trend(let form): try form.check(text)
    }
  }

  /// Reads a whole number in the one notation that no YAML version reads differently.
  static func whole(
    _ text: String,
    in range: ClosedRange<Int>,
    isPlain: Bool = true
  ) throws(FormProblem) -> Int {
    let phrase = Self.whole(range).phrase
    let digits = text.hasPrefix("-") && range.lowerBound < 0 ? text.dropFirst() : text[...]
    let isDecimal = digits.utf8.allSatisfy { (0x30...0x39).contains($0) } && !digits.isEmpty
    guard isDecimal, text == "0" || !digits.hasPrefix("0") else {
      let example = min(max(range.lowerBound, 20), range.upperBound)
      throw FormProblem(
        problem: "\(quoted(text)) is not \(phrase)",
        remedy: "write decimal digits only, such as \(example)"
      )
    }
    guard let number = Int(text), range.contains(number) else {
      throw FormProblem(
        problem: "\(quoted(text)) is not \(phrase)",
        remedy: "choose a number from \(range.lowerBound) to \(range.upperBound)"
      )
    }
    guard isPlain else {
      throw FormProblem(
        problem: "\(quoted(text)) is a text, not a number",
        remedy: "write \(number) without quotes"
      )
    }
    return number
  }

  private static func checkName(_ text: String) throws(FormProblem) {
    let isName = text.utf8.allSatisfy { byte in
      let character = Character(Unicode.Scalar(byte))
      return (character.isASCII && (character.isLetter || character.isNumber))
        || "._-".contains(character)
    }
    guard !isName || text.isEmpty || text.allSatisfy({ $0 == "." }) || text.utf8.count > 100
    else { return }
    throw FormProblem(
      problem: "\(quoted(text)) is not a name",
      remedy: "use at most 100 of the characters A-Z, a-z, 0-9, `.`, `_` and `-`"
    )
  }

  private static func checkBoolean(_ text: String, isPlain: Bool) throws(FormProblem) {
    if isPlain, text == "true" || text == "false" { return }
    let isTrue = ["true", "yes", "on", "y", "1"].contains(text.lowercased())
    let isFalse = ["false", "no", "off", "n", "0"].contains(text.lowercased())
    throw FormProblem(
      problem: "\(quoted(text)) is not true or false",
      remedy: isTrue ? "write true" : isFalse ? "write false" : "write true or false"
    )
  }

  private static func checkPercentage(_ text: String) throws(FormProblem) {
    if text.last == "%", let decimal = ExactDecimal(written: text.dropLast()), decimal.whole <= 100
    {
      return
    }
    throw FormProblem(
      problem: "\(quoted(text)) is not a percentage",
      remedy: "write a number up to 100 and the sign, such as 2%"
    )
  }

  private static func checkPath(_ text: String) throws(FormProblem) {
    guard !text.isEmpty else {
      throw FormProblem(problem: "the path is empty", remedy: "write a path, or remove the key")
    }
    guard !text.hasPrefix("~") else {
      throw FormProblem(
        problem: "the path \(quoted(text)) begins with a tilde, which is not expanded",
        remedy: "write the directory out, such as /home/me/data"
      )
    }
    guard text.utf8.count < 4096 else {
      throw FormProblem(
        problem: "the path \(quoted(text)) is too long",
        remedy: "use fewer than 4096 bytes"
      )
    }
  }
}

/// A non-negative decimal number, exact to nine places.
struct ExactDecimal {
  var whole: Int64
  var billionths: Int64

  /// Reads digits with at most one point, such as `1.5`; nil for anything else.
  init?(written text: some StringProtocol) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : "0"
    let digits = parts.joined().utf8
    guard let first = parts.first, !first.isEmpty, !fraction.isEmpty, fraction.count <= 9,
      digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let whole = Int64(first), let part = Int64(fraction)
    else { return nil }
    self.whole = whole
    billionths = (fraction.count..<9).reduce(part) { scaled, _ in scaled * 10 }
  }
}

extension Nanoseconds {
  private static let units: [(suffix: String, size: Int64)] = [
    ("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000),
    ("min", 60_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
  ]

  /// The longest duration that a scenario may ask for.
  static let longest = Nanoseconds.seconds(24 * 3600)

  /// Reads a duration such as `250us`, `500ms`, `1.5s` or `1m`, of at most a day.
  init(written text: String) throws(FormProblem) {
    if ExactDecimal(written: text) != nil {
      throw FormProblem(
        problem: "\(quoted(text)) is a duration without a unit",
        remedy: "write the unit, such as \(text)s or \(text)ms"
      )
    }
    guard let unit = Self.units.first(where: { Self.number(text, before: $0.suffix) != nil }),
      let number = Self.number(text, before: unit.suffix)
    else {
      throw FormProblem(
        problem: "\(quoted(text)) is not a duration",
        remedy: "write a number and one of the units us, ms, s, m, h, such as 500ms"
      )
    }
    guard number.whole <= Self.longest.count / unit.size else {
      throw FormProblem(
        problem: "the duration \(quoted(text)) is longer than a day",
        remedy: "use at most 24h"
      )
    }
    // The unit divides by 1000 or is below it, so the product of the fraction cannot overflow.
    let fraction = number.billionths * (unit.size / 1_000) / 1_000_000
    let rest = number.billionths * (unit.size % 1_000) / 1_000_000_000
    self.init(number.whole * unit.size + fraction + rest)
  }

  private static func number(_ text: String, before suffix: String) -> ExactDecimal? {
    text.hasSuffix(suffix) ? ExactDecimal(written: text.dropLast(suffix.count)) : nil
  }
}

/// The signals that can be named in a scenario.
enum Signal {
  /// Those that end a program by default, with their numbers on Linux.
  private static let numbers: KeyValuePairs<String, Int32> = [
    "HUP": 1, "INT": 2, "QUIT": 3, "ABRT": 6, "KILL": 9, "USR1": 10, "USR2": 12, "PIPE": 13,
    "ALRM": 14, "TERM": 15, "WINCH": 28, "PWR": 30,
  ]

  static let names = numbers.map(\.key)

  /// Reads a name with or without `SIG`, or a number.
  static func number(of text: String) throws(FormProblem) -> Int32 {
    let name = text.hasPrefix("SIG") ? String(text.dropFirst(3)) : text
    if let number = numbers.first(where: { $0.key == name })?.value { return number }
    if let number = Int32(text), (1...64).contains(number), !(18...22).contains(number) {
      return number
    }
    throw FormProblem(
      problem: "\(quoted(text)) is not a signal that ends a program",
      remedy: spellingRemedy(for: name, among: names)
    )
  }
}
