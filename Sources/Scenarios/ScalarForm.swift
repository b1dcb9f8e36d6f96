import LaunchCore

/// Why a text does not have the form that is asked for.
struct FormProblem: Error {
  var problem: String
  var remedy: String
}

/// The patterns of the JSON Schema that several forms have.
extension SchemaValue {
  static let name = "^(?!\\.+$)[A-Za-z0-9._-]{1,100}$"
  static let number = "[0-9]+(\\.[0-9]{1,9})?"

  static func string(_ pattern: String) -> Self { ["type": "string", "pattern": .text(pattern)] }
}

extension StringProtocol {
  /// Whether it consists of ASCII letters, ASCII digits and these marks.
  func isMade(of marks: String) -> Bool {
    utf8.allSatisfy { byte in
      let character = Character(Unicode.Scalar(byte))
      return (character.isASCII && (character.isLetter || character.isNumber))
        || marks.contains(character)
    }
  }
}

extension Form<String> {
  /// Any text; numbers and words such as `on` are taken as they are written.
  static var text: Self {
    scalar("a text", ["type": ["string", "number", "boolean"]]) { text in text }
  }

  static var name: Self {
    scalar(
      "a name",
      ["type": ["string", "number", "boolean"], "pattern": .text(SchemaValue.name)],
      else: "{} is not a name",
      remedy: "use at most 100 of the characters A-Z, a-z, 0-9, `.`, `_` and `-`"
    ) { text in
      let isName = text.isMade(of: "._-") && text.contains { $0 != "." } && text.utf8.count <= 100
      return isName ? text : nil
    }
  }

  static func words(_ words: [String]) -> Self {
    let phrase = "one of \(words.joined(separator: ", "))"
    return scalar(phrase, ["enum": .list(words.map { .text($0) })]) { text throws(FormProblem) in
      guard words.contains(text) else {
        throw FormProblem(
          problem: "invalid value \(quoted(text))",
          remedy: spellingRemedy(for: text, among: words)
        )
      }
      return text
    }
  }

  /// A path as it is written.
  static var path: Self {
    scalar("a path", .string("^[^~]")) { text throws(FormProblem) in
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
      return text
    }
  }
}

extension Form where Output: RawRepresentable<String> & SendableMetatype {
  /// One of the words that the cases stand for.
  static func anyOf(_ cases: [Output]) -> Self {
    Form<String>.words(cases.map(\.rawValue)).map { Output(rawValue: $0) }
  }
}

extension Form where Output: RawRepresentable<String> & CaseIterable & SendableMetatype {
  static var word: Self { anyOf(Array(Output.allCases)) }
}

extension Form<Metric> {
  /// One that nights are judged by.
  static var judged: Self { anyOf(Metric.ofNights) }
}

extension Form<Bool> {
  static var boolean: Self {
    either("true", "false", ["type": "boolean"]) { text, isPlain in
      isPlain && ["true", "false"].contains(text)
    }
  }

  /// `on` or `off`, which may be written as the booleans too.
  static var toggle: Self {
    either("on", "off", ["enum": [true, false, "on", "off"]]) { text, _ in
      ["on", "true", "off", "false"].contains(text)
    }
  }

  /// One of two words; for others that mean the same, the remedy names the word to write.
  private static func either(
    _ yes: String,
    _ no: String,
    _ schema: SchemaValue,
    isTaken: @escaping @Sendable (String, Bool) -> Bool
  ) -> Self {
    scalar("\(yes) or \(no)", schema) { text, isPlain throws(FormProblem) in
      let isTrue = ["true", "yes", "on", "y", "1"].contains(text.lowercased())
      let isFalse = ["false", "no", "off", "n", "0"].contains(text.lowercased())
      if isTaken(text, isPlain) { return isTrue }
      throw FormProblem(
        problem: "\(quoted(text)) is not \(yes) or \(no)",
        remedy: "write \(isTrue ? yes : isFalse ? no : "\(yes) or \(no)")"
      )
    }
  }
}

extension Form<Int> {
  static func whole(_ range: ClosedRange<Int>) -> Self {
    let schema: SchemaValue = [
      "type": "integer", "minimum": .number(range.lowerBound),
      "maximum": .number(range.upperBound),
    ]
    return scalar(Int.phrase(for: range), schema) { text, isPlain throws(FormProblem) in
      try Int(written: text, in: range, isPlain: isPlain)
    }
  }
}

extension Int {
  fileprivate static func phrase(for range: ClosedRange<Int>) -> String {
    "a whole number from \(range.lowerBound) to \(range.upperBound)"
  }

