import Foundation
import LaunchCore
import LaunchStatistics

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

  private var open: Alert? { alerts.last(where: \.isOpen) }

  /// The first check that is beyond its limit, in the direction of the open alert if there is one.
  private var beyond: DriftCheck? {
    checks.first { $0.isBeyond && (open == nil || direction(of: $0) == open?.direction) }
  }

  /// The check that a proof is asked for: the first one that is beyond the limit.
  ///
  /// Nil while a drift alert of the series is confirmed, for 7 days after the last word on one, and
  /// while a step waits for its end, whose effect would be taken for drift. What stays suspected is
  /// looked at every 7 days.
  var wanted: DriftCheck? {
    guard judgement.isJudged, judgement.pending == nil, let tonight = judgement.tonight,
      let check = beyond
    else { return nil }
    guard let last = alerts.last else { return check }
    if last.isOpen, last.state != .suspected { return nil }
    guard let event = last.events.last?.run,
      let night = chain.nights.first(where: { $0.run == event })
    else { return check }
    let gap = tonight.startedAt.timeIntervalSince(night.startedAt) / DriftComparison.day
    let days = Int(clamping: gap.rounded())
    let isDue = last.state == .suspected ? days.isMultiple(of: Self.pause) : true
    return days >= Self.pause && isDue ? check : nil
  }

  func apply(to ledger: inout AlertLedger) {
    guard judgement.isJudged, let tonight = judgement.tonight else { return }
    if let open {
      let isBack = checks.first.map { self.isBack($0, to: open) } ?? false
      if isBack || (beyond == nil && !checks.isEmpty && !open.isRed) {
        let criteria = checks.flatMap { self.criteria(of: $0) }
        let change = AlertChange(
          open.state == .suspected ? .refuted : .recovered,
          open.cause,
          "the level is back within the effect limit of long ago",
          criteria
        )
        ledger.change(open.number, to: change)
      } else if open.state == .suspected, let wanted {
        ledger.change(open.number, to: settlement(wanted))
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

  /// Whether the newest nights are as good as those that an open alert was held against.
  ///
  /// A red alert ends in no other way, and by as many nights as it takes to tell: after some weeks the
  /// nights of 30 days ago are slow too, and nothing would be beyond a limit any more. What steps had
  /// explained from the start remains explained, and so does what somebody has acknowledged since.
  private func isBack(_ check: DriftCheck, to alert: Alert) -> Bool {
    guard let run = alert.lastGood, let then = chain.index(of: run), then >= chain.partStart,
      let opening = chain.index(of: alert.onset)
    else { return false }
    let metric = chain.key.metric
    let explained = chain.alerts.reduce(1) { product, step in
      guard step.isSettledStep, let onset = chain.index(of: step.onset), onset > then,
        onset <= opening || (step.state == .acknowledged && step.direction == alert.direction)
      else { return product }
      return product * step.after / step.before
    }
    let before = alert.before * explained
    let sign = alert.direction.sign(of: metric)
    return sign * (check.now - before) <= judgement.rule.margin(at: before, of: metric)
      && (!alert.isRed || judgement.levelReturned(from: alert, to: before) != nil)
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

extension DriftCheck {
  /// Everything that was looked at, in the order of the rule.
  func criteria(rule: RegressionRule, unit: Criterion.Unit) -> [Criterion] {
    let explained = ratio / unexplained
    let upper = 1 + rule.effect
    let low = low.map { $0 / explained }
    let high = high.map { $0 / explained }
    let both = nights + newest
    return [
      Criterion(
        id: CriterionID.driftThen,
        text: "median of the nights of \(against)",
        value: before,
        n: nights.count,
        unit: unit,
        runs: nights
      ),
      Criterion(
        id: CriterionID.driftNow,
        text: "median of the newest nights",
        value: now,
        n: newest.count,
        unit: unit,
        runs: newest
      ),
      Criterion(
        id: CriterionID.driftExplained,
        text: "product of the ratios of steps that have an alert",
        value: explained,
        n: both.count,
        unit: .ratio,
        runs: both
      ),
      Criterion(
        id: CriterionID.driftLow,
        text: "lower bound of now / then / explained",
        value: low,
        limit: upper,
        isMet: (low ?? 0) > upper,
        n: both.count,
        unit: .ratio,
        runs: both
      ),
      Criterion(
        id: CriterionID.driftHigh,
        text: "upper bound of now / then / explained",
        value: high,
        limit: 1 / upper,
        isMet: (high ?? .infinity) < 1 / upper,
        n: both.count,
        unit: .ratio,
        runs: both
      ),
    ]
  }
}

/// Holds the newest nights of a series against those of long ago.
struct DriftComparison {
  /// How many of the newest nights are taken together.
  static let newest = 7

  /// How many days before and after a moment of long ago count as then.
  static let reach = 3.0

  /// The fewest nights on either side.
  static let fewest = 5

  static let day: TimeInterval = 86_400

  private let chain: SeriesChain
  private let rule: RegressionRule
  private let releases: [Release]

  init(_ chain: SeriesChain, rule: RegressionRule, releases: [Release]) {
    self.chain = chain
    self.rule = rule
    self.releases = releases
  }

  /// The checks against 30 and 90 nights ago and each release that there are nights of.
  ///
  /// Nights on the other side of a break are never taken.
  func checks() -> [DriftCheck] {
    guard chain.isTonight, chain.key.metric.hasLevel, let tonight = chain.points.last?.startedAt
    else { return [] }
    let distant = [30, 90].compactMap { nights in
      check("\(nights) nights ago", around: tonight - Double(nights) * Self.day)
    }
    let named = releases.compactMap { release in
      moment(of: release).flatMap { check("release \(release.name)", around: $0) }
    }
    return distant + named
  }

  /// When a release was measured: by its date, its run, or the first night of its commit.
  private func moment(of release: Release) -> Date? {
    let anchor = release.anchor
    if let day = ImportedTime.day(anchor) { return day + Self.day / 2 }
    let night = chain.nights.first { night in
      night.run.hasPrefix(anchor) || night.build?.commit.hasPrefix(anchor) == true
    }
    return night?.startedAt
  }

  private func check(_ against: String, around moment: Date) -> DriftCheck? {
    let part = chain.partStart..<chain.points.count
    let now = Array(part.suffix(Self.newest))
    let then = part.filter { index in
      let distance = chain.points[index].startedAt.timeIntervalSince(moment)
      return abs(distance) <= Self.reach * Self.day + Self.day / 2 && index < (now.first ?? 0)
    }
    guard then.count >= Self.fewest, now.count >= Self.fewest,
      let before = try? Sample(then.map { chain.points[$0].median }),
      let after = try? Sample(now.map { chain.points[$0].median }),
      let ratio = try? IndependentRatio(before: before.values, after: after.values),
      let interval = ratio.interval(confidence: DriftCheck.confidence)
    else { return nil }
    let explained = explained(after: then[then.count - 1])
    let low = interval.low / explained
    let high = interval.high / explained
    let upper = 1 + rule.effect
    let change = abs(after.median / explained - before.median)
    let isBeyond = low > upper || high < 1 / upper
    return DriftCheck(
      against: against,
      before: before.median,
      now: after.median,
      low: interval.low,
      high: interval.high,
      unexplained: after.median / before.median / explained,
      isBeyond: isBeyond && change > rule.floor(of: chain.key.metric),
      reference: chain.points[then[then.count / 2]].run,
      nights: then.map { chain.points[$0].run },
      newest: now.map { chain.points[$0].run }
    )
  }

  /// The product of the ratios of steps after a night that have an alert.
  private func explained(after index: Int) -> Double {
    chain.alerts.reduce(1) { product, alert in
      guard alert.isSettledStep, let onset = chain.index(of: alert.onset), onset > index else {
        return product
      }
      return product * alert.after / alert.before
    }
  }
}
