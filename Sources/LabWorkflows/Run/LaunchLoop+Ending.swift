import LabModel

extension LaunchLoop.Ending {
  var status: RunRecord.Status {
    switch self {
    case .complete: .complete
    case .failed: .failed
    case .interrupted: .interrupted
    }
  }

  /// What a person should know of an ending that is not complete.
  ///
  /// - Parameters:
  ///   - scenario: What was launched.
  ///   - isStored: Whether the launches were stored, so that they can be gone on with.
  /// - Returns: The diagnostic; nil when every block was launched.
  func diagnostic(in scenario: Scenario, isStored: Bool = true) -> Diagnostic? {
    switch self {
    case .complete:
      nil
    case .failed(let arm, let record):
      FailureDiagnostic.make(
        arm: arm,
        ready: scenario.targets.first { $0.name == arm.target }?.ready ?? .exit,
        record: record
      )
    case .interrupted:
      Diagnostic(
        .warning,
        id: "interrupted",
        problem: isStored
          ? "interrupted; the complete blocks are stored"
          : "interrupted; what follows is of the launches before",
        remedy: isStored
          ? "go on with `--resume last` where the run has a scenario file"
          : "launch again for all of them"
      )
    }
  }
}
