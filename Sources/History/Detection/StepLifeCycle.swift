import LaunchCore
import LaunchStatistics

/// What tonight does to the step alerts of one series.
struct StepLifeCycle {
  private let judgement: SeriesJudgement
  private let evidence: StepEvidence

  private var chain: SeriesChain { judgement.chain }
  private var metric: Metric { chain.key.metric }

  init(_ evidence: StepEvidence) {
    self.evidence = evidence
    judgement = evidence.judgement
  }

  func apply(to ledger: inout AlertLedger) {
    guard judgement.isJudged, chain.isTonight else { return }
    refuteBroken(in: &ledger)
    if let pending = judgement.pending {
      if let back = evidence.levelBack(of: pending) {
        end(pending, back, in: &ledger)
      } else if pending.state == .suspected {
        settle(pending, in: &ledger)
      } else if let proof = evidence.proof.proof {
        let change = AlertChange(pending.state, pending.cause, "", [], proof: proof)
        ledger.change(pending.number, to: change)
      }
    } else if let dormant = judgement.dormant {
      settle(dormant, in: &ledger)
    } else if let trend = evidence.imported {
      openLevel(of: trend, in: &ledger)
    } else if judgement.isSuspicious || isFound {
      open(in: &ledger)
    }
    endMoved(in: &ledger)
  }

  // MARK: - Beginning

  /// Whether a comparison found what the scatter of the nights hides.
  private var isFound: Bool {
    guard judgement.isHidden, let proof = evidence.proof.proof else { return false }
    return proof.verdict == .regression
  }

  private func open(in ledger: inout AlertLedger) {
    guard let suspicion = judgement.suspicion, let baseline = judgement.baseline else { return }
    let lastGood = isFound ? evidence.proof.good : judgement.lastGood.map { chain.points[$0].run }
    let beginning =
      evidence.provedBeginning(suspicion.direction, lastGood: lastGood)
      ?? StepBeginning(onset: chain.points[suspicion.onset].run, lastGood: lastGood)
    let draft = AlertDraft(
      kind: .step,
      series: chain.key,
      direction: suspicion.direction,
      onset: beginning.onset,
      lastGood: beginning.lastGood,
      before: baseline.median,
      after: level(since: suspicion.onset, from: baseline.median)
    )
    ledger.open(draft, as: settlement(suspicion.direction, step: nil, wasNotCode: false))
  }

  /// Opens an alert of a level that got worse, where no suspicion can be proved.
  private func openLevel(of trend: SeriesTrend, in ledger: inout AlertLedger) {
    guard let level = trend.worseLevel(judgement.rule) else { return }
    let after = self.level(since: level.index, from: level.before)
    let draft = AlertDraft(
      kind: .step,
      series: chain.key,
      direction: .worse,
      onset: chain.points[level.index].run,
      lastGood: chain.points[level.index - 1].run,
      before: level.before,
      after: after
    )
    ledger.open(draft, as: importedChange(trend, since: level.index, level.before, after))
  }

  /// A new level is confirmed by the nights that it lasts, and its cause stays unknown.
  private func importedChange(
    _ trend: SeriesTrend,
    since onset: Int,
    _ before: Double,
    _ after: Double
  ) -> AlertChange {
    let step = evidence.step(from: before, to: after, since: onset)
    let nights = trend.nightsOfLevel(before: onset)
    if let lasts = judgement.levelLasts(after: nights, before: before, after: after) {
      return AlertChange(.confirmed, .unknown, "the new level has lasted", [step] + lasts)
    }
    let reason = "the level is worse, but may not last"
    return AlertChange(.suspected, .unknown, reason, [step])
  }

  /// Looks again at an alert that is suspected, or was refuted a few nights ago.
  private func settle(_ alert: Alert, in ledger: inout AlertLedger) {
    if let trend = evidence.imported {
      guard let onset = chain.index(of: alert.onset) else { return }
      let level = level(of: alert, since: onset)
      let change = importedChange(trend, since: onset, alert.before, level)
      return ledger.change(alert.number, to: change, after: level)
    }
    let isRefuted = alert.state == .refuted
    let step = evidence.segmentedStep(of: alert)
    let isAsked = judgement.isSuspicious && judgement.suspicion?.direction == alert.direction
    guard !isRefuted || step != nil || isAsked else { return }
    var change = settlement(alert.direction, step: step, wasNotCode: wasNotCode(alert))
    // A refuted suspicion is taken up again only when something is settled.
    if isRefuted, change.state == .suspected { change.state = .refuted }
    if isRefuted, change.state == .refuted { change.cause = alert.cause }
    let onset = chain.index(of: alert.onset) ?? chain.points.count - 1
    ledger.change(
      alert.number,
      to: change,
      after: level(of: alert, since: onset),
      beginning: evidence.provedBeginning(alert.direction, lastGood: alert.lastGood)
    )
  }

