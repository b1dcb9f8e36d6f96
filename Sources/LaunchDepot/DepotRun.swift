package import Foundation
package import LaunchCore

/// A complete run of a host, as it is pushed to a depot.
package struct DepotRun: Sendable {
  /// What tells the host from every other one, whatever it is called.
  package var hostIdentity: String

  /// Its name in the run; nil where the run does not tell.
  package var hostName: String?

  /// The name that the host has now, for one without any run that tells.
  package var currentName: String?

  /// The fingerprint of the host, which is its kind.
  package var fingerprint: String

  /// The id of the run, which is unique on its host.
  package var id: String

  package var scenario: String
  package var purpose: RunRecord.Purpose
  package var startedAt: Date
  package var finishedAt: Date
  package var commit: String?
  package var tree: String?

  /// The version of launchlab that measured it.
  package var tool: String

  /// The schema version of the file.
  package var schema: Int

  /// What tells this run from another one of the same id, as 64 lower-case hexadecimal digits.
  ///
  /// It must be the same whenever the file is made, which may then have other bytes.
  package var digest: String

  /// Which night of a fleet it is part of.
  package var slot: FleetSlot?

  package var points: [DepotPoint]

  /// The file of the run; at most ``Depot/mostBytes``.
  package var content: [UInt8]

  package init(
    hostIdentity: String,
    hostName: String?,
    currentName: String? = nil,
    fingerprint: String,
    id: String,
    scenario: String,
    purpose: RunRecord.Purpose,
    startedAt: Date,
    finishedAt: Date,
    commit: String? = nil,
    tree: String? = nil,
    tool: String,
    schema: Int,
    digest: String,
    slot: FleetSlot? = nil,
    points: [DepotPoint],
    content: [UInt8]
  ) {
    self.hostIdentity = hostIdentity
    self.hostName = hostName
    self.currentName = currentName
    self.fingerprint = fingerprint
    self.id = id
    self.scenario = scenario
    self.purpose = purpose
    self.startedAt = startedAt
    self.finishedAt = finishedAt
    self.commit = commit
    self.tree = tree
    self.tool = tool
    self.schema = schema
    self.digest = digest
    self.slot = slot
    self.points = points
    self.content = content
  }
}

/// The document that `launchlab.push` takes beside the file.
extension DepotRun: Encodable {
  private enum CodingKeys: CodingKey {
    case hostIdentity, hostName, currentName, fingerprint, id, scenario, purpose, startedAt,
      finishedAt
    case commit, tree, tool, schema, digest, slot, points
  }

  /// Every text in it.
  var texts: [String] {
    [hostIdentity, fingerprint, id, scenario, tool, digest]
      + [hostName, currentName, commit, tree, slot?.night, slot?.host].compactMap(\.self)
      + points.map(\.target)
  }
}

/// The summary of one metric of one arm of a run; values are in the unit of the metric.
package struct DepotPoint: Hashable, Encodable, Sendable {
  package var target: String
  package var state: LaunchState
  package var metric: Metric

  /// The number of values, at least 1.
  package var n: Int

  package var median: Double
  package var medianAbsoluteDeviation: Double

  /// The lower bound of the 95 % interval of the median; nil together with the upper one.
  package var intervalLow: Double?

  package var intervalHigh: Double?

  package init(
    target: String,
    state: LaunchState,
    metric: Metric,
    n: Int,
    median: Double,
    medianAbsoluteDeviation: Double,
    intervalLow: Double? = nil,
    intervalHigh: Double? = nil
  ) {
    self.target = target
    self.state = state
    self.metric = metric
    self.n = n
    self.median = median
    self.medianAbsoluteDeviation = medianAbsoluteDeviation
    self.intervalLow = intervalLow
    self.intervalHigh = intervalHigh
  }

  private enum CodingKeys: String, CodingKey {
    case target
    case state
    case metric
    case n
    case median
    case medianAbsoluteDeviation = "mad"
    case intervalLow = "ci_low"
    case intervalHigh = "ci_high"
  }
}

