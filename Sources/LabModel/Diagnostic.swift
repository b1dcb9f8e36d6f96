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
