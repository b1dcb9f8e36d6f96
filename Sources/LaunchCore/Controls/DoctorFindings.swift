package import Foundation

/// What doctor has found of a host.
package struct DoctorFindings: Hashable, Sendable {
  /// The facts of the host, with the storage that holds the system's programs.
  package var host: HostFacts

  /// In the order in which a reader meets them.
  package var capabilities: [Capability]

  /// The newest of each state; empty when no selftest was made.
  package var noise: [HostNoise]

  /// The ids of what is known and meant to stay as it is.
  package var suppressed: Set<String>

  package init(
    host: HostFacts,
    capabilities: [Capability],
    noise: [HostNoise] = [],
    suppressed: Set<String> = []
  ) {
    self.host = host
    self.capabilities = capabilities
    self.noise = noise
    self.suppressed = suppressed
  }

  /// Whether a capability is wanting, and known to be.
  package func isSuppressed(_ capability: Capability) -> Bool {
    capability.status != .ok && suppressed.contains(capability.id)
  }

  /// The capabilities of a status, without suppressed ones.
  package func capabilities(_ status: Capability.Status) -> [Capability] {
    capabilities.filter { $0.status == status && !isSuppressed($0) }
  }

  /// The suppressed capabilities.
  package var suppressedCapabilities: [Capability] { capabilities.filter(isSuppressed) }
}

/// How much a host's launches of one state scatter, from launching the same program as A and as B.
package struct HostNoise: Hashable, Codable, Sendable {
  /// The run that it comes from.
  package var run: String

  package var measuredAt: Date

  /// The fingerprint of the host.
  package var fingerprint: String

  /// The command that was launched as A and as B.
  package var command: [String]

  package var state: LaunchState

  /// How many pairs of launches there were.
  package var pairs: Int

  /// The median launch of A and B together, in nanoseconds.
  package var median: Double

  /// The coefficient of variation of A's and B's launches, the larger of both.
  package var coefficientOfVariation: Double

  /// The smallest effect that a comparison of so many pairs detects with 80 % power, as a share of
  /// the launch time; ascending by pairs.
  package var detectable: [DetectableEffect]

  /// How many comparisons of A with B were made, and how many called them different.
  package var comparisons: Int
  package var falseAlarms: Int

  package init(
    run: String,
    measuredAt: Date,
    fingerprint: String,
    command: [String],
    state: LaunchState,
    pairs: Int,
    median: Double,
    coefficientOfVariation: Double,
    detectable: [DetectableEffect],
    comparisons: Int,
    falseAlarms: Int
  ) {
    self.run = run
    self.measuredAt = measuredAt
    self.fingerprint = fingerprint
    self.command = command
    self.state = state
    self.pairs = pairs
    self.median = median
    self.coefficientOfVariation = coefficientOfVariation
    self.detectable = detectable
    self.comparisons = comparisons
    self.falseAlarms = falseAlarms
  }
}

/// The smallest effect that is detected with a number of pairs of launches.
package struct DetectableEffect: Hashable, Codable, Sendable {
  package var pairs: Int

  /// A share of the launch time, such as 0.04 for 4 %.
  package var effect: Double

  package init(pairs: Int, effect: Double) {
    self.pairs = pairs
    self.effect = effect
  }
}

/// What a host can do of something that launchlab needs, as `doctor` finds it.
package struct Capability: Hashable, Codable, Sendable {
  /// A stable name in kebab case, such as `drop-caches`, by which it can be suppressed.
  package var id: String

  /// What it is, for people, such as `dropping the page cache`.
  package var title: String

  package var status: Status

  /// What was found, as a sentence without a full stop.
  package var finding: String

  /// The command or the change that mends it; nil when it is fine, or nothing can be done.
  package var remedy: String?

  package init(
    id: String,
    title: String,
    status: Status,
    finding: String,
    remedy: String? = nil
  ) {
    self.id = id
    self.title = title
    self.status = status
    self.finding = finding
    self.remedy = remedy
  }

  /// How good it is.
  package enum Status: String, Codable, CaseIterable, Sendable {
    case ok
    case degraded
    case missing
  }
}
