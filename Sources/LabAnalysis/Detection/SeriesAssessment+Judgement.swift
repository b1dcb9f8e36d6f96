import Foundation
import LabModel

extension SeriesAssessment {
  init(_ judgement: SeriesJudgement) {
    let chain = judgement.chain
    let state = AlertState(judgement)
    self.init(
      tonight: judgement.tonight,
      baseline: judgement.baseline,
      outcome: state.outcome,
      direction: judgement.suspicion.flatMap { suspicion in
        suspicion.isBeyondMargin ? suspicion.direction : nil
      },
      probability: judgement.suspicion?.probability,
      criteria: judgement.criteria,
      alert: state.alert?.number,
      overOneNight: chain.ratio(overDays: 1, within: 0.5),
      overSevenNights: chain.ratio(overDays: 7, within: 1),
      overThirtyNights: chain.ratio(overDays: 30, within: 3)
    )
  }
}

/// What the alerts of a series make of its night.
private struct AlertState {
  let outcome: SeriesAssessment.Outcome

  /// The open alert that decides, if there is one.
  let alert: Alert?

  init(_ judgement: SeriesJudgement) {
    let alerts = judgement.chain.alerts.filter { $0.isOpen && $0.kind != .budget }
    let pending = alerts.last { $0.isPending && $0.isRed } ?? alerts.last(where: \.isPending)
    let moved = alerts.last(where: \.movesBaseline)
    let acknowledged = alerts.last { $0.state == .acknowledged }
    let isYoung = judgement.baseline == nil
    if !judgement.chain.isTonight {
      (outcome, alert) = (.missing, pending ?? acknowledged)
    } else if let pending {
      (outcome, alert) = (Self.outcome(of: pending), pending)
    } else if judgement.isSuspicious, judgement.dormant == nil {
      (outcome, alert) = (.suspected, nil)
    } else if isYoung, let moved {
      (outcome, alert) = (Self.outcome(of: moved), moved)
    } else if let acknowledged {
      (outcome, alert) = (.acknowledged, acknowledged)
    } else {
      (outcome, alert) = (isYoung ? .new : .quiet, nil)
    }
  }

  private static func outcome(of alert: Alert) -> SeriesAssessment.Outcome {
    if alert.state == .suspected { return .suspected }
    if alert.state == .acknowledged { return .acknowledged }
    if alert.cause == .machine { return .machine }
    return alert.direction == .worse ? .regression : .improvement
  }
}

extension SeriesChain {
  /// Tonight's median divided by that of some days before.
  ///
  /// - Parameters:
  ///   - days: How long before tonight.
  ///   - tolerance: By how many days the night may be off; the nearest one is taken.
  /// - Returns: Nil without such a night on this side of the last break: no value is carried over.
  func ratio(overDays days: Double, within tolerance: Double) -> Double? {
    guard isTonight, let tonight = points.last else { return nil }
    func distance(_ point: SeriesPoint) -> Double {
      abs(tonight.startedAt.timeIntervalSince(point.startedAt) / DriftComparison.day - days)
    }
    let candidates = points[partStart...].dropLast().filter { distance($0) <= tolerance }
    guard let then = candidates.min(by: { distance($0) < distance($1) }), then.median != 0 else {
      return nil
    }
    return tonight.median / then.median
  }
}
