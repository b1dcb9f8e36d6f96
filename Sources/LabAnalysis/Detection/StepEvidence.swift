import Foundation
import LabModel
import LabStatistics

/// What speaks for or against a step of a series beside its suspicion.
struct StepEvidence {
  let judgement: SeriesJudgement
  let rule: RegressionRule

  /// The control and the floor in the same state and metric.
  let control: CompanionNight?
  let floor: CompanionNight?

  let proof: SeriesProof

  private var chain: SeriesChain { judgement.chain }
  private var metric: Metric { chain.key.metric }

  init(
    _ judgement: SeriesJudgement,
    among all: [SeriesJudgement],
    rule: RegressionRule,
    proof: SeriesProof
  ) {
    self.judgement = judgement
    self.rule = rule
    self.proof = proof
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
      let baseline = judgement.baseline, baseline.median > 0, tonight.median > 0,
      control.baseline.median > 0, control.tonight.median > 0
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
      guard let companion, companion.baseline.median != 0 else { return nil }
      let (baseline, tonight) = (companion.baseline, companion.tonight)
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
    guard let onset = chain.index(of: alert.onset) else { return nil }
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
    return Criterion(
      id: CriterionID.segmentation,
      text: "level of the newest segment against the one before it",
      value: new.level,
      limit: old.level + (change > 0 ? margin : -margin),
      isMet: true,
      n: new.range.count,
      unit: Criterion.Unit(metric.unit),
      runs: chain.points[boundary...].map(\.run)
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
    let sign = alert.direction.sign(of: metric)
    let limit = alert.before + sign * rule.margin(at: alert.before, of: metric)
    let recent = chain.points[max(onset, chain.points.count - 3)...]
    let back = recent.filter { sign * ($0.median - limit) <= 0 }
    guard back.count >= nights, let tonight = judgement.tonight, back.last?.run == tonight.run
    else {
      return nil
    }
    return Criterion(
      id: CriterionID.levelBack,
      text: "nights of the last three on which the old level was back; tonight's median",
      value: tonight.median,
      limit: limit,
      isMet: true,
      n: back.count,
      unit: Criterion.Unit(metric.unit),
      runs: back.map(\.run)
    )
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
