package import Foundation
package import LaunchCore

/// What the stored history of a scenario says of one night.
///
/// Nothing after that night is looked at, but for the alerts, which are taken as they stand. Making
/// it costs O(points); the segmentation of ``trends`` costs more, see `PottsSegmentation`.
package struct NightVerdicts: Sendable {
  /// The most comparisons that one night asks for.
  static let maxProofs = 2

  let history: TrendHistory
  let tonight: Night
  let rule: RegressionRule

  /// In the order of the history.
  let judgements: [SeriesJudgement]

  /// The nights of tonight's host, by which it is counted how far apart two are.
  private let line: [Night]

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
    line = HostNights(history.nights, of: night).line
    let rule = history.scenario.regressionRule
    self.rule = rule
    judgements = ChainBuilder(history, tonight: night).chains()
      .map { SeriesJudgement($0, rule: rule) }
      .controllingFalseDiscoveries()
  }

  /// The series of tonight's host with the stored alerts, the worst first; those of the control and
  /// the floor last.
  package var trends: [SeriesTrend] {
    let releases = history.scenario.releases ?? []
    let trends = judgements.map { SeriesTrend($0, releases: releases) }
    return (history.isImported ? trends.map { $0.withoutProof(rule) } : trends).sortedByGravity()
  }

  /// The alerts that are new tonight, or have a new event or proof.
  ///
  /// - Parameters:
  ///   - proofs: What became of ``proofs``; one that is not there counts as not made.
  ///   - at: The time of every new event.
  ///   - nextNumber: The number of the first new alert.
  /// - Returns: Ascending by number. Only imported nights are segmented for it.
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
      let evidence = StepEvidence(
        judgement,
        among: judgements,
        rule: rule,
        proof: proof,
        imported: history.isImported ? SeriesTrend(judgement, releases: []) : nil
      )
      StepLifeCycle(evidence).apply(to: &ledger)
    }
    // The levels of imported nights are segmented as a whole: a drift is one of them.
    for judgement in judgements where !history.isImported {
      let proof = SeriesProof(of: judgement.chain.key, kind: .drift, in: proofs)
      drift(of: judgement, proof: proof).apply(to: &ledger)
    }
    for budget in history.scenario.budgets ?? [] {
      guard let judgement = judgements.first(where: { budget.isOf($0.chain.key) }) else { continue }
      let chain = judgement.chain
      let part = chain.isTonight ? chain.points[chain.partStart...] : []
      let check = BudgetCheck(budget, part: part, nights: chain.nights)
      let key = judgement.chain.key
      BudgetLifeCycle(check, of: key, run: tonight.run, alerts: history.alerts).apply(to: &ledger)
    }
    if !history.isImported { DroppedSeries(history.scenario).apply(to: &ledger) }
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

