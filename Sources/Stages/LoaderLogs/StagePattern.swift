import LaunchCore

/// A regular expression for lines that say how long a stage took.
///
/// It has the named groups `stage`, `value` and `unit`; the units are s, ms, us, µs and ns.
package struct StagePattern: Hashable, Sendable {
  /// Matches in linear time.
  let pattern: TextPattern

  /// The groups that it must have.
  static let groups = ["stage", "value", "unit"]

  /// Checks a regular expression.
  ///
  /// - Parameter text: In the syntax of ``TextPattern``.
  /// - Throws: ``StagePatternError`` for a text that is no regular expression, or lacks a group.
  package init(_ text: String) throws(StagePatternError) {
    do throws(PatternError) {
      pattern = try TextPattern(text)
    } catch {
      throw .unusable(text, reason: error.problem, remedy: error.remedy)
    }
    for group in Self.groups where !pattern.groups.contains(group) {
      throw .noGroup(group, text)
    }
  }
}

/// Why a text is no pattern for stages.
package enum StagePatternError: Error, Hashable, Sendable {
  /// It is no regular expression, or one that cannot be matched in linear time.
  case unusable(String, reason: String, remedy: String)

  /// The named group is not in it.
  case noGroup(String, String)
}

extension StagePatternError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unusable(let text, let reason, _): "the pattern \"\(text)\" cannot be used: \(reason)"
    case .noGroup(let group, let text): "the pattern \"\(text)\" has no group `(?<\(group)>…)`"
    }
  }

  /// One imperative clause.
  package var remedy: String {
    switch self {
    case .unusable(_, _, let remedy): remedy
    case .noGroup: "write groups such as (?<stage>\\w+): (?<value>[0-9.]+) ?(?<unit>ms|s)"
    }
  }
}

/// Reads the lines that the patterns of a scenario describe.
struct PatternReader: LoaderLogReader {
  private var blocks = BlockList(LoaderLogFormat.pattern)
  private let patterns: [TextPattern]

  /// The longest line that is matched, in bytes: no line that people read is longer.
  private static let longestLine = 4_096

  init(_ patterns: [StagePattern]) { self.patterns = patterns.map(\.pattern) }

  var found: [FoundBlock] { blocks.found }

  mutating func take(_ line: inout LineScanner) -> Bool {
    guard !patterns.isEmpty, line.range.count <= Self.longestLine else { return false }
    let text = line.text(line.range)
    line.charge(line.range.count * patterns.count)
    for pattern in patterns {
      guard let match = pattern.firstMatch(in: text),
        let stage = match["stage"], !stage.isEmpty,
        let value = match["value"], Self.isDecimal(value),
        let unit = match["unit"].flatMap({ Self.units[$0] })
      else { continue }
      blocks.add(
        LoaderLogValue(
          name: stage,
          amount: LoaderLogAmount(value, unit),
          line: line.number
        )
      )
      return true
    }
    return false
  }

  private static let units: [String: LoaderLogAmount.Unit] = [
    "s": .seconds, "ms": .milliseconds, "us": .microseconds, "µs": .microseconds,
    "\u{3BC}s": .microseconds, "ns": .nanoseconds,
  ]

  private static func isDecimal(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: Ascii.dot, omittingEmptySubsequences: false)
    return parts.count <= 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(Ascii.isDigit) }
  }
}
