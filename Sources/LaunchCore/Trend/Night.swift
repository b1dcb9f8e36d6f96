package import Foundation

/// What trends know of one run of a scenario, without its launches.
package struct Night: Hashable, Codable, Sendable {
  /// The id of the run.
  package var run: String

  package var startedAt: Date

  /// Nil while the run goes on, or when it was cut off.
  package var finishedAt: Date?

  package var status: RunRecord.Status

  /// The fingerprint of the host.
  package var fingerprint: String

  /// What tells the host from others of its kind, as ``HostFacts/identity``.
  package var identity: String?

  /// What people call the host; nil where that is not known.
  package var hostName: String?

  /// What was built; nil for a scenario without a source.
  package var build: Build?

  /// The program of each target, for a scenario without a source, and of the control; by the name of
  /// the target.
  package var artifacts: [String: Artifact]

  /// What the windows of targets were shown on, such as `x11, headless, 1920x1080`;
  /// nil for a run without a display.
  package var display: String?

  /// Which night of a fleet it is part of.
  package var slot: FleetSlot?

  package init(
    run: String,
    startedAt: Date,
    finishedAt: Date? = nil,
    status: RunRecord.Status = .complete,
    fingerprint: String,
    identity: String? = nil,
    hostName: String? = nil,
    build: Build? = nil,
    artifacts: [String: Artifact] = [:],
    display: String? = nil,
    slot: FleetSlot? = nil
  ) {
    self.run = run
    self.startedAt = startedAt
    self.finishedAt = finishedAt
    self.status = status
    self.fingerprint = fingerprint
    self.identity = identity
    self.hostName = hostName
    self.build = build
    self.artifacts = artifacts
    self.display = display
    self.slot = slot
  }

  /// Whether a night before this one was on another machine, or on this one when its kind was another.
  ///
  /// A night that names no machine is of any machine of its kind.
  package func isOnOtherHost(than earlier: Night) -> Bool {
    fingerprint != earlier.fingerprint
      || earlier.identity != nil && identity != earlier.identity
  }

  /// What the night is called: by the fleet, or else by the day of its start in UTC.
  package var label: String { slot?.night ?? startedAt.utcDay }

  /// The part of a build that tells it from others.
  package struct Build: Hashable, Codable, Sendable {
    /// The full commit id.
    package var commit: String

    package var subject: String

    /// The git tree id; equal trees are equal builds.
    package var tree: String

    package init(commit: String, subject: String, tree: String) {
      self.commit = commit
      self.subject = subject
      self.tree = tree
    }
  }
}

/// The executable of a target as it was in one run.
package struct Artifact: Hashable, Codable, Sendable {
  /// The absolute path that was executed, links followed.
  package var path: String

  /// The lower-case hexadecimal SHA-256 of its content.
  package var digest: String

  package var bytes: Int64

  package init(path: String, digest: String, bytes: Int64) {
    self.path = path
    self.digest = digest
    self.bytes = bytes
  }
}

/// A stored summary with what is known of its run: one value of a series.
package struct NightRow: Hashable, Sendable {
  package var scenario: String
  package var startedAt: Date
  package var status: RunRecord.Status
  package var purpose: RunRecord.Purpose

  /// The fingerprint of the host.
  package var fingerprint: String

  /// What tells the host from others of its kind, as ``HostFacts/identity``.
  package var identity: String?
  package var hostName: String?

  /// The full commit id of what was built; nil without a build.
  package var commit: String?

  package var summary: MetricRow

  package init(
    scenario: String,
    startedAt: Date,
    status: RunRecord.Status,
    purpose: RunRecord.Purpose,
    fingerprint: String,
    identity: String? = nil,
    hostName: String? = nil,
    commit: String?,
    summary: MetricRow
  ) {
    self.scenario = scenario
    self.startedAt = startedAt
    self.status = status
    self.purpose = purpose
    self.fingerprint = fingerprint
    self.identity = identity
    self.hostName = hostName
    self.commit = commit
    self.summary = summary
  }
}

/// What is said of something that was compared with what was before; the raw value is the name used
/// in JSON, the store and reports.
package enum Verdict: String, Codable, CaseIterable, Sendable {
  /// It is worse, by more than the effect limit.
  case regression

  /// It is better, by more than the effect limit.
  case improvement

  /// If there is a difference, it is smaller than the effect limit.
  case same

  case inconclusive
}

/// Two targets of a run that are held against each other.
package struct ComparedPair: Hashable, Codable, Sendable {
  /// What the two have in common, such as the name of the target that both are builds of.
  package var name: String

  /// The name of the target that the other is compared with.
  package var baseline: String

  /// The name of the target that is judged.
  package var candidate: String

  package init(name: String, baseline: String, candidate: String) {
    self.name = name
    self.baseline = baseline
    self.candidate = candidate
  }
}

/// One attempt to tell somebody of an event of an alert.
package struct Delivery: Hashable, Codable, Sendable {
  /// The number of the alert.
  package var alert: Int

  /// The index of the event in the alert.
  package var event: Int

  /// Whom, as `docs/verdicts.md` names notifiers, such as `email dev@example.org`.
  package var notifier: String
  package var at: Date

  /// Why it could not be delivered; nil when it was.
  package var failure: String?

  package init(alert: Int, event: Int, notifier: String, at: Date, failure: String? = nil) {
    self.alert = alert
    self.event = event
    self.notifier = notifier
    self.at = at
    self.failure = failure
  }
}

extension Date {
  /// The day in UTC, such as `2026-11-21`.
  package var utcDay: String { formatted(.iso8601.year().month().day()) }
}