extension NightVerdicts {
  /// The comparisons that must be made before suspicions may be refuted.
  ///
  /// By chance the first night of a new level may look like one of the old: then the last good build
  /// has the change already, and tonight's is no worse. So where a first comparison finds no
  /// difference, tonight's build is compared with that of the newest night of the baseline, too.
  ///
  /// - Parameter outcomes: What became of ``proofs``.
  /// - Returns: At most as many as there may be first ones, the most urgent first.
  package func secondProofs(after outcomes: [ProofOutcome]) -> [ProofRequest] {
    var requests: [ProofRequest] = []
    let asked = judgements.compactMap { judgement in stepWish(judgement).map { (judgement, $0) } }
    for (judgement, _) in asked.sorted(by: { $0.1.urgency > $1.1.urgency }) {
      guard let good = olderGood(of: judgement, after: outcomes) else { continue }
      if let index = requests.firstIndex(where: { $0.good.run == good.run }) {
        requests[index].series.append(judgement.chain.key)
      } else {
        requests.append(ProofRequest(good: good, series: [judgement.chain.key], kind: .step))
      }
    }
    return Array(requests.prefix(Self.maxProofs))
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

extension NightVerdicts {
  /// The comparisons that would settle tonight's suspicions, at most 2, the most urgent first.
  ///
  /// A regression is more urgent than an improvement, whether it is suspected since tonight or for longer,
  /// and that more than the end of an alert, a drift, or a night whose scatter may hide a change. Of drifts
  /// the regressions come first as well; then the larger effect does. Series whose last good nights are at
  /// most 3 nights apart share a comparison with the oldest of these.
  package var proofs: [ProofRequest] {
    guard rule.proofLaunches > 0, !history.isImported else { return [] }
    let wishes = judgements.compactMap(stepWish) + judgements.compactMap(driftWish)
    var groups: [ProofGroup] = []
    for wish in wishes.sorted(by: { $0.urgency > $1.urgency }) {
      if let index = groups.firstIndex(where: { $0.takes(wish) }) {
        groups[index].add(wish)
      } else {
        groups.append(ProofGroup(wish))
      }
    }
    return groups.prefix(Self.maxProofs).map { group in
      ProofRequest(
        good: line[group.good],
        series: judgements.map(\.chain.key).filter { group.series.contains($0) },
        kind: group.kind,
        effort: group.effort
      )
    }
  }

  private func stepWish(_ judgement: SeriesJudgement) -> ProofWish? {
    guard judgement.isJudged, let tonight = judgement.tonight else { return nil }
    let key = judgement.chain.key
    func wish(_ run: String?, rank: ProofWish.Rank, effort: Int = 1) -> ProofWish? {
      guard let run, let good = line.firstIndex(where: { $0.run == run }) else { return nil }
      let level = judgement.baseline?.median ?? tonight.median
      let share = level == 0 ? 1 : abs(tonight.median - level) / abs(level)
      return ProofWish(
        key: key,
        kind: .step,
        good: good,
        oldest: oldest(of: judgement, before: good),
        rank: rank,
        effect: share,
        effort: effort
      )
    }
    if let pending = judgement.pending {
      let evidence = evidence(judgement)
      let isBack = evidence.levelBack(of: pending) != nil
      // That the build was proved before does not matter when the level says otherwise.
      guard isBack != (pending.state == .suspected), isBack || !isSettled(pending, key.target)
      else { return nil }
      return wish(
        pending.lastGood,
        rank: isBack ? .end : .suspicion(pending.direction),
        effort: isBack ? evidence.nightsBack(of: pending) : effort(after: pending.proof)
      )
    }
    if judgement.isHidden {
      // The night before may have the change already, unnoticed.
      let good = judgement.baseline?.runs.last
      return isOtherBuild(good, key.target) ? wish(good, rank: .hidden) : nil
    }
    guard judgement.isSuspicious, let suspicion = judgement.suspicion,
      let good = judgement.lastGood, !isRefuted(judgement)
    else { return nil }
    return wish(judgement.chain.points[good].run, rank: .suspicion(suspicion.direction))
  }

  /// Whether it is known that a night had another build than tonight.
  private func isOtherBuild(_ run: String?, _ target: String) -> Bool {
    guard let good = run.flatMap(night) else { return false }
    let isKnown = [good, tonight].allSatisfy { $0.build != nil || $0.artifacts[target] != nil }
    return isKnown && !good.isSameBuild(as: tonight, of: target)
  }

  /// Twice the effort of a comparison that was inconclusive.
  private func effort(after proof: Proof?) -> Int {
    guard let proof, proof.verdict == .inconclusive else { return 1 }
    return max(2, 2 * proof.pairs / max(1, rule.proofLaunches))
  }

  /// The earliest place of a night that is as good as the last good one: at most 3 before it, without
  /// a night of another level between them.
  private func oldest(of judgement: SeriesJudgement, before good: Int) -> Int {
    let chain = judgement.chain
    let clean = Set(judgement.clean.map { chain.points[$0].run })
    let places = (max(0, good - ProofGroup.reach)..<good).reversed()
    let runs = Set(chain.points[chain.partStart...].map(\.run))
    let end = places.first { place in
      let run = line[place].run
      return runs.contains(run) && !clean.contains(run)
    }
    return end.map { $0 + 1 } ?? max(0, good - ProofGroup.reach)
  }

  private func driftWish(_ judgement: SeriesJudgement) -> ProofWish? {
    guard let check = drift(of: judgement).wanted,
      let good = line.firstIndex(where: { $0.run == check.reference })
    else { return nil }
    let metric = judgement.chain.key.metric
    let direction = Alert.Direction(from: 1, to: check.unexplained, metric: metric)
    return ProofWish(
      key: judgement.chain.key,
      kind: .drift,
      good: good,
      oldest: good - ProofGroup.reach,
      rank: direction == .worse ? .worseDrift : .betterDrift,
      effect: abs(check.unexplained - 1)
    )
  }

  private func evidence(_ judgement: SeriesJudgement) -> StepEvidence {
    StepEvidence(judgement, among: judgements, rule: rule, proof: .none)
  }

  /// Whether the proof of an alert was already made with tonight's build.
  private func isSettled(_ alert: Alert, _ target: String) -> Bool {
    alert.proof.map { tonight.isBuild($0.bad, of: target) } ?? false
  }

  /// Whether tonight's suspicion was refuted a few nights ago on the same build.
  private func isRefuted(_ judgement: SeriesJudgement) -> Bool {
    guard let alert = judgement.dormant, let run = alert.events.last?.run,
      let night = history.nights.first(where: { $0.run == run })
    else { return false }
    return tonight.isSameBuild(as: night, of: judgement.chain.key.target)
  }
}

/// A series that asks for a comparison.
struct ProofWish {
  let key: SeriesKey
  let kind: Alert.Kind

  /// The place of the last good night.
  let good: Int

  /// The place of the earliest night whose build may stand for the last good one.
  let oldest: Int

  let rank: Rank

  /// How far tonight is off, as a share.
  let effect: Double

  /// As in ``ProofRequest/effort``, without a limit.
  var effort = 1

  /// How urgent it is, ascending.
  enum Rank: Int {
    case hidden
    case betterDrift
    case worseDrift
    case end
    case better
    case worse

    /// That of a suspected step.
    static func suspicion(_ direction: Alert.Direction) -> Self {
      direction == .worse ? .worse : .better
    }
  }

  /// What the most urgent ones are found by.
  var urgency: (Int, Double, String) { (rank.rawValue, effect, key.target) }
}

/// Series that share a comparison.
struct ProofGroup {
  /// How far apart the last good nights may be.
  static let reach = 3

  /// How many times the usual pairs are launched at most.
  static let maxEffort = 4

  let kind: Alert.Kind
  private(set) var good: Int
  private(set) var series: [SeriesKey]
  private(set) var effort: Int

  /// The latest of the earliest nights of its series.
  private var oldest: Int

  init(_ wish: ProofWish) {
    kind = wish.kind
    good = wish.good
    oldest = wish.oldest
    series = [wish.key]
    effort = min(Self.maxEffort, wish.effort)
  }

  func takes(_ wish: ProofWish) -> Bool {
    wish.kind == kind && min(good, wish.good) >= max(oldest, wish.oldest)
  }

  mutating func add(_ wish: ProofWish) {
    good = min(good, wish.good)
    oldest = max(oldest, wish.oldest)
    series.append(wish.key)
    effort = max(effort, min(Self.maxEffort, wish.effort))
  }
}

extension Night {
  /// Whether two nights launched the same build of a target.
  ///
  /// - Parameters:
  ///   - other: The other night.
  ///   - target: The target; its executable, and the files that its command names, are looked at
  ///     where nothing was built.
  /// - Returns: False where it is not known.
  package func isSameBuild(as other: Night, of target: String) -> Bool {
    if let build, let theirs = other.build { return build.tree == theirs.tree }
    guard build == nil, other.build == nil, artifacts[target] != nil else { return false }
    return digests(of: target) == other.digests(of: target)
  }

  /// Whether a commit or digest, or the first digits of one, names the build of a target.
  ///
  /// - Parameters:
  ///   - name: The first digits; nothing is named by none.
  ///   - target: The target, whose executable is looked at as well.
  /// - Returns: False where it is not known.
  package func isBuild(_ name: String, of target: String) -> Bool {
    guard !name.isEmpty else { return false }
    return build?.commit.hasPrefix(name) == true
      || digests(of: target).values.contains { $0.hasPrefix(name) }
  }

  /// The digests of the executable of a target and of the files that its command names, which are
  /// stored as `NAME[INDEX]`.
  private func digests(of target: String) -> [String: String] {
    artifacts.filter { $0.key == target || $0.key.hasPrefix("\(target)[") }.mapValues(\.digest)
  }
}
