import LabModel

extension Alert {
  /// Whether the alert names a machine change that nothing is compared across.
  var isMachineStep: Bool {
    kind == .step && cause == .machine && (state == .confirmed || state == .acknowledged)
  }

  /// Whether it is a step that explains by how much the level has changed.
  var isSettledStep: Bool {
    kind == .step && (state == .confirmed || state == .acknowledged) && before > 0 && after > 0
  }

  /// Whether the new level counts as the normal one, so that nights before `onset` no longer count.
  package var movesBaseline: Bool {
    guard kind == .step else { return false }
    switch state {
    case .acknowledged: return true
    case .confirmed: return cause == .machine || direction == .better
    case .suspected, .fixed, .recovered, .refuted: return false
    }
  }

  /// Whether it waits for an end of its own: suspected, or confirmed without moving the baseline.
  package var isPending: Bool {
    state == .suspected || (state == .confirmed && !movesBaseline)
  }

  /// The first night on which the old level was back, for an alert that has ended.
  var endRun: String? {
    guard state == .fixed || state == .recovered, let last = events.last else { return nil }
    return last.criteria.first { $0.id == CriterionID.levelBack }?.runs.first ?? last.run
  }

  /// Whether an interleaved comparison, or equal builds, said that it is not the code.
  var isNotCode: Bool {
    if let proof, proof.verdict != .inconclusive, proof.verdict != direction.verdict { return true }
    return events.contains { event in
      event.criteria.contains { $0.id == CriterionID.sameBuild && !$0.isMet }
    }
  }
}
