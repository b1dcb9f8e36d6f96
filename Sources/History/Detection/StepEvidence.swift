import Foundation
import LaunchCore
import LaunchStatistics

/// What speaks for or against a step of a series beside its suspicion.
struct StepEvidence {
  let judgement: SeriesJudgement
  let rule: RegressionRule

  /// The control and the floor in the same state and metric.
  let control: CompanionNight?
  let floor: CompanionNight?

  let proof: SeriesProof

  /// The levels of a series of which nothing can be launched again; nil where a proof may settle it.
  let imported: SeriesTrend?

  private var chain: SeriesChain { judgement.chain }
  private var metric: Metric { chain.key.metric }

  init(
    _ judgement: SeriesJudgement,
    among all: [SeriesJudgement],
    rule: RegressionRule,
    proof: SeriesProof,
    imported: SeriesTrend? = nil
  ) {
    self.judgement = judgement
    self.rule = rule
    self.proof = proof
    self.imported = imported
    func other(_ target: String) -> CompanionNight? {
      var key = judgement.chain.key
      key.target = target
      let chain = all.first { $0.chain.key == key }?.chain
      return chain.flatMap { CompanionNight($0, beside: judgement) }
    }
    control = other(Arm.controlTarget)
    floor = other(Arm.emptyTarget)
  }

  /// Where a step begins that only a second proof has shown.
  ///
  /// The first one has found the build of the last good night no better than tonight's, so that the
  /// change is older.
  ///
  /// - Parameters:
  ///   - direction: The way of the suspicion.
  ///   - lastGood: The run of the night that passed for the last good one.
  /// - Returns: Nil where the history's own beginning holds.
  func provedBeginning(_ direction: Alert.Direction, lastGood: String?) -> StepBeginning? {
    guard proof.isSecond, proof.proof?.verdict == direction.verdict, let lastGood else {
      return nil
    }
    return StepBeginning(onset: lastGood, lastGood: proof.good)
  }

  /// Whether the control is off the same way tonight, by at least half as much.
  ///
  /// A control that is off by 3 % does not explain a series that is off by 30 %.
  func controlExplains(_ direction: Alert.Direction) -> Bool {
    guard let control, control.hasMoved(direction), let tonight = judgement.tonight,
      let baseline = judgement.baseline
    else { return false }
    if !metric.hasLevel {
      let own = tonight.median - baseline.median
      return 2 * (control.tonight.median - control.baseline.median) >= own
    }
    guard baseline.median > 0, tonight.median > 0, control.baseline.median > 0,
      control.tonight.median > 0
    else { return false }
    let own = log(tonight.median / baseline.median)
    return 2 * abs(log(control.tonight.median / control.baseline.median)) >= abs(own)
  }

  /// The ratio of the control's, and of the floor's, night to those of the baseline.
  func otherCriteria(_ direction: Alert.Direction) -> [Criterion] {
    let others = [
      (control, CriterionID.controlMoved, "control"), (floor, CriterionID.floorMoved, "floor"),
    ]
    return others.compactMap { companion, id, name in
      guard let companion, !metric.hasLevel || companion.baseline.median != 0 else { return nil }
      let (baseline, tonight) = (companion.baseline, companion.tonight)
      if !metric.hasLevel {
        return Criterion(
          id: id,
          text: "tonight's share of slow launches of the \(name)",
          value: tonight.median,
          limit: baseline.median,
          isMet: companion.hasMoved(direction),
          n: baseline.runs.count,
          unit: .percent,
          runs: baseline.runs + [tonight.run]
        )
      }
      let sign = direction.sign(of: metric)
      return Criterion(
        id: id,
        text: "tonight's median of the \(name) / its baseline median",
        value: tonight.median / baseline.median,
        limit: 1 + sign * rule.effect,
        isMet: companion.hasMoved(direction),
        n: baseline.runs.count,
        unit: .ratio,
        runs: baseline.runs + [tonight.run]
      )
    }
  }

