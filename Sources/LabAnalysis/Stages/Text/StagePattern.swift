/// A regular expression for lines that say how long a stage took.
///
/// It has the named groups `stage`, `value` and `unit`; the units are s, ms, us, µs and ns.
package struct StagePattern: Hashable, Sendable {
  /// As it was written.
  package let text: String

  /// The groups that it must have.
  static let groups = ["stage", "value", "unit"]

  /// Checks a regular expression.
  ///
  /// - Parameter text: In the syntax of Swift's `Regex`.
  /// - Throws: ``StagePatternError`` for a text that is no regular expression, or lacks a group.
  package init(_ text: String) throws(StagePatternError) {
    guard let regex = try? Regex(text) else { throw .notRegex(text) }
    for group in Self.groups where !regex.contains(captureNamed: group) {
      throw .noGroup(group, text)
    }
    self.text = text
  }
}

/// Why a text is no pattern for stages.
package enum StagePatternError: Error, Hashable, Sendable {
  /// It is no regular expression.
  case notRegex(String)

  /// The named group is not in it.
  case noGroup(String, String)
}

extension StagePatternError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notRegex(let text): "\"\(text)\" is not a regular expression"
    case .noGroup(let group, let text): "the pattern \"\(text)\" has no group `(?<\(group)>…)`"
    }
  }
}

/// Reads the lines that the patterns of a scenario describe.
struct PatternReader: StageTextReader {
  private var blocks = BlockList(StageTextFormat.pattern)
  private let patterns: [Regex<AnyRegexOutput>]

  /// The longest line that is matched, in bytes, because matching may be slow.
  private static let longestLine = 4_096

  init(_ patterns: [StagePattern]) { self.patterns = patterns.compactMap { try? Regex($0.text) } }

  var found: [FoundBlock] { blocks.found }

  mutating func take(_ line: inout LineScanner) -> Bool {
    guard !patterns.isEmpty, line.range.count <= Self.longestLine else { return false }
    let text = line.text(line.range)
    line.charge(line.range.count * patterns.count)
    for pattern in patterns {
      guard let match = try? pattern.firstMatch(in: text),
        let stage = match.output["stage"]?.substring, !stage.isEmpty,
        let value = match.output["value"]?.substring, Self.isDecimal(value),
        let unit = match.output["unit"]?.substring.flatMap({ Self.units[String($0)] })
      else { continue }
      blocks.add(
        StageTextValue(
          name: String(stage),
          amount: StageTextAmount(String(value), unit),
          line: line.number
        )
      )
      return true
    }
    return false
  }

  private static let units: [String: StageTextAmount.Unit] = [
    "s": .seconds, "ms": .milliseconds, "us": .microseconds, "µs": .microseconds,
    "\u{3BC}s": .microseconds, "ns": .nanoseconds,
  ]

  private static func isDecimal(_ text: Substring) -> Bool {
    let parts = text.utf8.split(separator: Ascii.dot, omittingEmptySubsequences: false)
    return parts.count <= 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(Ascii.isDigit) }
  }
}
