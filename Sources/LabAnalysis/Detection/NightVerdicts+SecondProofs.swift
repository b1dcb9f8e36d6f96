import LabModel

extension NightVerdicts {
  /// The comparisons that must be made before suspicions may be refuted.
  ///
  /// By chance the first night of a new level may look like one of the old: then the last good build
  /// has the change already, and tonight's is no worse. So where a first comparison finds no
  /// difference, tonight's build is compared with that of the newest night of the baseline, too.
  ///
  /// - Parameter outcomes: What became of ``proofs``.
  /// - Returns: At most as many as there may be first ones, in the order of the series.
  package func secondProofs(after outcomes: [ProofOutcome]) -> [ProofRequest] {
    var requests: [ProofRequest] = []
    for judgement in judgements {
      guard let good = olderGood(of: judgement, after: outcomes) else { continue }
      if let index = requests.firstIndex(where: { $0.good.run == good.run }) {
        requests[index].series.append(judgement.chain.key)
      } else {
        requests.append(ProofRequest(good: good, series: [judgement.chain.key], kind: .step))
      }
    }
    return Array(requests.prefix(Self.mostProofs))
  }

  /// The newest night of the baseline, where its build has not been compared with tonight's yet.
  private func olderGood(of judgement: SeriesJudgement, after outcomes: [ProofOutcome]) -> Night? {
    let key = judgement.chain.key
    let proof = SeriesProof(of: key, kind: .step, in: outcomes)
    let pending = judgement.pending
    guard let direction = pending?.direction ?? judgement.suspicion?.direction,
      pending == nil || pending?.state == .suspected, proof.isNotCode(direction),
      let compared = proof.good.flatMap(night), let run = judgement.baseline?.runs.last,
      let older = night(run), older.startedAt < compared.startedAt,
      !older.isSameBuild(as: compared, of: key.target),
      !older.isSameBuild(as: tonight, of: key.target)
    else { return nil }
    return older
  }

  private func night(_ run: String) -> Night? { history.nights.first { $0.run == run } }
}
