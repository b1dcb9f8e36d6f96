package import Foundation

/// A stored summary with what is known of its run: one value of a series.
package struct NightRow: Hashable, Sendable {
  package var scenario: String
  package var startedAt: Date
  package var status: RunRecord.Status
  package var purpose: RunRecord.Purpose

  /// The fingerprint of the host.
  package var fingerprint: String

  /// The full commit id of what was built; nil without a build.
  package var commit: String?

  package var summary: MetricRow

  package init(
    scenario: String,
    startedAt: Date,
    status: RunRecord.Status,
    purpose: RunRecord.Purpose,
    fingerprint: String,
    commit: String?,
    summary: MetricRow
  ) {
    self.scenario = scenario
    self.startedAt = startedAt
    self.status = status
    self.purpose = purpose
    self.fingerprint = fingerprint
    self.commit = commit
    self.summary = summary
  }
}
