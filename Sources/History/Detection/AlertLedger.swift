import Foundation
package import LaunchCore

/// The alerts of a scenario while the verdicts of a night are concluded.
struct AlertLedger {
  /// Ascending by number.
  private(set) var alerts: [Alert]

  /// The numbers of alerts that are new, or have a new event or proof.
  private(set) var changed: Set<Int> = []

  private var nextNumber: Int
  private let run: String
  private let at: Date

  init(_ alerts: [Alert], nextNumber: Int?, run: String, at: Date) {
    self.alerts = alerts
    self.run = run
    self.at = at
    self.nextNumber = max(nextNumber ?? 1, (alerts.map(\.number).max() ?? 0) + 1)
  }

  /// Adds an alert under the next number, with its first event.
  mutating func open(_ draft: AlertDraft, as change: AlertChange) {
    alerts.append(
      Alert(
        number: nextNumber,
        kind: draft.kind,
        series: draft.series,
        direction: draft.direction,
        state: change.state,
        cause: change.cause,
        onset: draft.onset,
        lastGood: draft.lastGood,
        before: draft.before,
        after: draft.after,
        proof: change.proof,
        events: [event(change)]
      )
    )
    changed.insert(nextNumber)
    nextNumber += 1
  }

  /// Gives an alert a new state; without a change of state or cause, only a new proof is kept, and of a
  /// suspected one its new level.
  ///
  /// - Parameters:
  ///   - number: That of the alert.
  ///   - change: What it comes to.
  ///   - after: Its level since then; nil for the one it has.
  ///   - beginning: Where a proof has moved its beginning to; nil for the one it has.
  mutating func change(
    _ number: Int,
    to change: AlertChange,
    after: Double? = nil,
    beginning: StepBeginning? = nil
  ) {
    guard let place = alerts.firstIndex(where: { $0.number == number }) else { return }
    if let proof = change.proof, proof != alerts[place].proof {
      alerts[place].proof = proof
      changed.insert(number)
    }
    guard alerts[place].state != change.state || alerts[place].cause != change.cause else {
      if change.state == .suspected, let after, after != alerts[place].after {
        alerts[place].after = after
        changed.insert(number)
      }
      return
    }
    alerts[place].state = change.state
    alerts[place].cause = change.cause
    alerts[place].after = after ?? alerts[place].after
    if let beginning {
      alerts[place].onset = beginning.onset
      alerts[place].lastGood = beginning.lastGood
    }
    alerts[place].events.append(event(change))
    changed.insert(number)
  }

  private func event(_ change: AlertChange) -> AlertEvent {
    AlertEvent(
      at: at,
      run: run,
      state: change.state,
      cause: change.cause,
      reason: change.reason,
      criteria: change.criteria
    )
  }
}

/// What an alert is about, before it has a number and a state.
struct AlertDraft {
  var kind: Alert.Kind
  var series: SeriesKey
  var direction: Alert.Direction
  var onset: String
  var lastGood: String?
  var before: Double
  var after: Double
}

/// The state that an alert comes to, and why.
struct AlertChange {
  var state: Alert.State
  var cause: Alert.Cause
  var reason: String
  var criteria: [Criterion]
  var proof: Proof?

  init(
    _ state: Alert.State,
    _ cause: Alert.Cause,
    _ reason: String,
    _ criteria: [Criterion],
    proof: Proof? = nil
  ) {
    self.state = state
    self.cause = cause
    self.reason = reason
    self.criteria = criteria
    self.proof = proof
  }
}

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
