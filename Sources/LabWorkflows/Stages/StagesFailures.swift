import LabModel

/// What went wrong with launches that are not stored, so that nobody can look at them later.
struct StagesFailures {
  let ending: LaunchLoop.Ending

  /// The last launch that was not ready.
  let unready: (arm: Arm, record: LaunchRecord)?

  let scenario: Scenario

  /// The warnings of the launches, the gravest first.
  ///
  /// - Parameter warnings: Those that are concluded from the launches alone.
  /// - Returns: The same, but with what the target printed instead of where it is stored.
  func told(with warnings: [Diagnostic]) -> [Diagnostic] {
    let isFailure = warnings.contains { $0.id == Self.noneReady }
    var told = warnings.filter { !isFailure || $0.id != Self.noneReady }
    for index in told.indices where told[index].remedy?.contains("launchlab export") == true {
      told[index].remedy = "run the command by hand, and see why it fails"
    }
    return [self.ending(isFailure)].compactMap(\.self) + told
  }

  private static let noneReady = "no-ready-launch"

  private func ending(_ isFailure: Bool) -> Diagnostic? {
    switch ending {
    case .failed, .unprepared: return ending.diagnostic(in: scenario)
    case .interrupted:
      return Diagnostic(
        .warning,
        id: "interrupted",
        problem: "interrupted; only the launches before it are shown"
      )
    case .complete:
      guard isFailure, let unready else { return nil }
      let target = scenario.targets.first { $0.name == unready.arm.target }
      return FailureDiagnostic.make(
        unready: unready.arm,
        ready: target?.ready ?? .exit,
        record: unready.record
      )
    }
  }
}
