import LabModel

/// What a scalar of the section `controls` must look like.
enum ControlForm: Equatable, Sendable {
  /// `on` or `off`, which may be written as the booleans too.
  case toggle

  /// A number of a processor, or a range such as `2-5`.
  case processors

  /// A load average.
  case load

  /// Degrees Celsius, with or without a `C`.
  case temperature

  /// `off`, or a value of `vm.swappiness`.
  case swap

  /// The name of a systemd unit, or `timers`.
  case unit

  /// The id of one of doctor's findings.
  case finding
}

extension ControlForm {
  static let highestProcessor = 1023

  /// What is asked for, as a phrase with an article.
  var phrase: String {
    switch self {
    case .toggle: "on or off"
    case .processors: "a processor from 0 to \(Self.highestProcessor), or a range such as 2-5"
    case .load: "a load such as 1.5"
    case .temperature: "a temperature such as 70C"
    case .swap: "off, or a whole number from 0 to 200"
    case .unit: "a systemd unit such as cron.service, or timers"
    case .finding: "the id of a finding such as virtual-host"
    }
  }

  /// Checks one scalar.
  ///
  /// - Throws: A problem that quotes the text.
  func check(_ text: String) throws(FormProblem) {
    switch self {
    case .toggle: _ = try Self.isOn(text)
    case .processors: _ = try Self.processors(text)
    case .load: _ = try Self.load(text)
    case .temperature: _ = try Self.temperature(text)
    case .swap: _ = try Self.swap(text)
    case .unit: _ = try SystemUnit(written: text)
    case .finding: try Self.checkFinding(text)
    }
  }
}

// MARK: - Reading

extension ControlForm {
  static func isOn(_ text: String) throws(FormProblem) -> Bool {
    switch text {
    case "on", "true": return true
    case "off", "false": return false
    default:
      let isTrue = ["on", "true", "yes", "y", "1"].contains(text.lowercased())
      let isFalse = ["off", "false", "no", "n", "0"].contains(text.lowercased())
      throw FormProblem(
        problem: "\(quoted(text)) is not on or off",
        remedy: isTrue ? "write on" : isFalse ? "write off" : "write on or off"
      )
    }
  }

  /// Reads one processor, or a range of them with both ends.
  static func processors(_ text: String) throws(FormProblem) -> ClosedRange<Int> {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { end in
      try? ScalarForm.whole(String(end), in: 0...highestProcessor)
    }
    guard (1...2).contains(ends.count), let first = ends.first ?? nil, let last = ends.last ?? nil
    else {
      throw FormProblem(
        problem: "\(quoted(text)) is not \(Self.processors.phrase)",
        remedy: "write numbers from 0 to \(highestProcessor), such as 1 or 2-5"
      )
    }
    guard first <= last else {
      throw FormProblem(
        problem: "the range \(quoted(text)) ends before it begins",
        remedy: "write \(last)-\(first)"
      )
    }
    return first...last
  }

  static func load(_ text: String) throws(FormProblem) -> Double {
    guard let decimal = ExactDecimal(written: text), decimal.whole < 1_000_000 else {
      throw FormProblem(
        problem: "\(quoted(text)) is not a load average",
        remedy: "write a number such as 1.5"
      )
    }
    return decimal.value
  }

  static func temperature(_ text: String) throws(FormProblem) -> Double {
    let digits = text.hasSuffix("C") ? text.dropLast() : text[...]
    guard let decimal = ExactDecimal(written: digits), (1...150).contains(decimal.whole) else {
      throw FormProblem(
        problem: "\(quoted(text)) is not a temperature from 1 to 150 degrees Celsius",
        remedy: "write degrees Celsius, such as 70C"
      )
    }
    return decimal.value
  }

  static func swap(_ text: String) throws(FormProblem) -> SwapPolicy {
    if text == "off" { return .off }
    guard let swappiness = try? ScalarForm.whole(text, in: 0...200) else {
      throw FormProblem(
        problem: "\(quoted(text)) is not \(Self.swap.phrase)",
        remedy: "write off, or a value of vm.swappiness such as 10"
      )
    }
    return .swappiness(swappiness)
  }

  private static func checkFinding(_ text: String) throws(FormProblem) {
    let words = text.split(separator: "-", omittingEmptySubsequences: false)
    let isKebab = words.allSatisfy { word in
      !word.isEmpty && word.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39) ~= $0 }
    }
    guard isKebab, text.utf8.count <= 100 else {
      throw FormProblem(
        problem: "\(quoted(text)) is not the id of a finding",
        remedy: "copy an id from the output of `launchlab doctor`"
      )
    }
  }
}

extension ExactDecimal {
  var value: Double { Double(whole) + Double(billionths) / 1e9 }
}
