package import LabModel

extension StateReached {
  /// Judges whether a launch had the state that was asked for.
  ///
  /// A cold launch must find no page of the target's own files resident; a warm one must have no
  /// major fault (DESIGN section 4).
  ///
  /// - Parameters:
  ///   - state: What was asked for.
  ///   - preparation: What was done before the launch, with the residency read last.
  ///   - result: What the launch gave.
  /// - Returns: The judgement, with the reason when the state was not reached or not verified.
  package static func judged(
    _ state: LaunchState,
    preparation: Preparation,
    result: LaunchResult
  ) -> StateReached {
    if state.isCold { return judgedCold(preparation) }
    guard let majorFaults = result.figures.majorFaults else {
      let reason = result.figures.missing[Metric.majorFaults.rawValue] ?? "the launch did not end"
      return .notVerified(reason: "major faults are not known: \(reason)")
    }
    guard majorFaults > 0 else { return .reached }
    return .notReached(reason: preparation.failure ?? "the launch had major faults")
  }

  private static func judgedCold(_ preparation: Preparation) -> StateReached {
    if let failure = preparation.failure { return .notReached(reason: failure) }
    if let unverified = preparation.unverified { return .notVerified(reason: unverified) }
    let stayed = preparation.residency.filter { $0.isOwn && $0.residentPages > 0 }
    guard let worst = stayed.max(by: { $0.residentPages < $1.residentPages }) else {
      return .reached
    }
    let cause = worst.pinnedBy.map { " (\($0))" } ?? ""
    return .notReached(reason: "pages of \(worst.path) stayed\(cause)")
  }
}
