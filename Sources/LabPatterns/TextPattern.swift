/// A regular expression that is matched in time linear in the text, whatever it is.
///
/// Its syntax is the part of Swift's `Regex` that needs no backtracking: no references back, no
/// lookaround, no atomic groups. Of several matches the leftmost is taken, and of those the one
/// that a backtracking matcher would find first.
///
/// Source: Cox, *Regular Expression Matching: the Virtual Machine Approach* (2009), Pike's machine.
package struct TextPattern: Hashable, Sendable {
  /// As it was written.
  package let text: String

  /// The names of its groups, in the order in which they begin.
  package let groups: [String]

  let program: PatternProgram

  /// Reads a regular expression.
  ///
  /// - Throws: ``PatternError`` for one that cannot be read, or is too large.
  package init(_ text: String) throws(PatternError) {
    self.text = text
    var parser = PatternParser(text.unicodeScalars.map(\.value), dialect: .named)
    let node = try parser.parse()
    groups = parser.groups
    program = try PatternProgram(node, groupCount: parser.groups.count)
  }

  /// Finds the first match in a text.
  ///
  /// The work is proportional to the length of the text times that of the pattern.
  ///
  /// - Returns: The text of each group that took part, by its name; nil without a match.
  package func firstMatch(in text: String) -> [String: String]? {
    let scalars = Array(text.unicodeScalars)
    var machine = PatternMachine(program, scalars.map(\.value))
    guard let slots = machine.run() else { return nil }
    var found: [String: String] = [:]
    for (index, group) in groups.enumerated() {
      let (start, end) = (slots[2 * index], slots[2 * index + 1])
      guard start >= 0, end >= start else { continue }
      found[group] = String(String.UnicodeScalarView(scalars[start..<end]))
    }
    return found
  }
}

/// A POSIX extended regular expression for the output of a program, as the spawner runs it.
///
/// The bytes of a line are matched one by one as they come, and none is looked at twice. It has
/// the extensions of glibc, except references back.
package struct OutputPattern: Hashable, Sendable {
  private let program: PatternProgram

  /// Reads a regular expression.
  ///
  /// - Throws: ``PatternError`` for one that cannot be read, or is too large.
  package init(_ text: String) throws(PatternError) {
    var parser = PatternParser(text.utf8.map(UInt32.init), dialect: .posix)
    program = try PatternProgram(try parser.parse(), groupCount: 0)
  }

  /// Whether a whole line matches somewhere, as the spawner sees it.
  func matches(_ line: String) -> Bool {
    var machine = PatternMachine(program, line.utf8.map(UInt32.init))
    return machine.run() != nil
  }

  /// The steps of the pattern in the encoding of `spawner_match.c`.
  package var encoded: String {
    program.steps.map { step in
      switch step {
      case .symbols(let index): "s" + program.sets[index].hexadecimalBytes
      case .assertion(let assertion): assertion.rawValue
      case .split(let first, let second): "/\(first),\(second);"
      case .jump(let target): "/\(target),\(target);"
      // The spawner only has to know whether there is a match.
      case .save: "/\(0),\(0);"
      case .match: "m"
      }
    }
    .joined()
  }
}

/// Why a text is no pattern that can be used.
package struct PatternError: Error, Hashable, Sendable {
  /// What is wrong, as a clause without a full stop.
  package let problem: String

  /// One imperative clause.
  package let remedy: String

  /// - Parameters:
  ///   - problem: What is wrong, without its place.
  ///   - place: The number of the character, from 0; nil means the whole pattern.
  ///   - remedy: One imperative clause.
  init(_ problem: String, at place: Int? = nil, remedy: String = "correct it") {
    self.problem = place.map { "\(problem) at character \($0 + 1)" } ?? problem
    self.remedy = remedy
  }
}