/// What a host has concluded of a scenario, and what people decided there.
package struct DepotConclusions {
  package var scenario: String

  /// The schema version of the file.
  package var schema: Int

  /// What tells it from what was concluded before, as 64 lower-case hexadecimal digits.
  package var digest: String

  /// Makes the file, which is wanted only where the digest is not known.
  package var content: () throws -> [UInt8]

  package init(
    scenario: String,
    schema: Int,
    digest: String,
    content: @escaping () throws -> [UInt8]
  ) {
    self.scenario = scenario
    self.schema = schema
    self.digest = digest
    self.content = content
  }
}

/// What a depot has of the conclusions of a host.
package struct DepotConclusionsEntry: Hashable, Decodable, Sendable {
  package let hostIdentity: String
  package let scenario: String

  /// The schema version of the file.
  package let schema: Int
  package let digest: String

  /// The size of the file.
  package let bytes: Int
}

/// What became of a run that was pushed.
package enum DepotReceipt: String, Sendable {
  /// The depot has it now.
  case stored

  /// The depot had it already, with the same digest.
  case known
}

/// A host of which a depot has runs.
package struct DepotHost: Hashable, Decodable, Sendable {
  package let identity: String

  /// The name in its newest run.
  package let name: String

  /// The fingerprint in its newest run.
  package let kind: String

  /// The start of its first run, by its own clock, but not later than it was received.
  package let firstSeen: Date

  /// The start of its newest run, likewise.
  package let lastSeen: Date
}

/// A name that a host has had.
package struct DepotHostName: Hashable, Decodable, Sendable {
  package let identity: String
  package let name: String
}

/// What a login may speak for.
package struct DepotTrust: Hashable, Decodable, Sendable {
  package let kind: Kind

  /// The identity of a host, or what a fleet calls it.
  package let name: String

  package enum Kind: String, Decodable, Sendable {
    case host
    case slot
  }
}

/// A stored run without its file.
package struct DepotEntry: Hashable, Decodable, Sendable {
  /// The number of the run in the depot; runs are committed in the order of their keys.
  package let key: Int64

  package let hostIdentity: String

  /// The name of the host in its newest run.
  package let hostName: String

  package let id: String
  package let scenario: String
  package let purpose: RunRecord.Purpose
  package let startedAt: Date
  package let finishedAt: Date

  /// When the server took it, by its clock.
  package let receivedAt: Date

  package let fingerprint: String
  package let commit: String?
  package let tree: String?
  package let tool: String
  package let schema: Int
  package let digest: String

  /// The size of the file.
  package let bytes: Int

  /// By how much the run ended after it was received; nil unless it is more than 60 s, which means
  /// that the clock of the host is wrong.
  package let clockOffSeconds: Double?
}

/// A file of a run that was read from a depot.
package struct DepotFile: Hashable, Sendable {
  /// The key of the run.
  package let key: Int64

  package let content: [UInt8]
}

/// What a user can know of a depot.
package struct DepotState: Hashable, Sendable {
  /// The schema version.
  package let version: Int

  package let rights: Rights

  /// What the depot holds; nil when the user may not read it.
  package let holdings: Holdings?

  /// Who the user is for the server, and what it may do.
  package struct Rights: Hashable, Decodable, Sendable {
    /// The version of PostgreSQL, such as `15.18`.
    package let serverVersion: String

    package let user: String

    /// Whether runs can be pushed: the user may, and the server is not read-only.
    package let mayPush: Bool

    package let mayRead: Bool

    /// Whether the roles `launchlab_push` and `launchlab_read` exist, to be granted to users.
    package let hasRoles: Bool

    /// The version of TLS, such as `TLSv1.3`; nil for a connection without it.
    package let tls: String?
  }

  /// What a depot holds.
  package struct Holdings: Hashable, Decodable, Sendable {
    package let hosts: Int
    package let runs: Int

    /// The bytes on the disk of the server, with all indexes.
    package let bytes: Int64

    /// When the newest run was received; nil when there is none.
    package let newestReceived: Date?
  }
}
