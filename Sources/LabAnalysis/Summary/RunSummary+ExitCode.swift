package import LabModel

extension RunSummary {
  /// The exit code that the run ends with.
  ///
  /// Where several reasons apply, the one that `LabExitCode` puts first decides.
  package var exitCode: LabExitCode {
    let doubt: LabExitCode = isTooDisturbed ? .inconclusive : .done
    return (arms.map(\.exitCode) + [run.status.exitCode, doubt]).max() ?? .done
  }
}

extension ArmSummary {
  /// How many launches were ready.
  var readyLaunches: Int { outcomes[Outcome.ready.name] ?? 0 }

  fileprivate var exitCode: LabExitCode {
    guard readyLaunches > 0 else { return .couldNotMeasure }
    return isDoubtful ? .inconclusive : .done
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