  /// The step that the segmentation finds at an onset, if it lasts until the newest night.
  ///
  /// - Parameter alert: Its onset and direction are looked for.
  /// - Returns: Nil when there is no such step of at least 3 nights.
  func segmentedStep(of alert: Alert) -> Criterion? {
    // Only a comparison settles what has no level.
    guard metric.hasLevel, let onset = chain.index(of: alert.onset) else { return nil }
    let first = max(chain.partStart, chain.points.count - DetectionLimits.segmentedNights)
    guard
      chain.points.count - onset + DetectionLimits.onsetTolerance
        >= DetectionLimits.nightsOfStep, onset > first
    else { return nil }
    let segments = PottsSegmentation.levels(
      of: chain.values(first..<chain.points.count),
      minimumLength: DetectionLimits.nightsOfStep
    )
    guard segments.count > 1 else { return nil }
    let (old, new) = (segments[segments.count - 2], segments[segments.count - 1])
    let boundary = first + new.range.lowerBound
    let margin = rule.margin(at: old.level, of: metric)
    let change = new.level - old.level
    guard abs(boundary - onset) <= DetectionLimits.onsetTolerance,
      Alert.Direction(from: old.level, to: new.level, metric: metric) == alert.direction,
      abs(change) > margin, abs(change) > max(old.error, new.error)
    else { return nil }
    return step(from: old.level, to: new.level, since: boundary)
  }

  /// The criterion of a step to the level of the newest nights.
  ///
  /// - Parameters:
  ///   - before: The level before.
  ///   - after: The new level.
  ///   - onset: The index of its first night.
  /// - Returns: The new level against the one before it and the margin, with the nights since.
  func step(from before: Double, to after: Double, since onset: Int) -> Criterion {
    let margin = rule.margin(at: before, of: metric)
    let runs = chain.points[onset...].map(\.run)
    return Criterion(
      id: CriterionID.segmentation,
      text: "level of the newest segment against the one before it",
      value: after,
      limit: before + (after > before ? margin : -margin),
      isMet: true,
      n: runs.count,
      unit: Criterion.Unit(metric.unit),
      runs: runs
    )
  }

  /// The nights of the last three, since an onset, on which the level before was back.
  ///
  /// - Parameters:
  ///   - alert: A step that nothing has ended yet.
  ///   - nights: How many there must be.
  /// - Returns: Nil unless tonight is among them.
  func levelBack(of alert: Alert, nights: Int = 2) -> Criterion? {
    guard chain.isTonight, let onset = chain.index(of: alert.onset),
      onset > chain.partStart || alert.isMachineStep && onset == chain.partStart
    else { return nil }
    let recent = chain.points[max(onset, chain.points.count - 3)...]
    let back = recent.filter { judgement.isBack($0, from: alert) }
    guard back.count >= nights, let tonight = judgement.tonight, back.last?.run == tonight.run
    else {
      return nil
    }
    return Criterion(
      id: CriterionID.levelBack,
      text: "nights of the last three on which the old level was back; tonight's median",
      value: tonight.median,
      limit: judgement.limitBefore(alert),
      isMet: true,
      n: back.count,
      unit: Criterion.Unit(metric.unit),
      runs: back.map(\.run)
    )
  }
}

// MARK: - The end of a change by the history alone

extension StepEvidence {
  /// For how many nights in a row, tonight the last, the level before a step has seemed to be back; as
  /// often was it tried to prove it.
  func nightsBack(of alert: Alert) -> Int {
    let onset = chain.index(of: alert.onset) ?? 0
    let isBack = chain.points[onset...].map { judgement.isBack($0, from: alert) }
    let ends = isBack.indices.reversed().prefix { index in
      index > 0 && isBack[max(0, index - 2)...index].count { $0 } >= 2
    }
    return max(1, ends.count)
  }
}

extension SeriesJudgement {
  /// The sequential test of whether the level before is back.
  ///
  /// Each night since the onset counts by how much likelier it is on the level before than on one that
  /// is off by the change, or by twice the margin if that is less: then a night speaks for the old
  /// level exactly when it is on the good side of the margin, and a change that was mended in part does
  /// not pass for its end. The logarithms are added up, from anew whenever the sum falls below 0 (the
  /// CUSUM of Page, Biometrika 41, 1954); while the change lasts, such a sum passes the logarithm of
  /// 10,000 once in at least 10,000 nights (Lorden, Annals of Mathematical Statistics 42, 1971). One night
  /// counts for a third of that at most, so that at least three must agree.
  ///
  /// - Parameters:
  ///   - alert: A step or drift that nothing has ended yet.
  ///   - before: The level before, where that of the alert does not hold any more.
  ///   - level: The nights of the level before, where the baseline may lie across a step.
  /// - Returns: The distance of the two levels, the scatter, and the likelihood ratio with the nights
  ///   that it rests on; nil while these do not suffice.
  func levelReturned(
    from alert: Alert,
    to before: Double? = nil,
    level: Range<Int>? = nil
  ) -> [Criterion]? {
    guard let onset = chain.index(of: alert.onset),
      let night = NightScatter(self, since: onset, level: level)
    else { return nil }
    let margin = rule.margin(at: before ?? alert.before, of: chain.key.metric)
    let sign = alert.direction.sign(of: chain.key.metric)
    let test = SequentialTest(
      self,
      from: before ?? alert.before,
      by: sign * min(2 * margin, max(margin, changed(by: alert))),
      scatter: night
    )
    return test.criteria(for: .before, since: onset + 1)
  }

