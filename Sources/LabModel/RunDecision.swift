package import Foundation

/// What a person decided about a run, and why.
package struct RunDecision: Hashable, Codable, Sendable {
  package var at: Date

  /// The name of the person's account.
  package var person: String

  package var standing: Standing

  /// In the person's own words.
  package var reason: String

  package init(at: Date, person: String, standing: Standing, reason: String) {
    self.at = at
    self.person = person
    self.standing = standing
    self.reason = reason
  }

  /// Whether a run counts; the raw value is the name used in JSON and the store.
  package enum Standing: String, Codable, CaseIterable, Sendable {
    /// It counts, as every run does about which nothing was decided.
    case included

    /// It is listed, but no history, verdict or export of nights has it.
    case excluded

    /// It is excluded, and lists do not show it.
    case removed
  }
}

/// A run that is out of history.
package struct LeftOutRun: Hashable, Sendable {
  /// The id.
  package var run: String

  package var startedAt: Date

  package var decision: RunDecision

  package init(run: String, startedAt: Date, decision: RunDecision) {
    self.run = run
    self.startedAt = startedAt
    self.decision = decision
  }
}