  /// Whether it was settled in an earlier night that tonight's build is not the cause: what was said
  /// of another build says nothing of it.
  private func wasNotCode(_ alert: Alert) -> Bool {
    guard alert.isNotCode, let tonight = chain.nights.last else { return false }
    let target = chain.key.target
    let settled = chain.nights.last { $0.run == alert.events.last?.run }
    return settled.map { tonight.isSameBuild(as: $0, of: target) } ?? false
      || alert.proof.map { tonight.isBuild($0.bad, of: target) } ?? false
  }

  /// What the evidence of tonight makes of a step.
  private func settlement(
    _ direction: Alert.Direction,
    step: Criterion?,
    wasNotCode: Bool
  ) -> AlertChange {
    let proof = evidence.proof
    let criteria =
      judgement.criteria + evidence.otherCriteria(direction)
      + proof.criteria(direction, metric: metric) + (step.map { [$0] } ?? [])
    func change(_ state: Alert.State, _ cause: Alert.Cause, _ reason: String) -> AlertChange {
      AlertChange(state, cause, reason, criteria, proof: proof.proof)
    }
    let word = direction == .worse ? "worse" : "better"
    if let compared = proof.proof, compared.verdict == direction.verdict {
      let reason = "\(compared.bad) is \(word) than \(compared.good), launched interleaved"
      return change(.confirmed, .code, reason)
    }
    if judgement.suspicion?.isTwoOfThree == true, judgement.suspicion?.direction == direction,
      evidence.controlExplains(direction)
    {
      return change(.confirmed, .machine, "the control is \(word) as well")
    }
    if proof.isNotCode(direction) || wasNotCode {
      if step != nil {
        return change(.confirmed, .machine, "the level changed, but the build is not \(word)")
      }
      let isSame = if case .sameBuild = proof.answer { true } else { false }
      let reason =
        isSame
        ? "the build is the same as on the last good night"
        : "tonight's build is not \(word) than the last good one, launched interleaved"
      return change(.refuted, .unknown, reason)
    }
    return change(.suspected, .unknown, suspectedReason(word))
  }

  private func suspectedReason(_ word: String) -> String {
    switch evidence.proof.answer {
    case .compared: "the interleaved comparison of the builds is inconclusive"
    case .impossible(let reason): "tonight is \(word) than the baseline; \(reason)"
    case .sameBuild, .none: "tonight is \(word) than the baseline"
    }
  }

  // MARK: - End

  /// Ends an alert whose old level seems to be back.
  ///
  /// A few nights by chance on the good side of the limit end nothing that is confirmed: that takes a
  /// comparison of the builds, or as many nights as it takes to tell.
  private func end(_ alert: Alert, _ back: Criterion, in ledger: inout AlertLedger) {
    let proof = evidence.proof
    let returned = levelReturned(from: alert)
    let criteria =
      [back] + (returned ?? []) + proof.criteria(alert.direction, metric: metric)
    func change(_ state: Alert.State, _ reason: String) {
      let change = AlertChange(state, alert.cause, reason, criteria, proof: proof.proof)
      ledger.change(alert.number, to: change)
    }
    if alert.state == .suspected {
      change(.refuted, "the old level was back before anything settled the suspicion")
    } else if let compared = proof.proof, compared.verdict == alert.direction.verdict {
      let change = AlertChange(alert.state, alert.cause, "", [], proof: compared)
      ledger.change(alert.number, to: change)
    } else if proof.isNotCode(alert.direction) {
      change(.fixed, "the old level is back, and the build is as good as the last good one")
    } else if returned != nil, !isProvedBuild(of: alert),
      !proof.isStillOff(alert.direction, metric: metric)
    {
      change(.recovered, "the old level is back")
    }
  }

  /// Of imported nights no improvement moves the baseline: there the nights of the level before tell how
  /// much it scatters.
  private func levelReturned(from alert: Alert) -> [Criterion]? {
    let nights = chain.index(of: alert.onset).flatMap { onset in
      onset > 0 ? evidence.imported?.nightsOfLevel(before: onset) : nil
    }
    return judgement.levelReturned(from: alert, level: nights)
  }

