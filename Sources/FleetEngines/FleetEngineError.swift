package import LaunchCore

/// Why an engine could not do what was asked for.
package enum FleetEngineError: LabError, Equatable {
  /// A command of the engine is not in PATH.
  case noCommand(String)

  /// The engine is not set up on this machine.
  case notConfigured(reason: String)

  /// The engine cannot be reached or is starting up; the same may succeed later.
  case away(reason: String)

  /// A command of the engine did not end in time; what it was asked for may be done.
  case tooSlow(command: String, limit: Duration)

  /// The engine does not know the host.
  case unknownHost(String)

  /// The engine does not know the partition, or no host is in it.
  case unknownPartition(String)

  /// The engine does not allow this, such as for want of rights.
  case refused(reason: String)

  /// A command of the engine ended or answered as it should not.
  case oddAnswer(command: String, detail: String)

  package var diagnostics: [Diagnostic] {
    [Diagnostic(.error, id: id, problem: problem, place: place, remedy: remedy)]
  }

  package var exitCode: LabExitCode { .couldNotMeasure }

  /// Whether the same may succeed in a moment.
  package var mayPass: Bool {
    switch self {
    case .away, .tooSlow: true
    default: false
    }
  }
}

// MARK: - Text

extension FleetEngineError {
  private var id: String {
    switch self {
    case .noCommand: "fleet-no-command"
    case .notConfigured: "fleet-not-configured"
    case .away: "fleet-away"
    case .tooSlow: "fleet-slow"
    case .unknownHost: "fleet-host"
    case .unknownPartition: "fleet-partition"
    case .refused: "fleet-refused"
    case .oddAnswer: "fleet-odd-answer"
    }
  }

  private var problem: String {
    switch self {
    case .noCommand(let name): "\(name) not found in PATH, needed to give hosts their work"
    case .notConfigured(let reason): "Slurm is not set up on this machine: \(reason)"
    case .away(let reason): "the controller of Slurm cannot be reached: \(reason)"
    case .tooSlow(let command, let limit):
      "\(command) did not end within \(limit.components.seconds) s"
    case .unknownHost(let host): "the fleet has no host \"\(host)\""
    case .unknownPartition(let partition): "Slurm has no partition \"\(partition)\" with hosts"
    case .refused(let reason): "the engine of the fleet refuses this: \(reason)"
    case .oddAnswer(let command, let detail): "unexpected answer from \(command): \(detail)"
    }
  }

  private var place: String? {
    switch self {
    case .noCommand: "PATH"
    default: nil
    }
  }

  private var remedy: String {
    switch self {
    case .noCommand: "install Slurm's commands with `apt-get install slurm-client`"
    case .notConfigured: "copy slurm.conf from the controller, or name it by SLURM_CONF"
    case .away: "check it with `scontrol ping`, and try again; jobs that run go on"
    case .tooSlow: "check the controller with `scontrol ping`, and try again"
    case .unknownHost: "name one of the fleet; `sinfo --Node` shows those of Slurm"
    case .unknownPartition: "see `sinfo` for the partitions that Slurm knows"
    case .refused: "fix what the reason names, or ask who runs the fleet"
    case .oddAnswer: "run the command by hand; launchlab is tested with Slurm 22.05"
    }
  }
}
