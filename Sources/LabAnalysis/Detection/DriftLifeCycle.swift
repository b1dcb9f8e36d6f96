import Foundation
import LabModel

/// What tonight does to the drift alerts of one series.
struct DriftLifeCycle {
  /// For how many days a drift that was not confirmed is left alone.
  static let pause = 7

  private let judgement: SeriesJudgement
  private let checks: [DriftCheck]
  private let proof: SeriesProof
  private let alerts: [Alert]

  private var chain: SeriesChain { judgement.chain }

  /// - Parameters:
  ///   - judgement: That of the series.
  ///   - checks: Those of tonight.
  ///   - alerts: Every alert of the scenario.
  ///   - proof: What became of the proof that was asked for.
  init(
    _ judgement: SeriesJudgement,
    checks: [DriftCheck],
    alerts: [Alert],
    proof: SeriesProof = .none
  ) {
    self.judgement = judgement
    self.checks = checks
    self.proof = proof
    self.alerts = alerts.filter {
      $0.kind == .drift && $0.series.isSameArm(as: judgement.chain.key)
    }
  }

  /// The check that a proof is asked for: the first one that is beyond the limit.
  ///
  /// Nil while a drift alert of the series is confirmed, for 7 days after the last word on one, and
  /// while a step waits for its end, whose effect would be taken for drift. What stays suspected is
  /// looked at every 7 days.
  var wanted: DriftCheck? {
    guard judgement.isJudged, judgement.pending == nil, let tonight = judgement.tonight,
      let check = checks.first(where: \.isBeyond)
    else { return nil }
    guard let last = alerts.last else { return check }
    if last.isOpen, last.state != .suspected { return nil }
    guard let event = last.events.last?.run,
      let night = chain.nights.first(where: { $0.run == event })
    else { return check }
    let gap = tonight.startedAt.timeIntervalSince(night.startedAt) / DriftComparison.day
    let days = Int(gap.rounded())
    let isDue = last.state == .suspected ? days.isMultiple(of: Self.pause) : true
    return days >= Self.pause && isDue ? check : nil
  }

  func apply(to ledger: inout AlertLedger) {
    guard judgement.isJudged, let tonight = judgement.tonight else { return }
    if let open = alerts.last(where: \.isOpen) {
      if checks.contains(where: \.isBeyond) {
        guard open.state == .suspected, let wanted else { return }
        ledger.change(open.number, to: settlement(wanted))
      } else if !checks.isEmpty {
        let criteria = checks.flatMap { self.criteria(of: $0) }
        let change = AlertChange(
          open.state == .suspected ? .refuted : .recovered,
          open.cause,
          "the level is back within the effect limit of long ago",
          criteria
        )
        ledger.change(open.number, to: change)
      }
    } else if let wanted, let direction = direction(of: wanted) {
      let draft = AlertDraft(
        kind: .drift,
        series: chain.key,
        direction: direction,
        onset: tonight.run,
        lastGood: wanted.reference,
        before: wanted.before,
        after: wanted.now
      )
      ledger.open(draft, as: settlement(wanted))
    }
  }

  private func direction(of check: DriftCheck) -> Alert.Direction? {
    Alert.Direction(from: 1, to: check.unexplained, metric: chain.key.metric)
  }

  private func settlement(_ check: DriftCheck) -> AlertChange {
    let direction = direction(of: check) ?? .worse
    let criteria =
      self.criteria(of: check) + proof.criteria(direction, metric: chain.key.metric)
    func change(_ state: Alert.State, _ cause: Alert.Cause, _ reason: String) -> AlertChange {
      AlertChange(state, cause, reason, criteria, proof: proof.proof)
    }
    let word = direction == .worse ? "worse" : "better"
    if let compared = proof.proof, compared.verdict == direction.verdict {
      let reason = "\(compared.bad) is \(word) than \(compared.good) of \(check.against)"
      return change(.confirmed, .code, reason)
    }
    if proof.isNotCode(direction) {
      let reason = "the build of \(check.against) is as good as tonight's: the machine has drifted"
      return change(.refuted, .machine, reason)
    }
    return change(.suspected, .unknown, "the level is \(word) than \(check.against)")
  }

  private func criteria(of check: DriftCheck) -> [Criterion] {
    check.criteria(rule: judgement.rule, unit: Criterion.Unit(chain.key.metric.unit))
  }
}
