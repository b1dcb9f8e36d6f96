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

  /// What was built; nil for a scenario without a source.
  package var build: Build?

  /// The program of each target, for a scenario without a source, and of the control; by the name of
  /// the target.
  package var artifacts: [String: Artifact]

  package init(
    run: String,
    startedAt: Date,
    finishedAt: Date? = nil,
    status: RunRecord.Status = .complete,
    fingerprint: String,
    build: Build? = nil,
    artifacts: [String: Artifact] = [:]
  ) {
    self.run = run
    self.startedAt = startedAt
    self.finishedAt = finishedAt
    self.status = status
    self.fingerprint = fingerprint
    self.build = build
    self.artifacts = artifacts
  }

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
