import LabModel
import LabStatistics

extension SeriesTrend {
  /// - Parameters:
  ///   - judgement: That of tonight, with the alerts as they stand.
  ///   - releases: Those of the scenario.
  init(_ judgement: SeriesJudgement, releases: [Release]) {
    let chain = judgement.chain
    let segments = chain.parts.flatMap { part in
      PottsSegmentation.levels(
        of: chain.values(part),
        minimumLength: DetectionLimits.nightsOfStep
      ).map { segment in
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
        guard alert.kind == .step, alert.state != .refuted, alert.direction == direction,
          let onset = chain.index(of: alert.onset)
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