  /// The same test the other way: whether a new level has lasted long enough to be believed without a
  /// proof.
  ///
  /// - Parameters:
  ///   - level: The nights of the level before, up to the first one of the new level.
  ///   - before: The level before.
  ///   - after: The new level.
  /// - Returns: As of ``levelReturned(from:to:level:)``; a single night counts for less.
  func levelLasts(after level: Range<Int>, before: Double, after: Double) -> [Criterion]? {
    let onset = level.upperBound
    guard let night = NightScatter(self, since: onset, level: level) else { return nil }
    let margin = rule.margin(at: before, of: chain.key.metric)
    let size = max(margin, abs(after - before))
    let test =
      SequentialTest(self, from: before, by: after < before ? -size : size, scatter: night)
    return test.criteria(for: .after, since: onset)
  }

  /// How far the change is off the level before, in the metric's unit; after a proof, by the bound of
  /// its interval that is nearer to no change.
  private func changed(by alert: Alert) -> Double {
    guard let proof = alert.proof, proof.verdict == alert.direction.verdict,
      let low = proof.low, let high = proof.high
    else { return abs(alert.after - alert.before) }
    let unit = chain.key.metric.hasLevel ? abs(alert.before) : 100
    return min(abs(low - 1), abs(high - 1)) * unit
  }
}

/// Two levels of a series, and how much the nights speak for either.
struct SequentialTest {
  enum Level {
    case before
    case after

    /// How many nights must agree at least.
    fileprivate var fewestNights: Int {
      self == .before ? DetectionLimits.nightsOfStep : DetectionLimits.nightsOfLevel
    }
  }

  private let chain: SeriesChain
  private let before: Double
  private let scatter: NightScatter

  /// From the level before to the other one, in the metric's unit, with its sign.
  private let distance: Double

  /// - Parameters:
  ///   - judgement: The series.
  ///   - before: The level before.
  ///   - distance: From that level to the other one, with its sign.
  ///   - scatter: That of its nights.
  init(
    _ judgement: SeriesJudgement,
    from before: Double,
    by distance: Double,
    scatter: NightScatter
  ) {
    chain = judgement.chain
    self.before = before
    self.scatter = scatter
    self.distance = distance
  }

  /// - Parameters:
  ///   - level: That which the nights are to speak for.
  ///   - start: The index of the first night.
  /// - Returns: The distance of the two levels, the scatter, and the likelihood ratio with the nights
  ///   that it rests on; nil while these do not suffice.
  func criteria(for level: Level, since start: Int) -> [Criterion]? {
    let enough = log(DetectionLimits.likelihoodOfLevel)
    let most = enough / Double(level.fewestNights)
    let isBack = level == .before
    var sum = 0.0
    var first = start
    for index in chain.points.indices.suffix(from: start) {
      let off = chain.points[index].median - before
      let forBefore = distance * (distance / 2 - off) / scatter.variance
      sum = max(0, sum + min(isBack ? forBefore : -forBefore, most))
      if sum == 0 { first = index + 1 }
    }
    guard sum > enough - 1e-9 else { return nil }
    let runs = chain.points[first...].map(\.run)
    let unit = Criterion.Unit(chain.key.metric.unit)
    return [
      Criterion(
        id: isBack ? CriterionID.returnStep : CriterionID.lastingStep,
        text: isBack
          ? "how far off the old level the worse one is"
          : "how far off the old level the new one is",
        value: abs(distance),
        unit: unit
      ),
      Criterion(
        id: isBack ? CriterionID.returnDeviation : CriterionID.lastingDeviation,
        text: "the scatter of nights, with the correlation of neighbours",
        value: scatter.variance.squareRoot(),
        n: scatter.runs.count,
        unit: unit,
        runs: scatter.runs
      ),
      Criterion(
        id: isBack ? CriterionID.levelReturned : CriterionID.levelLasts,
        text: isBack
          ? "how many times likelier these nights are on the old level than on the worse one"
          : "how many times likelier these nights are on the new level than on the old one",
        value: exp(sum),
        limit: DetectionLimits.likelihoodOfLevel,
        isMet: true,
        n: runs.count,
        unit: .count,
        runs: runs
      ),
    ]
  }
}

