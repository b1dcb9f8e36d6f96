package import LabModel

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
  package var criteria: [Criterion]

  /// The number of the open alert of the series, if there is one.
  package var alert: Int?

  /// Tonight's median divided by that of the night before, of 7 and of 30 nights before.
  package var overOneNight: Double?
  package var overSevenNights: Double?
  package var overThirtyNights: Double?

  package init(
    tonight: SeriesPoint?,
    baseline: Baseline? = nil,
    outcome: Outcome,
    direction: Alert.Direction? = nil,
    probability: Double? = nil,
    criteria: [Criterion] = [],
    alert: Int? = nil,
    overOneNight: Double? = nil,
    overSevenNights: Double? = nil,
    overThirtyNights: Double? = nil
  ) {
    self.tonight = tonight
    self.baseline = baseline
    self.outcome = outcome
    self.direction = direction
    self.probability = probability
    self.criteria = criteria
    self.alert = alert
    self.overOneNight = overOneNight
    self.overSevenNights = overSevenNights
    self.overThirtyNights = overThirtyNights
  }

  /// The ratio of tonight's median to the baseline's.
  package var ratio: Double? {
    guard let tonight, let baseline, baseline.median != 0 else { return nil }
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
