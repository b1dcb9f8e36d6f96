import Foundation
import LaunchCore
import LaunchStore

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
    let counted = try countedAlerts()
    let history = try history(counted)
    guard let tonight = history.nights.last(where: { $0.run == run.id }) else { return [] }
    let verdicts = NightVerdicts(history, tonight: run.id)
    var proofs: [ProofOutcome] = []
    for request in verdicts.proofs { proofs.append(await prove(request, tonight)) }
    for request in verdicts.secondProofs(after: proofs) {
      proofs.append(await prove(request, tonight))
    }
    try save(verdicts, of: counted, with: proofs, at: date)
    return proofs.compactMap(Self.note)
  }

  /// Judges an imported night, of which nothing can be launched, and stores the alerts.
  ///
  /// - Throws: `StoreError`.
  func conclude(at date: Date) throws {
    let counted = try countedAlerts()
    let verdicts = NightVerdicts(try history(counted), tonight: run.id)
    try save(verdicts, of: counted, with: [], at: date)
  }

  /// Concludes, and stores what has changed.
  ///
  /// While proofs were launched, somebody may have acknowledged an alert, or the night of another
  /// scenario may have taken the next number. Then it is concluded again with the alerts of now.
  private func save(
    _ verdicts: NightVerdicts,
    of counted: CountedAlerts,
    with proofs: [ProofOutcome],
    at date: Date
  ) throws {
    var verdicts = verdicts
    var counted = counted
    var kept = proofs
    for left in (0..<Self.mostTries).reversed() {
      do {
        let number = try store.nextAlertNumber()
        let changed = verdicts.changedAlerts(proofs: kept, at: date, nextNumber: number)
        return try store.save(changed.map(counted.kept))
      } catch StoreError.changedAlert where left > 0 {
        counted = try countedAlerts()
        verdicts = NightVerdicts(try history(counted), tonight: run.id)
        kept = Self.wanted(verdicts.proofs + verdicts.secondProofs(after: proofs), of: proofs)
      }
    }
  }

  private static let mostTries = 20

  /// The proofs that still answer a question: not those of an alert that was acknowledged meanwhile.
  private static func wanted(
    _ requests: [ProofRequest],
    of proofs: [ProofOutcome]
  ) -> [ProofOutcome] {
    proofs.compactMap { outcome in
      var kept = outcome
      kept.request.series = outcome.request.series.filter { series in
        requests.contains { request in
          request.kind == outcome.request.kind && request.good.run == outcome.request.good.run
            && request.series.contains(series)
        }
      }
      return kept.request.series.isEmpty ? nil : kept
    }
  }

  private var host: NightChoice { .host(identity: run.host.identity) }

  private func history(_ counted: CountedAlerts) throws -> TrendHistory {
    let scenario = run.plan.scenario
    return TrendHistory(
      scenario: scenario,
      nights: counted.nights,
      series: try store.series(scenario: scenario.name, metrics: scenario.trendMetrics, of: host),
      alerts: counted.alerts,
      isImported: run.purpose == .imported
    )
  }

  private func countedAlerts() throws -> CountedAlerts {
    let scenario = run.plan.scenario.name
    return try CountedAlerts(
      of: scenario,
      in: store,
      nights: try store.nights(scenario: scenario, host)
    )
  }

  /// A suspicion stays one when it could not be proved, which a person should know.
  private static func note(on outcome: ProofOutcome) -> Diagnostic? {
    guard case .impossible(let reason) = outcome.answer, let key = outcome.request.series.first
    else { return nil }
    return Diagnostic(
      .warning,
      id: "no-proof",
      problem: "the suspicion could not be settled tonight: \(reason)",
      place: "\(key.target) \(key.state.rawValue) \(key.metric.rawValue), last good run "
        + outcome.request.good.run,
      remedy: "the next night tries again; compare by hand with `launchlab compare`"
    )
  }
}
