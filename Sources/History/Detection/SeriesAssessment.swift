import Foundation
package import LaunchCore
import Stages

/// What is said of one series tonight.
package struct SeriesAssessment: Hashable, Sendable {
  /// Tonight's point; nil when the night has no value of it.
  package var tonight: SeriesPoint?

  /// What tonight is held against; nil when there are fewer than 5 nights.
  package var baseline: Baseline?

  package var outcome: Outcome

  /// Which way tonight is off the baseline.
  package var direction: Alert.Direction?

  /// The probability of such a night, or such nights, without a change; nil without a baseline.
  package var probability: Double?

  /// Everything that was looked at.
  package var criteria: [Criterion] = []

  /// The number of the open alert of the series, if there is one.
  package var alert: Int?

  /// Tonight's median divided by that of the night before, of 7 and of 30 nights before.
  package var overOneNight: Double?
  package var overSevenNights: Double?
  package var overThirtyNights: Double?

  /// The ratio of tonight's median to the baseline's; nil for shares of slow launches, which differ by
  /// points.
  package var ratio: Double? {
    guard let tonight, tonight.launches == nil, let baseline, baseline.median != 0 else {
      return nil
    }
    return tonight.median / baseline.median
  }

  /// The verdict of the night; the raw value is the name used in JSON and reports.
  package enum Outcome: String, Codable, CaseIterable, Sendable {
    /// Nothing speaks for a change.
    case quiet

    /// The history speaks for a change that no proof has settled.
    case suspected

    /// There is a confirmed alert for the worse.
    case regression

    /// There is a confirmed alert for the better.
    case improvement

    /// The change is that of the machine.
    case machine

    /// There is a confirmed regression that somebody has acknowledged.
    case acknowledged

    /// There are fewer than 5 nights to compare with.
    case new

    /// The night has no value of the series.
    case missing
  }
}

/// The nights that tonight is held against.
package struct Baseline: Hashable, Sendable {
  /// The runs, ascending, at least 5.
  package var runs: [String]

  /// Of their medians, in the unit of the metric: nights that are outliers are left out of mean and
  /// standard deviation, but not of the median.
  package var median: Double
  package var mean: Double
  package var standardDeviation: Double

  /// The raw median absolute deviation of the nights' medians.
  package var medianAbsoluteDeviation: Double

  /// The runs that were left out of mean and standard deviation.
  package var outliers: [String]

  package init(
    runs: [String],
    median: Double,
    mean: Double,
    standardDeviation: Double,
    medianAbsoluteDeviation: Double,
    outliers: [String] = []
  ) {
    self.runs = runs
    self.median = median
    self.mean = mean
    self.standardDeviation = standardDeviation
    self.medianAbsoluteDeviation = medianAbsoluteDeviation
    self.outliers = outliers
  }
}

extension SeriesAssessment {
  init(_ judgement: SeriesJudgement) {
    let chain = judgement.chain
    let state = AlertState(judgement)
    self.init(
      tonight: judgement.tonight,
      baseline: judgement.baseline,
      outcome: state.outcome,
      direction: judgement.suspicion.flatMap { suspicion in
        suspicion.isBeyondMargin ? suspicion.direction : nil
      },
      probability: judgement.suspicion?.probability,
      criteria: judgement.criteria,
      alert: state.alert?.number,
      overOneNight: chain.ratio(overDays: 1, within: 0.5),
      overSevenNights: chain.ratio(overDays: 7, within: 1),
      overThirtyNights: chain.ratio(overDays: 30, within: 3)
    )
  }
}

/// What the alerts of a series make of its night.
private struct AlertState {
  let outcome: SeriesAssessment.Outcome

  /// The open alert that decides, if there is one.
  let alert: Alert?

