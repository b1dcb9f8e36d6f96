package import Foundation

/// One line of the history: a stored run without its launches.
package struct RunListing: Hashable, Codable, Sendable {
  /// Time-ordered and unique, such as `20261121T043000Z-3fa2`.
  package var id: String

  /// The name of the scenario.
  package var scenario: String

  package var startedAt: Date

  /// Nil while the run goes on, or when it was cut off.
  package var finishedAt: Date?

  package var status: RunRecord.Status

  package var purpose: RunRecord.Purpose

  /// The seed that the order of every block was drawn from.
  package var seed: UInt64

  /// In the plan's order.
  package var arms: [Arm]

  /// How many launches the plan holds; more than `launches` when the run was cut short.
  package var plannedLaunches: Int

  /// How many launches are stored, whatever their outcome.
  package var launches: Int

  /// How many blocks are stored; a stored block is always complete.
  package var blocks: Int

  /// The fingerprint of the host.
  package var fingerprint: String

  /// What people call the host; nil where that is not known.
  package var hostName: String?

  /// The full commit id of what was built; nil without a build.
  package var commit: String?

  /// What a person decided about the run, if it does not count; nil where nothing was decided.
  package var decision: RunDecision?

  /// What the run came to; nil while it goes on, when it was cut off, and for imported runs.
  package var outcome: RunOutcome?

  package init(
    id: String,
    scenario: String,
    startedAt: Date,
    finishedAt: Date? = nil,
    status: RunRecord.Status,
    purpose: RunRecord.Purpose = .night,
    seed: UInt64,
    arms: [Arm],
    plannedLaunches: Int,
    launches: Int,
    blocks: Int,
    fingerprint: String,
    hostName: String? = nil,
    commit: String? = nil,
    decision: RunDecision? = nil,
    outcome: RunOutcome? = nil
  ) {
    self.id = id
    self.scenario = scenario
    self.startedAt = startedAt
    self.finishedAt = finishedAt
    self.status = status
    self.purpose = purpose
    self.seed = seed
    self.arms = arms
    self.plannedLaunches = plannedLaunches
    self.launches = launches
    self.blocks = blocks
    self.fingerprint = fingerprint
    self.hostName = hostName
    self.commit = commit
    self.decision = decision
    self.outcome = outcome
  }
}

/// What a run came to.
package struct RunOutcome: Hashable, Codable, Sendable {
  /// `green` or `red` of a night, as its report begins, or the verdict of a comparison; nil where
  /// nothing was judged.
  package var verdict: String?

  /// What the command ended with.
  package var exitCode: Int

  package init(verdict: String? = nil, exitCode: Int) {
    self.verdict = verdict
    self.exitCode = exitCode
  }
}

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
  /// When and where it was; nothing is known of its build.
  package var night: Night

  package var decision: RunDecision

  package var run: String { night.run }
  package var startedAt: Date { night.startedAt }

  package init(_ night: Night, decision: RunDecision) {
    self.night = night
    self.decision = decision
  }
}
