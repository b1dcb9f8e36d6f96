package import LaunchCore
package import LaunchStatistics

/// What is concluded of one metric of one arm: its history, and tonight.
package struct SeriesTrend: Hashable, Sendable {
  /// That of tonight's host.
  package var key: SeriesKey

  /// Every night, ascending.
  ///
  /// Those of tonight's host, and before its first one those of the host that it took over from.
  /// Values on both sides of a break are never compared.
  package var points: [SeriesPoint]

  /// Where values before and after may not be compared, ascending by index.
  package var breaks: [SeriesBreak] = []

  /// Stretches of one level that cover `points` without gaps; none reaches across a break.
  package var segments: [Segment] = []

  /// The boundaries between segments that are no breaks and beyond the effect limit, ascending.
  package var changes: [LevelChange] = []

  package var assessment: SeriesAssessment

  /// The slow changes, against 30 and 90 nights ago and releases, as far as there were such nights.
  package var drifts: [DriftCheck] = []

  package var noise: NoiseProfile = .ok

  package var role: Role { Role(key.target) }

  /// What the series is looked at for.
  package enum Role: Hashable, Sendable {
    case target
    case control
    case floor
  }
}

/// A place in a series that nothing is compared across.
package struct SeriesBreak: Hashable, Sendable {
  /// The index of the first point after it, at least 1.
  package var index: Int

  package var reason: Reason

  /// Such as `kernel 6.1.0-40 → 6.1.0-41`.
  package var text: String

  /// The raw value is the name used in JSON and reports.
  package enum Reason: String, Codable, Sendable {
    /// Another fingerprint.
    case host

    /// An alert with the cause `machine` was confirmed.
    case machine

    /// The program of the control is another one.
    case control

    /// The windows were shown on another display.
    case display
  }
}

/// A change of the level of a series that the segmentation of its history found.
package struct LevelChange: Hashable, Sendable {
  /// The index of the first point of the new level.
  package var index: Int

  /// The medians of the segments on both sides.
  package var before: Double
  package var after: Double

  /// The number of the alert of the change, if there is one.
  package var alert: Int?

  package var ratio: Double { after / before }

  /// In the unit of the metric.
  fileprivate var size: Double { abs(after - before) }
}

/// A level now against one of long ago.
package struct DriftCheck: Hashable, Sendable {
  /// Of the interval, from 0 to 1; high, because it is looked at every night.
  package static let confidence = 0.99

  /// Such as `30 nights ago` or `release 2.1`.
  package var against: String

  /// The median of the nights around then, and of the newest ones.
  package var before: Double
  package var now: Double

  /// The 99 % interval of now / before; nil when there are too few nights.
  package var low: Double?
  package var high: Double?

  /// How much of the ratio is not explained by changes that have an alert.
  package var unexplained: Double

  /// Whether the whole unexplained interval lies beyond the effect limit.
  package var isBeyond: Bool

  /// The run in the middle of the nights of then.
  package var reference: String

  /// The runs of the nights of then, and of the newest ones, both ascending.
  package var nights: [String] = []
  package var newest: [String] = []

  package var ratio: Double { now / before }
}

/// How the nightly medians of a series scatter; the raw value is the name used in JSON and reports.
package enum NoiseProfile: String, Codable, CaseIterable, Sendable {
  case ok
  case skewed
  case outliers
  case modal

  /// There are too few nights to tell.
  case unknown
}

extension SeriesTrend {
  /// - Parameters:
  ///   - judgement: That of tonight, with the alerts as they stand.
  ///   - releases: Those of the scenario.
  init(_ judgement: SeriesJudgement, releases: [Release]) {
    let chain = judgement.chain
    let segments = chain.parts.flatMap { part in
      RobustSegmentation.levels(of: chain.values(part)).map { segment in
        var moved = segment
        let first = part.lowerBound
        moved.range = segment.range.lowerBound + first..<segment.range.upperBound + first
        return moved
      }
    }
    self.init(
      key: chain.key,
      points: chain.points,
      breaks: chain.breaks,
      segments: segments,
      changes: LevelChange.changes(between: segments, in: chain, rule: judgement.rule),
      assessment: SeriesAssessment(judgement),
      drifts: DriftComparison(chain, rule: judgement.rule, releases: releases).checks(),
      noise: NoiseProfile(chain, segments: segments)
    )
  }
}