  init(_ judgement: SeriesJudgement) {
    let alerts = judgement.chain.alerts.filter { $0.isOpen && $0.kind != .budget }
    let pending = alerts.last { $0.isPending && $0.isRed } ?? alerts.last(where: \.isPending)
    let moved = alerts.last(where: \.movesBaseline)
    let acknowledged = alerts.last { $0.state == .acknowledged }
    let isYoung = judgement.baseline == nil
    if !judgement.chain.isTonight {
      (outcome, alert) = (.missing, pending ?? acknowledged)
    } else if let pending {
      (outcome, alert) = (Self.outcome(of: pending), pending)
    } else if judgement.isSuspicious, judgement.dormant == nil {
      (outcome, alert) = (.suspected, nil)
    } else if isYoung, let moved {
      (outcome, alert) = (Self.outcome(of: moved), moved)
    } else if let acknowledged {
      (outcome, alert) = (.acknowledged, acknowledged)
    } else {
      (outcome, alert) = (isYoung ? .new : .quiet, nil)
    }
  }

  private static func outcome(of alert: Alert) -> SeriesAssessment.Outcome {
    if alert.state == .suspected { return .suspected }
    if alert.state == .acknowledged { return .acknowledged }
    if alert.cause == .machine { return .machine }
    return alert.direction == .worse ? .regression : .improvement
  }
}

extension SeriesChain {
  /// Tonight's median divided by that of some days before.
  ///
  /// - Parameters:
  ///   - days: How long before tonight.
  ///   - tolerance: By how many days the night may be off; the nearest one is taken.
  /// - Returns: Nil without such a night on this side of the last break: no value is carried over.
  func ratio(overDays days: Double, within tolerance: Double) -> Double? {
    guard isTonight, key.metric.hasLevel, let tonight = points.last else { return nil }
    func distance(_ point: SeriesPoint) -> Double {
      abs(tonight.startedAt.timeIntervalSince(point.startedAt) / DriftComparison.day - days)
    }
    let candidates = points[partStart...].dropLast().filter { distance($0) <= tolerance }
    guard let then = candidates.min(by: { distance($0) < distance($1) }), then.median != 0 else {
      return nil
    }
    return tonight.median / then.median
  }
}

extension StageChange {
  /// How much each stage takes more or less than on another night, the largest change first.
  ///
  /// Of each target and state, the first collector is taken that both nights have in the same
  /// version, since times of different collectors are not comparable.
  ///
  /// - Parameters:
  ///   - before: The rows of the last good night.
  ///   - after: Those of tonight.
  /// - Returns: One change per stage that either night has; of equals in the order of the stages.
  package static func changes(from before: [CollectorRow], to after: [CollectorRow]) -> [Self] {
    var seen: Set<Place> = []
    var changes: [Self] = []
    for new in after {
      let place = Place(target: new.arm.target, state: new.arm.state)
      guard !seen.contains(place), let old = before.first(where: { $0.isComparable(to: new) })
      else { continue }
      seen.insert(place)
      changes += self.changes(from: old, to: new)
    }
    let ranked = changes.enumerated().sorted { left, right in
      left.element.size == right.element.size
        ? left.offset < right.offset : left.element.size > right.element.size
    }
    return ranked.map(\.element)
  }

  private static func changes(from old: CollectorRow, to new: CollectorRow) -> [Self] {
    let pairs = PathPair.pairs(
      from: old.stages.map { ($0.path, $0.median) },
      to: new.stages.map { ($0.path, $0.median) }
    )
    return pairs.map { pair in
      Self(
        target: new.arm.target,
        state: new.arm.state,
        path: pair.path,
        before: pair.before,
        after: pair.after
      )
    }
  }

  /// In nanoseconds; what was not there took nothing.
  private var size: Double { abs((after ?? 0) - (before ?? 0)) }
}

private struct Place: Hashable {
  let target: String
  let state: LaunchState
}

extension CollectorRow {
  fileprivate func isComparable(to other: Self) -> Bool {
    arm == other.arm && collector == other.collector && version == other.version
      && isDivided == other.isDivided
  }

  /// Whether the launches were traced as well, which takes time.
  private var isDivided: Bool {
    stages.contains { $0.path.contains(" > \(StageName.mainToReady).") }
  }
}