  /// Whether tonight's build is the one that was proved to be the cause: then only a proof ends it.
  private func isProvedBuild(of alert: Alert) -> Bool {
    guard alert.cause == .code, let proof = alert.proof, proof.verdict == alert.direction.verdict
    else { return false }
    return chain.nights.last?.isBuild(proof.bad, of: chain.key.target) ?? false
  }

  /// Ends alerts that move the baseline, and whose old level is back.
  ///
  /// An acknowledged regression ends at any time. A machine change or an improvement ends only while
  /// the new level has no baseline of its own: later, the way back is a change of its own.
  private func endMoved(in ledger: inout AlertLedger) {
    for alert in chain.alerts where alert.movesBaseline {
      let improvement = verifiedReturn(from: alert, in: ledger)
      let nights = improvement == nil ? 2 : 1
      guard let back = evidence.levelBack(of: alert, nights: nights) else { continue }
      if alert.state == .acknowledged, let improvement {
        let reason = "the improvement \(improvement.id) brought the old level back"
        let change = AlertChange(.fixed, alert.cause, reason, [back], proof: improvement.proof)
        ledger.change(alert.number, to: change)
      } else if alert.state != .acknowledged, judgement.baseline == nil {
        recover(alert, [back], in: &ledger)
        refuteReturn(from: alert, back, in: &ledger)
      } else if alert.state == .acknowledged, let returned = levelReturned(from: alert) {
        recover(alert, [back] + returned, in: &ledger)
        refuteReturn(from: alert, back, in: &ledger)
      }
    }
  }

  private func recover(_ alert: Alert, _ criteria: [Criterion], in ledger: inout AlertLedger) {
    let change = AlertChange(.recovered, alert.cause, "the old level is back", criteria)
    ledger.change(alert.number, to: change)
  }

  /// The proved change the other way after an acknowledged one.
  private func verifiedReturn(from alert: Alert, in ledger: AlertLedger) -> Alert? {
    guard alert.state == .acknowledged else { return nil }
    return ledger.alerts.last { other in
      other.kind == .step && other.series.isSameArm(as: chain.key) && other.state == .confirmed
        && other.cause == .code && other.direction != alert.direction && isAfter(alert, other)
    }
  }

  /// Ends the suspicion of the way back, which the end of the change has explained.
  private func refuteReturn(from alert: Alert, _ back: Criterion, in ledger: inout AlertLedger) {
    let suspected = ledger.alerts.last { other in
      other.kind == .step && other.series.isSameArm(as: chain.key) && other.state == .suspected
        && other.direction != alert.direction && isAfter(alert, other)
    }
    guard let suspected else { return }
    let reason = "it reverts \(alert.id)"
    ledger.change(suspected.number, to: AlertChange(.refuted, suspected.cause, reason, [back]))
  }

  private func isAfter(_ alert: Alert, _ other: Alert) -> Bool {
    guard let first = chain.index(of: alert.onset), let second = chain.index(of: other.onset) else {
      return false
    }
    return second > first
  }

  /// Ends suspicions from before a break: nothing will ever settle them.
  private func refuteBroken(in ledger: inout AlertLedger) {
    for alert in chain.alerts where alert.kind == .step && alert.state == .suspected {
      guard let onset = chain.index(of: alert.onset), onset < chain.partStart,
        let text = chain.breaks.last?.text
      else { continue }
      let reason = "not settled before values became incomparable: \(text)"
      ledger.change(alert.number, to: AlertChange(.refuted, alert.cause, reason, []))
    }
  }

  /// The same of an alert; the one that it has where the level before seems to be back tonight.
  private func level(of alert: Alert, since onset: Int) -> Double {
    let isBack = judgement.tonight.map { judgement.isBack($0, from: alert) } ?? true
    return isBack ? alert.after : level(since: onset, from: alert.before)
  }

  /// The median of the nights in a row, tonight the last, that are of tonight's level.
  ///
  /// - Parameters:
  ///   - onset: The first night that may belong to it. One that is nearer to the level before does not,
  ///     unless it is off tonight's by no more than nights scatter, or by no more than matters.
  ///   - before: The level before.
  /// - Returns: In the unit of the metric.
  private func level(since onset: Int, from before: Double) -> Double {
    let deviation = judgement.baseline?.medianAbsoluteDeviation ?? 0
    let scatter = max(
      DetectionLimits.robustDeviations * DetectionLimits.normalScale * deviation,
      judgement.rule.margin(at: before, of: metric)
    )
    let values = chain.values(onset..<chain.points.count)
    guard let tonight = values.last else { return before }
    let level = values.reversed().prefix {
      abs($0 - tonight) <= max(scatter, abs($0 - before))
    }
    return (try? Sample(Array(level)))?.median ?? tonight
  }
}
