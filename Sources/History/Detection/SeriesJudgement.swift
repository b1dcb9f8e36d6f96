import LaunchCore
import LaunchStatistics

/// One series tonight, before anything is concluded of it.
struct SeriesJudgement: Sendable {
  let chain: SeriesChain

  /// Nil for fewer than 5 nights, or without a value tonight.
  let baseline: Baseline?

  /// Nil without a baseline.
  let suspicion: Suspicion?

  /// The index of the first night that may be compared with tonight's.
  let start: Int

  /// The newest nights that count, ascending, without tonight.
  let clean: [Int]

  let rule: RegressionRule

  /// Whether it is one of the series that verdicts are about.
  let isJudged: Bool

  /// What the false-discovery control made of the suspicion; nil where it was not asked.
  var discovery: Criterion?

  init(_ chain: SeriesChain, rule: RegressionRule) {
    self.init(chain, at: chain.isTonight ? chain.points.count - 1 : nil, rule: rule)
  }

  /// - Parameters:
  ///   - chain: The nights of the series.
  ///   - index: The night that is judged; nil for none. Later ones are not looked at.
  ///   - rule: That of the scenario.
  init(_ chain: SeriesChain, at index: Int?, rule: RegressionRule) {
    self.chain = chain
    self.rule = rule
    let nights = BaselineNights(
      chain,
      before: index ?? chain.points.count,
      atMost: max(DetectionLimits.minNights, rule.nights)
    )
    start = nights.start
    clean = nights.clean
    let role = SeriesTrend.Role(chain.key.target)
    isJudged = role == .target && rule.metrics.contains(chain.key.metric)
    guard let index else {
      (baseline, suspicion) = (nil, nil)
      return
    }
    let baseline = Baseline(nights.chosen.map { chain.points[$0] })
    self.baseline = baseline
    suspicion = baseline.map {
      Suspicion(chain, at: index, from: nights.start, baseline: $0, rule: rule)
    }
  }

  /// Whether the history speaks for a change, the false-discovery control included.
  var isSuspicious: Bool {
    guard isJudged, let suspicion, suspicion.isCandidate else { return false }
    return discovery?.isMet ?? true
  }

  /// Whether tonight is worse by what matters, but the nights scatter too much for the history to be
  /// suspicious of it.
  var isHidden: Bool {
    guard isJudged, !isSuspicious, pending == nil, dormant == nil, let suspicion else {
      return false
    }
    return suspicion.isBlind && suspicion.isBeyondMargin && suspicion.direction == .worse
  }

  /// Everything that was looked at.
  var criteria: [Criterion] { (suspicion?.criteria ?? []) + (discovery.map { [$0] } ?? []) }

  var tonight: SeriesPoint? { chain.isTonight ? chain.points.last : nil }

  /// The index of the last night of the old level; nil when there is none.
  var lastGood: Int? { suspicion.flatMap { suspicion in clean.last { $0 < suspicion.onset } } }

  /// The step that waits for its end, and whose levels may be compared with tonight's.
  var pending: Alert? {
    chain.alerts.last { alert in
      alert.kind == .step && alert.isPending
        && (chain.index(of: alert.onset) ?? 0) >= chain.partStart
    }
  }

  /// A suspicion that was refuted a few nights ago while the level has stayed where it went.
  ///
  /// A suspicion of the other direction is one of its own.
  var dormant: Alert? {
    let other = isSuspicious ? suspicion?.direction : nil
    let oldest = max(start, chain.points.count - DetectionLimits.memory)
    return chain.alerts.last { alert in
      guard alert.kind == .step, alert.state == .refuted, alert.isNotCode,
        other == nil || other == alert.direction, let onset = chain.index(of: alert.onset),
        onset >= oldest
      else { return false }
      let since = chain.points[onset...]
      return 3 * since.count { !isBack($0, from: alert) } >= 2 * since.count
    }
  }

  /// The limit that the nights of the level before a step keep: that level and the margin.
  func limitBefore(_ alert: Alert) -> Double {
    let metric = chain.key.metric
    return alert.before + alert.direction.sign(of: metric)
      * rule.margin(at: alert.before, of: metric)
  }

  /// Whether a night is on the good side of that limit.
  func isBack(_ point: SeriesPoint, from alert: Alert) -> Bool {
    alert.direction.sign(of: chain.key.metric) * (point.median - limitBefore(alert)) <= 0
  }
}

extension SeriesTrend.Role {
  init(_ target: String) {
    switch target {
    case Arm.emptyTarget: self = .floor
    case Arm.controlTarget: self = .control
    default: self = .target
    }
  }
}

/// The identifiers of criteria, as docs/verdicts.md explains them.
enum CriterionID {
  static let baselineMedian = "baseline-median"
  static let baselineMean = "baseline-mean"
  static let baselineDeviation = "baseline-sd"
  static let baselineMAD = "baseline-mad"
  static let prediction = "t-prediction"
  static let twoOfThree = "two-of-three"
  static let effect = "effect"
  static let floor = "floor"
  static let probability = "probability"
  static let falseDiscovery = "false-discovery"
  static let slowLimit = "slow-limit"
  static let slowBaseline = "slow-baseline"
  static let slowCorrelation = "slow-correlation"
  static let slowShare = "slow-share"
  static let slowTonight = "slow-tonight"
  static let slowTogether = "slow-together"
  static let controlMoved = "control-moved"
  static let floorMoved = "floor-moved"
  static let proofRatio = "proof-ratio"
  static let proofLow = "proof-ratio-low"
  static let proofHigh = "proof-ratio-high"
  static let sameBuild = "same-build"
  static let noProof = "no-proof"
  static let segmentation = "segmentation-step"
  static let levelBack = "level-back"
  static let returnStep = "return-step"
  static let returnDeviation = "return-sd"
  static let levelReturned = "level-returned"
  static let lastingStep = "lasting-step"
  static let lastingDeviation = "lasting-sd"
  static let levelLasts = "level-lasts"
  static let budget = "budget"
  static let budgetLow = "budget-low"
  static let budgetHigh = "budget-high"
  static let driftThen = "drift-then"
  static let driftNow = "drift-now"
  static let driftExplained = "drift-explained"
  static let driftLow = "drift-ratio-low"
  static let driftHigh = "drift-ratio-high"
}

extension [SeriesJudgement] {
  /// The same judgements, with what the false-discovery control makes of each judged series.
  ///
  /// The more series a scenario has, the more of them are beyond a limit by chance; the method of
  /// Benjamini and Hochberg keeps the expected share of false ones among all suspicions at 5 %.
  func controllingFalseDiscoveries() -> Self {
    // The count of slow launches has a limit of its own.
    let places = indices.filter {
      self[$0].isJudged && self[$0].suspicion != nil && self[$0].chain.key.metric.hasLevel
    }
    let probabilities = places.map { self[$0].suspicion?.probability ?? 1 }
    let rate = DetectionLimits.falseDiscoveries
    let accepted = BenjaminiHochberg.accepted(probabilities, rate: rate)
    let limits = BenjaminiHochberg.limits(count: places.count, rate: rate)
    let taken = accepted.count { $0 }
    var controlled = self
    for (rank, place) in places.enumerated() {
      // The largest limit that is kept decides for all below it.
      let limit = limits[Swift.max(taken, 1) - 1]
      controlled[place].discovery = Criterion(
        id: CriterionID.falseDiscovery,
        text: "probability against the limit of the false-discovery control over all series",
        value: probabilities[rank],
        limit: limit,
        isMet: accepted[rank],
        n: places.count,
        unit: .probability
      )
    }
    return controlled
  }
}