/// How the nights of a series scatter around their level.
struct NightScatter {
  /// In the square of the metric's unit, above 0; larger for nights that resemble their neighbours,
  /// since those say less together.
  let variance: Double

  /// The nights of the baseline.
  let runs: [String]

  /// Takes the larger of what the baseline says and what the differences of neighbours since a night
  /// say; the latter know no change of level.
  ///
  /// - Parameters:
  ///   - judgement: The series.
  ///   - onset: The first night that is looked at.
  ///   - level: The nights to take instead of the baseline; the newest ones of them count.
  init?(_ judgement: SeriesJudgement, since onset: Int, level: Range<Int>? = nil) {
    let nights = level ?? 0..<onset
    let before = Baseline(Array(judgement.chain.points[nights.suffix(judgement.rule.nights)]))
    guard let baseline = level == nil ? judgement.baseline ?? before : before else { return nil }
    self.init(judgement, since: onset, baseline: baseline)
  }

  private init(_ judgement: SeriesJudgement, since onset: Int, baseline: Baseline) {
    let chain = judgement.chain
    runs = baseline.runs
    let kept = baseline.keptRuns.compactMap { chain.index(of: $0) }.map { chain.points[$0].median }
    let since = chain.values(onset..<chain.points.count)
    let steps = zip(since, since.dropFirst()).map { abs($1 - $0) }
    let neighbours = steps.count < DetectionLimits.minNights ? nil : try? Sample(steps).median
    let deviation = max(
      baseline.standardDeviation,
      DetectionLimits.normalScale * baseline.medianAbsoluteDeviation,
      DetectionLimits.normalScale * (neighbours ?? 0) / 2.0.squareRoot(),
      1e-9 * abs(baseline.median),
      .leastNormalMagnitude.squareRoot(),
      // One launch of a night.
      chain.key.metric.hasLevel ? 0 : 100 / Double(chain.points.last?.n ?? 1)
    )
    let correlation = Self.correlation(of: kept, around: baseline.mean)
    variance = deviation * deviation * (1 + correlation) / (1 - correlation)
  }

  /// The correlation of neighbours, from 0 to 0.9.
  private static func correlation(of values: [Double], around center: Double) -> Double {
    let offsets = values.map { $0 - center }
    let products = zip(offsets, offsets.dropFirst()).map(*).reduce(0, +)
    let squares = offsets.map { $0 * $0 }.reduce(0, +)
    return squares > 0 ? min(0.9, max(0, products / squares)) : 0
  }
}

/// The first night of a new level, and the last one of the old.
struct StepBeginning: Hashable {
  var onset: String
  var lastGood: String?
}

/// The night of the control or the floor, held against the nights that a judged series is held
/// against.
///
/// Its own newest nights would not do: after a machine change they lie on both sides of it
/// for weeks, and the control would seem to move with everything that happens in that time.
struct CompanionNight {
  let tonight: SeriesPoint

  /// The nights of the judged series' baseline that the control has a value of.
  let baseline: Baseline

  private let suspicion: Suspicion

  /// Nil when either has no value tonight, or the two have fewer than 5 nights of the baseline in
  /// common.
  ///
  /// - Parameters:
  ///   - chain: That of the control or the floor.
  ///   - judgement: The series that it stands beside.
  init?(_ chain: SeriesChain, beside judgement: SeriesJudgement) {
    guard chain.isTonight, let tonight = chain.points.last, let other = judgement.baseline else {
      return nil
    }
    let runs = Set(other.runs)
    let part = chain.points[chain.partStart...]
    guard let baseline = Baseline(part.filter { runs.contains($0.run) }) else { return nil }
    let earliest = judgement.chain.points[judgement.start].startedAt
    self.tonight = tonight
    self.baseline = baseline
    suspicion = Suspicion(
      chain,
      at: chain.points.count - 1,
      from: part.firstIndex { $0.startedAt >= earliest } ?? chain.points.count - 1,
      baseline: baseline,
      rule: judgement.rule
    )
  }

  /// Whether it is off this way tonight.
  func hasMoved(_ direction: Alert.Direction) -> Bool {
    suspicion.isCandidate && suspicion.direction == direction
  }
}
