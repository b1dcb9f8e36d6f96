// FleetEngines: what gives the hosts of a fleet their work.
//
// An engine is a means, not the truth: a job that it took may be lost, and one that it lost may run. Who
// asks it for jobs compares what was wanted with what was measured, and asks again. `SlurmEngine` talks to
// Slurm by its commands, `LocalEngine` starts processes on this machine.

/// Gives hosts jobs, one at a time on each.
package protocol FleetEngine: Sendable {
  /// The hosts that it knows, by name, and whether they can take a job.
  ///
  /// - Throws: ``FleetEngineError``.
  func hosts() async throws -> [FleetHost]

  /// The jobs that wait or run.
  ///
  /// - Throws: ``FleetEngineError``.
  func jobs() async throws -> [FleetJob]

  /// Asks for a job. That it was taken does not mean that it will run.
  ///
  /// - Throws: ``FleetEngineError``.
  func submit(_ work: FleetWork) async throws

  /// Ends jobs, with the time to clean up after themselves; ones that are gone are none.
  ///
  /// - Throws: ``FleetEngineError``.
  func cancel(_ jobs: [FleetJob]) async throws

  /// Keeps a host from taking further jobs until somebody brings it back.
  ///
  /// - Throws: ``FleetEngineError``.
  func drain(_ host: String, because reason: String) async throws

  /// Brings hosts back that the engine has drained for a mistake of its own.
  ///
  /// - Parameter hosts: All that it knows.
  /// - Returns: Whether there were any; they take jobs a moment later.
  /// - Throws: ``FleetEngineError``.
  func mend(_ hosts: [FleetHost]) async throws -> Bool
}

extension FleetEngine {
  package func mend(_ hosts: [FleetHost]) async throws -> Bool { false }
}

/// A host as an engine sees it.
package struct FleetHost: Hashable, Sendable {
  package var name: String

  /// Why it takes no job, as the engine says it, such as `down: Not responding`; nil if it does.
  package var obstacle: String?

  /// For how long the engine has been at work there; nil where it does not say so.
  ///
  /// A job that is older was there when the host was lost, or its daemon was: it may be gone.
  package var up: Duration?

  package init(name: String, obstacle: String? = nil, up: Duration? = nil) {
    self.name = name
    self.obstacle = obstacle
    self.up = up
  }
}

/// A job that waits or runs.
package struct FleetJob: Hashable, Sendable {
  /// What the engine knows it by.
  ///
  /// Ids may be given out again, so that nothing is remembered by them.
  package var id: String

  /// The name that its ``FleetWork`` had.
  package var name: String

  /// For how long it has been running; nil while it waits.
  package var running: Duration?

  /// Why it waits, as the engine says it.
  package var reason: String?

  package init(id: String, name: String, running: Duration? = nil, reason: String? = nil) {
    self.id = id
    self.name = name
    self.running = running
    self.reason = reason
  }
}

/// What a host is asked to do.
package struct FleetWork: Hashable, Sendable {
  /// Unique among all jobs of the engine; printable ASCII without spaces.
  package var name: String

  /// The only host that it may run on.
  package var host: String

  /// The program, with an absolute path, and its arguments.
  package var command: [String]

  /// The working directory, as an absolute path on the host.
  package var directory: String

  /// What is added to the environment of the host.
  package var environment: [String: String]

  /// After which it is ended.
  package var timeLimit: Duration

  package init(
    name: String,
    host: String,
    command: [String],
    directory: String,
    environment: [String: String] = [:],
    timeLimit: Duration
  ) {
    self.name = name
    self.host = host
    self.command = command
    self.directory = directory
    self.environment = environment
    self.timeLimit = timeLimit
  }
}
