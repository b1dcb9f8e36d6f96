/// The place of a run in a fleet: one night of one host.
///
/// The head of the fleet gives the night its label, so that no clock of a host decides which night it is.
package struct FleetSlot: Hashable, Codable, Sendable {
  /// The label of the night, such as `2026-11-21`; labels sort by time.
  package var night: String

  /// The host as the fleet names it.
  package var host: String

  package init(night: String, host: String) {
    self.night = night
    self.host = host
  }
}

/// A fleet: hosts that each measure the same scenarios every night, as a fleet file declares it.
package struct FleetPlan: Hashable, Sendable {
  /// Part of the names of its jobs.
  package var name = ""

  /// The URI of the depot that keeps what its hosts measure.
  package var depot = ""

  /// The absolute paths of the scenario files, the same on every host; at least one.
  package var scenarios: [String] = []

  /// Empty means all that the engine has.
  package var hosts: [String] = []

  /// Hosts that only build, for bisections; none of ``hosts``.
  package var builders: [String] = []

  package var engine = Engine.slurm

  /// The partition of Slurm; nil means the default one.
  package var partition: String?

  /// The absolute path of the directory of the fleet file, the same on every host.
  package var directory = ""

  /// The absolute path of launchlab on the hosts; nil means that of the head.
  package var program: String?

  /// How long a host may be at work on one night; nil means what the scenarios are expected to take, and
  /// more.
  package var timeLimit: Nanoseconds?

  /// Whether a host is known by its name here, and not by its machine id.
  package var namesHosts = false

  /// Whether a host takes no further job whose machine has changed.
  package var drains = false

  package init() {}

  /// What gives hosts their work.
  package enum Engine: String, CaseIterable, Sendable {
    case slurm

    /// Processes on this machine.
    case local
  }

  /// The store of a host, which none shares with another one, wherever the directory is.
  package func store(of host: String) -> String {
    "\(directory)/.launchlab/hosts/\(host)/launchlab.sqlite"
  }

  /// Where builders publish what other hosts launch.
  package var sharedBuilds: String { "\(directory)/.launchlab/builds" }
}
