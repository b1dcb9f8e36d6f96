import Foundation
import LabAnalysis
import LabModel
import LabStore

/// Judges a night against its history, has suspicions proved, and stores what is concluded.
struct VerdictWorkflow {
  let store: Store

  /// Tonight's run, complete and stored.
  let run: RunRecord

  /// Judges the night, and stores the alerts that are new or have a new event.
  ///
  /// - Parameters:
  ///   - date: When it is concluded.
  ///   - prove: Launches what is in doubt.
  /// - Returns: Why suspicions could not be proved.
  /// - Throws: `StoreError`.
  func conclude(
    at date: Date,
    proving prove: (ProofRequest, Night) async -> ProofOutcome
  ) async throws -> [Diagnostic] {
    let history = try history()
    guard let tonight = history.nights.last(where: { $0.run == run.id }) else { return [] }
    let verdicts = NightVerdicts(history, tonight: run.id)
    var proofs: [ProofOutcome] = []
    for request in verdicts.proofs { proofs.append(await prove(request, tonight)) }
    for request in verdicts.secondProofs(after: proofs) {
      proofs.append(await prove(request, tonight))
    }
    try store.save(
      verdicts.changedAlerts(proofs: proofs, at: date, nextNumber: try store.nextAlertNumber())
    )
    return proofs.compactMap(Self.note)
  }

  private func history() throws -> TrendHistory {
    let scenario = run.plan.scenario
    return TrendHistory(
      scenario: scenario,
      nights: try store.nights(scenario: scenario.name),
      series: try store.series(scenario: scenario.name, metrics: scenario.trendMetrics),
      alerts: try store.alerts(scenario: scenario.name)
    )
  }

  /// A suspicion stays one when it could not be proved, which a person should know.
  private static func note(on outcome: ProofOutcome) -> Diagnostic? {
    guard case .impossible(let reason) = outcome.answer, let key = outcome.request.series.first
    else { return nil }
    return Diagnostic(
      .warning,
      id: "no-proof",
      problem: "the suspicion could not be proved tonight: \(reason)",
      place: "\(key.target) \(key.state.rawValue) \(key.metric.rawValue), last good run "
        + outcome.request.good.run,
      remedy: "it is looked at again in the next night; compare by hand with `launchlab compare`"
    )
  }
}
