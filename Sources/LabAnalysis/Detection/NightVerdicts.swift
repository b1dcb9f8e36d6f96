package import Foundation
package import LabModel

/// What the stored history of a scenario says of one night.
///
/// Nothing after that night is looked at, but for the alerts, which are taken as they stand. Making
/// it costs O(points); the segmentation of ``trends`` costs more, see `PottsSegmentation`.
package struct NightVerdicts: Sendable {
  /// The most comparisons that one night asks for.
  static let mostProofs = 2

  let history: TrendHistory
  let tonight: Night
  let rule: RegressionRule

  /// In the order of the history.
  let judgements: [SeriesJudgement]

  /// Judges a night.
  ///
  /// - Parameters:
  ///   - history: Everything stored of the scenario.
  ///   - run: The run of the night, one of the history's.
  package init(_ history: TrendHistory, tonight run: String) {
    guard let night = history.nights.first(where: { $0.run == run }) else {
      preconditionFailure("the night is one of the history's")
    }
    self.history = history
    tonight = night
    let rule = history.scenario.regression ?? RegressionRule()
    self.rule = rule
    judgements = ChainBuilder(history, tonight: night).chains()
      .map { SeriesJudgement($0, rule: rule) }
      .controllingFalseDiscoveries()
  }

  /// The series of tonight's host with the stored alerts, the worst first; those of the control and
  /// the floor last.
  package var trends: [SeriesTrend] {
    let releases = history.scenario.releases ?? []
    return judgements.map { SeriesTrend($0, releases: releases) }.sortedByGravity()
  }

  /// The alerts that are new tonight, or have a new event or proof.
  ///
  /// - Parameters:
  ///   - proofs: What became of ``proofs``; one that is not there counts as not made.
  ///   - at: The time of every new event.
  ///   - nextNumber: The number of the first new alert.
  /// - Returns: Ascending by number. The history is not segmented for it.
  package func changedAlerts(proofs: [ProofOutcome], at: Date, nextNumber: Int) -> [Alert] {
    let ledger = ledger(proofs: proofs, at: at, nextNumber: nextNumber)
    return ledger.alerts.filter { ledger.changed.contains($0.number) }
  }

  func ledger(proofs: [ProofOutcome], at: Date, nextNumber: Int? = nil) -> AlertLedger {
    var ledger = AlertLedger(
      history.alerts,
      nextNumber: nextNumber,
      run: tonight.run,
      at: at
    )
    for judgement in judgements {
      let proof = SeriesProof(of: judgement.chain.key, kind: .step, in: proofs)
      let evidence = StepEvidence(judgement, among: judgements, rule: rule, proof: proof)
      StepLifeCycle(evidence).apply(to: &ledger)
    }
    for judgement in judgements {
      let proof = SeriesProof(of: judgement.chain.key, kind: .drift, in: proofs)
      drift(of: judgement, proof: proof).apply(to: &ledger)
    }
    for budget in history.scenario.budgets ?? [] {
      guard let judgement = judgements.first(where: { budget.isOf($0.chain.key) }) else { continue }
      let check = BudgetCheck(budget, tonight: judgement.tonight)
      let key = judgement.chain.key
      BudgetLifeCycle(check, of: key, run: tonight.run, alerts: history.alerts).apply(to: &ledger)
    }
    DroppedSeries(history.scenario).apply(to: &ledger)
    return ledger
  }

  func drift(of judgement: SeriesJudgement, proof: SeriesProof = .none) -> DriftLifeCycle {
    let releases = history.scenario.releases ?? []
    let checks =
      judgement.isJudged
      ? DriftComparison(judgement.chain, rule: rule, releases: releases).checks() : []
    return DriftLifeCycle(judgement, checks: checks, alerts: history.alerts, proof: proof)
  }
}