extension SeriesTrend {
  /// The change for the worse that no alert is of, while the level of now is still worse than before it;
  /// the largest of several.
  ///
  /// - Parameters:
  ///   - rule: What of a level is worse; a change must be as new as the nights of a baseline.
  ///   - first: The index of the earliest change instead.
  /// - Returns: Its `after` is the level of now. Nil where tonight has no value, or there is none.
  package func worseLevel(_ rule: RegressionRule, from first: Int? = nil) -> LevelChange? {
    guard assessment.tonight != nil, key.metric.hasLevel, let now = changes.last?.after
    else { return nil }
    let earliest = max(first ?? points.count - rule.nights, (breaks.last?.index ?? 0) + 1)
    let standing = changes.filter { change in
      change.alert == nil && change.index >= earliest
        && Alert.Direction(from: change.before, to: change.after, metric: key.metric) == .worse
        && Alert.Direction(from: change.before, to: now, metric: key.metric) == .worse
        && abs(now - change.before) > rule.margin(at: change.before, of: key.metric)
    }
    return standing.max { $0.size < $1.size }.map { change in
      LevelChange(index: change.index, before: change.before, after: now)
    }
  }

  /// The nights of the level before an onset; where they are too few to scatter, all that may be compared
  /// with them.
  func nightsOfLevel(before onset: Int) -> Range<Int> {
    let level = segments.first { $0.range.contains(onset - 1) }?.range.lowerBound ?? 0
    let start = breaks.last { $0.index < onset }?.index ?? 0
    return (onset - level >= DetectionLimits.minNights ? level : start)..<onset
  }

  /// The same series for a night of which nothing can be proved, such as an imported one: a level that
  /// got worse is a suspicion, however long ago its first night was suspicious by itself.
  func withoutProof(_ rule: RegressionRule) -> Self {
    guard role == .target, rule.metrics.contains(key.metric), assessment.outcome == .quiet,
      worseLevel(rule) != nil
    else { return self }
    var trend = self
    trend.assessment.outcome = .suspected
    trend.assessment.direction = .worse
    return trend
  }
}

extension LevelChange {
  /// The boundaries between segments that matter.
  ///
  /// - Parameters:
  ///   - segments: Without gaps, ascending.
  ///   - chain: Its breaks are no changes; its alerts are named where they match.
  ///   - rule: The change must be beyond its effect limit and floor, and not within the scatter.
  /// - Returns: Ascending by index.
  static func changes(
    between segments: [Segment],
    in chain: SeriesChain,
    rule: RegressionRule
  ) -> [Self] {
    let breaks = Set(chain.breaks.map(\.index))
    return zip(segments, segments.dropFirst()).compactMap { old, new in
      let index = new.range.lowerBound
      let change = abs(new.level - old.level)
      guard !breaks.contains(index),
        change > rule.margin(at: old.level, of: chain.key.metric),
        change >= max(old.error, new.error)
      else { return nil }
      let direction =
        Alert.Direction(from: old.level, to: new.level, metric: chain.key.metric)
      let alert = chain.alerts.last { alert in
        guard alert.kind == .step, alert.state != .refuted || alert.isDecided,
          alert.direction == direction, let onset = chain.index(of: alert.onset)
        else { return false }
        return abs(onset - index) <= DetectionLimits.onsetTolerance
      }
      return Self(index: index, before: old.level, after: new.level, alert: alert?.number)
    }
  }
}

extension [SeriesTrend] {
  /// The worst first, and of equals in the order they had.
  ///
  /// Those of the control and the floor are last.
  func sortedByGravity() -> Self {
    func rank(_ trend: SeriesTrend) -> (Int, Int, Double) {
      let role: Int =
        switch trend.role {
        case .target: 0
        case .control: 1
        case .floor: 2
        }
      let change = trend.assessment.ratio.map { Swift.max($0, 1 / $0) } ?? 1
      return (role, trend.assessment.outcome.gravity, -change)
    }
    let ranked = enumerated().map { (rank($1), $0, $1) }
    return ranked.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
  }
}

/// Compares by the rank, then by the place.
private func < (
  left: ((Int, Int, Double), Int),
  right: ((Int, Int, Double), Int)
) -> Bool {
  left.0 == right.0 ? left.1 < right.1 : left.0 < right.0
}

extension SeriesAssessment.Outcome {
  /// 0 for the gravest.
  fileprivate var gravity: Int {
    switch self {
    case .regression: 0
    case .suspected: 1
    case .machine: 2
    case .acknowledged: 3
    case .missing: 4
    case .improvement: 5
    case .new: 6
    case .quiet: 7
    }
  }
}
