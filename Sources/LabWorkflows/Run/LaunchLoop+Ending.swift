import LabModel

extension LaunchLoop.Ending {
  var status: RunRecord.Status {
    switch self {
    case .complete: .complete
    case .failed, .unprepared: .failed
    case .interrupted: .interrupted
    }
  }

  /// What a person should know of an ending that is not complete.
  ///
  /// - Parameters:
  ///   - scenario: What was run.
  ///   - resumption: The command that goes on after an interruption, where there is one.
  /// - Returns: Nil for a complete run.
  func diagnostic(in scenario: Scenario, resumption: String? = nil) -> Diagnostic? {
    switch self {
    case .complete:
      nil
    case .failed(let arm, let record, let times):
      FailureDiagnostic.make(
        arm: arm,
        ready: scenario.targets.first { $0.name == arm.target }?.ready ?? .exit,
        record: record,
        times: times
      )
    case .unprepared(let diagnostic):
      diagnostic
    case .interrupted:
      Diagnostic(
        .warning,
        id: "interrupted",
        problem: "interrupted; the complete blocks are stored",
        remedy: resumption.map { "go on with `\($0)`" }
      )
    }
  }
}
