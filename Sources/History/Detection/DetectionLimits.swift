package import LaunchCore

/// The constants of the verdicts; docs/verdicts.md gives the reason of each.
enum DetectionLimits {
  /// The fewest nights of a baseline.
  static let minNights = 5

  /// How many of the newest nights are left out of a baseline, where enough remain.
  static let leftOut = 3

  /// How many nights must remain when the newest are left out.
  static let fewestAfterLeavingOut = 8

  /// The modified z-score beyond which a night is an outlier of its baseline.
  static let outlierScore = 3.5

  /// The largest share of nights that are taken for outliers; more are how the series is.
  static let outlierShare = 0.15

  /// The one-sided probability of the prediction limit.
  static let prediction = 0.999

  /// How many robust standard deviations two of three nights must be off.
  static let robustDeviations = 2.0

  /// What makes a MAD a standard deviation on normal data.
  static let normalScale = 1.4826

  /// How many times what matters the prediction limit may be off before history alone is not enough
  /// to ask for a comparison.
  static let blindMargins = 3.0

  /// The share of false suspicions among all that the false-discovery control lets through.
  static let falseDiscoveries = 0.05

  /// The probability of a count of slow launches that is suspicious, on one night or three together.
  static let slowProbability = 0.01

  /// How many percentage points more slow launches matter.
  static let slowMargin = 5.0

  /// How many nights a step must last before the segmentation confirms it.
  static let nightsOfStep = 3

  /// How far an onset and a boundary of the segmentation may be apart, in nights.
  static let onsetTolerance = 2

  /// How many nights a new level must last before it is confirmed where nothing can be launched.
  static let nightsOfLevel = 7

  /// How many times likelier nights must be on one level than on another to end a change without a
  /// proof, or to confirm one.
  static let likelihoodOfLevel = 10_000.0

  /// For how many nights a refuted suspicion is remembered.
  static let memory = 7

  /// How many of the newest nights the segmentation of a night's verdict looks at.
  static let segmentedNights = 200
}

extension RegressionRule {
  /// The smallest change of a value that matters, in the unit of the metric.
  ///
  /// - Parameters:
  ///   - level: The value before.
  ///   - metric: What it is of.
  /// - Returns: The larger one of the effect limit and the floor; for a level of 0, of which there
  ///   is no share, at least 1 µs, 4096 bytes or 1. Of slow launches 5 percentage points.
  func margin(at level: Double, of metric: Metric) -> Double {
    guard metric.hasLevel else { return DetectionLimits.slowMargin }
    let floor = floor(of: metric)
    guard level != 0 else { return max(floor, metric.unit.smallestChange) }
    return max(effect * abs(level), floor)
  }

  /// The floor of a metric, in its unit; 0 for what is no time.
  func floor(of metric: Metric) -> Double {
    metric.unit == .nanoseconds ? Double(floor.count) : 0
  }
}

extension Metric.Unit {
  fileprivate var smallestChange: Double {
    switch self {
    case .nanoseconds: 1_000
    case .bytes: 4_096
    case .count, .percent: 1
    }
  }
}

extension Alert.Direction {
  /// The direction of a change; nil when there is none.
  init?(from before: Double, to after: Double, metric: Metric) {
    guard before != after else { return nil }
    let isLarger = after > before
    self = isLarger == (metric.direction == .lowerIsBetter) ? .worse : .better
  }

  /// 1 where this direction makes values of a metric larger, else -1.
  func sign(of metric: Metric) -> Double {
    (self == .worse) == (metric.direction == .lowerIsBetter) ? 1 : -1
  }

  /// The verdict that says the same of a comparison.
  package var verdict: Verdict { self == .worse ? .regression : .improvement }
}
