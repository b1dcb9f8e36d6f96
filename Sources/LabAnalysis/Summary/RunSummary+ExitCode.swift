package import LabModel

extension RunSummary {
  /// The exit code that the run ends with.
  ///
  /// Where several reasons apply, the one that `LabExitCode` puts first decides.
  package var exitCode: LabExitCode {
    (arms.map(\.exitCode) + [run.status.exitCode]).max() ?? .done
  }
}

extension ArmSummary {
  /// How many launches were ready.
  var readyLaunches: Int { outcomes[Outcome.ready.name] ?? 0 }

  fileprivate var exitCode: LabExitCode {
    guard readyLaunches > 0 else { return .couldNotMeasure }
    return isUnreached ? .inconclusive : .done
  }
}

extension RunRecord.Status {
  fileprivate var exitCode: LabExitCode {
    switch self {
    case .failed: .couldNotMeasure
    case .interrupted: .interrupted
    case .complete, .unfinished: .done
    }
  }
}
