/// Something that a person should know, with where it was seen and what to do about it.
package struct Diagnostic: Hashable, Codable, Sendable {
  package var severity: Severity

  /// A stable identifier, such as `unknown-key`.
  package var id: String

  /// What happened, with the offending value; lower case, without a full stop.
  package var problem: String

  /// Where it happened, such as `scenario.yml:3:5`.
  package var place: String?

  /// What to do: one imperative sentence, with a real command if there is one.
  package var remedy: String?

  package init(
    _ severity: Severity,
    id: String,
    problem: String,
    place: String? = nil,
    remedy: String? = nil
  ) {
    self.severity = severity
    self.id = id
    self.problem = problem
    self.place = place
    self.remedy = remedy
  }

  /// How much a diagnostic matters.
  package enum Severity: String, Codable, Sendable {
    case error
    case warning
    case note
  }
}

extension Diagnostic: CustomStringConvertible {
  /// The text shown to people: the problem, then its place and its remedy on lines of their own.
  package var description: String {
    var lines = ["\(severity.rawValue): \(problem)"]
    if let place { lines.append("  at: \(place)") }
    if let remedy { lines.append("  help: \(remedy)") }
    return lines.joined(separator: "\n")
  }
}

/// An error that ends what was asked for, with the text and the exit code it ends with.
package protocol LabError: Error, Sendable {
  /// At least one diagnostic of severity error, in the order they are shown.
  var diagnostics: [Diagnostic] { get }

  var exitCode: LabExitCode { get }
}

extension Diagnostic {
  /// What any error says: its own diagnostics, or its description where it is not one of launchlab.
  package static func all(of error: any Error) -> [Self] {
    (error as? any LabError)?.diagnostics
      ?? [Self(.error, id: "unexpected", problem: "\(error)")]
  }
}

/// The exit codes of launchlab.
///
/// Several are chosen for `git bisect run`, which reads 125 as skip and anything above 127 as abort.
package enum LabExitCode: Int32, Sendable {
  case done = 0
  case regression = 1
  case usage = 64
  case inconclusive = 125
  case couldNotMeasure = 128
  case interrupted = 130
}

extension LabExitCode: Comparable {
  /// Orders by precedence: where several codes apply, the greatest one is used.
  package static func < (left: Self, right: Self) -> Bool { left.precedence < right.precedence }

  private var precedence: Int {
    switch self {
    case .done: 0
    case .inconclusive: 1
    case .regression: 2
    case .couldNotMeasure: 3
    case .usage: 4
    case .interrupted: 5
    }
  }
}

/// Finds the known word that a misspelt one was probably meant to be.
///
/// - Returns: The first of the nearest candidates, if it is at most 2 edits away and at most
///   half of the word was changed.
package func nearestWord(to word: String, in candidates: [String]) -> String? {
  // A word much longer than every candidate cannot be near, and its distance would be costly.
  guard word.unicodeScalars.count <= 64 else { return nil }
  let ranked = candidates.map { (word: $0, distance: editDistance(word, $0)) }
  guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
  return best.distance <= min(2, max(1, word.unicodeScalars.count / 2)) ? best.word : nil
}

/// Counts the insertions, deletions and substitutions of characters between two words.
///
/// Source: Wagner and Fischer, "The string-to-string correction problem", JACM 21 (1974).
package func editDistance(_ left: String, _ right: String) -> Int {
  let left = Array(left.lowercased())
  let right = Array(right.lowercased())
  var previous = Array(0...right.count)
  for (row, character) in left.enumerated() {
    var current = [row + 1]
    for column in right.indices {
      let substitution = previous[column] + (character == right[column] ? 0 : 1)
      current.append(min(substitution, previous[column + 1] + 1, current[column] + 1))
    }
    previous = current
  }
  return previous[right.count]
}

/// Tells the user which word to write instead of an unknown one.
package func spellingRemedy(for word: String, among candidates: [String]) -> String {
  if let nearest = nearestWord(to: word, in: candidates) { return "write `\(nearest)`" }
  return "use one of: \(candidates.joined(separator: ", "))"
}