  /// Reads a whole number in the one notation that no YAML version reads differently.
  init(written text: String, in range: ClosedRange<Int>, isPlain: Bool = true) throws(FormProblem) {
    let phrase = Self.phrase(for: range)
    let digits = text.hasPrefix("-") && range.lowerBound < 0 ? text.dropFirst() : text[...]
    guard Endpoint.isDigits(digits), text == "0" || !digits.hasPrefix("0") else {
      let example = Swift.min(Swift.max(range.lowerBound, 20), range.upperBound)
      throw FormProblem(
        problem: "\(quoted(text)) is not \(phrase)",
        remedy: "write decimal digits only, such as \(example)"
      )
    }
    guard let number = Int(text), range.contains(number) else {
      throw FormProblem(
        problem: "\(quoted(text)) is not \(phrase)",
        remedy: "choose a number in that range"
      )
    }
    guard isPlain else {
      throw FormProblem(
        problem: "\(quoted(text)) is a text, not a number",
        remedy: "write \(number) without quotes"
      )
    }
    self = number
  }
}

extension Form<Nanoseconds> {
  static var duration: Self {
    scalar(
      "a duration such as 500ms or 2s",
      .string("^\(SchemaValue.number)(ns|us|µs|ms|s|min|m|h)$")
    ) { text throws(FormProblem) in try Nanoseconds(written: text) }
  }
}

extension Form<Double> {
  /// A percentage up to 100, as a share from 0 to 1.
  static var percentage: Self {
    scalar(
      "a percentage such as 2%",
      .string("^\(SchemaValue.number)%$"),
      else: "{} is not a percentage",
      remedy: "write a number up to 100 and the sign, such as 2%"
    ) { text in
      percent(text).flatMap { $0.whole <= 100 ? $0.value / 100 : nil }
    }
  }

  /// A percentage between two others, as a share from 0 to 1.
  static func share(_ range: ClosedRange<Double>) -> Self {
    let phrase = "a percentage from \(text(range.lowerBound)) to \(text(range.upperBound))"
    return scalar(phrase, .string("^\(SchemaValue.number)%$")) { written throws(FormProblem) in
      guard let percent = percent(written)?.value else {
        throw FormProblem(
          problem: "\(quoted(written)) is not a percentage",
          remedy: "write a number and the sign, such as \(text(max(1, range.lowerBound)))"
        )
      }
      guard range.contains(percent) else {
        throw FormProblem(
          problem: "\(quoted(written)) is not \(phrase)",
          remedy: "choose a percentage in that range"
        )
      }
      return percent / 100
    }
  }

  /// A limit for slow launches, as a share; 0 for `off`.
  static let tail = scalar(
    "a percentage from 1% to 50%, or off",
    .string("^(off|\(SchemaValue.number)%)$"),
    else: "{} is not a percentage from 1% to 50%",
    remedy: "write such a percentage, such as 10%, or off"
  ) { text in
    if ["off", "false"].contains(text) { return 0 }
    return percent(text).flatMap { (1...50).contains($0.value) ? $0.value / 100 : nil }
  }

  /// The number before a percent sign; nil for anything else.
  static func percent(_ text: String) -> ExactDecimal? {
    text.last == "%" ? ExactDecimal(written: text.dropLast()) : nil
  }

  private static func text(_ percent: Double) -> String {
    percent == percent.rounded() ? "\(Int(clamping: percent))%" : "\(percent)%"
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

  var value: Double { Double(whole) + Double(billionths) / 1e9 }
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

extension Form<Int32> {
  /// The signals that can be named: those that end a program by default, by their numbers on Linux.
  private static var signals: KeyValuePairs<String, Int32> {
    [
      "HUP": 1, "INT": 2, "QUIT": 3, "ABRT": 6, "KILL": 9, "USR1": 10, "USR2": 12, "PIPE": 13,
      "ALRM": 14, "TERM": 15, "WINCH": 28, "PWR": 30,
    ]
  }

  /// A signal by its name, with or without `SIG`, or by its number.
  static var signal: Self {
    let names = signals.map(\.key)
    let schema: SchemaValue = [
      "anyOf": [
        .map(["enum": .list(names.flatMap { [.text($0), .text("SIG\($0)")] })]),
        ["type": "integer", "minimum": 1, "maximum": 64],
      ]
    ]
    return scalar("a signal such as TERM", schema) { text throws(FormProblem) in
      let name = text.hasPrefix("SIG") ? String(text.dropFirst(3)) : text
      if let number = signals.first(where: { $0.key == name })?.value { return number }
      if let number = Int32(text), (1...64).contains(number), !(18...22).contains(number) {
        return number
      }
      throw FormProblem(
        problem: "\(quoted(text)) is not a signal that ends a program",
        remedy: spellingRemedy(for: name, among: names)
      )
    }
  }
}
