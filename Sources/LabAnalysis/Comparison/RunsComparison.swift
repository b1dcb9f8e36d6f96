import Foundation
package import LabModel
package import LabStatistics

/// What is concluded of two targets that were launched in two runs, of one state and metric.
///
/// Their launches were not interleaved, so that whatever was different in the machine between the
/// two runs is in the ratio. How much that is, only the scatter of many nights tells: without it
/// nothing can be concluded.
package struct RunsComparison: Hashable, Sendable {
  /// One side: a run and what is known of how its nights scatter.
  package struct Side: Hashable, Sendable {
    /// The summary of the arm in the run.
    package var row: MetricRow

    /// The medians of other nights of the same series, in the unit of the metric, the oldest first.
    package var nights: [Double]

    package init(row: MetricRow, nights: [Double]) {
      self.row = row
      self.nights = nights
    }
  }

  /// The fewest nights that tell a scatter.
  package static let fewestNights = 5

  package var pair: ComparedPair
  package var state: LaunchState
  package var metric: Metric
  package var baseline: Side
  package var candidate: Side
  package var rule: ComparisonRule

  /// What forbids a verdict, whatever the numbers; nil when nothing does.
  package var obstacle: PairedComparison.Doubt?

  package init(
    pair: ComparedPair,
    state: LaunchState,
    metric: Metric,
    baseline: Side,
    candidate: Side,
    rule: ComparisonRule,
    obstacle: PairedComparison.Doubt? = nil
  ) {
    self.pair = pair
    self.state = state
    self.metric = metric
    self.baseline = baseline
    self.candidate = candidate
    self.rule = rule
    self.obstacle = obstacle
  }

  /// The number of nights that the scatter of the less known side is taken from.
  package var nights: Int { min(baseline.nights.count, candidate.nights.count) }

  /// The ratio of the medians; nil where one of them is not above 0.
  package var ratio: Double? {
    guard baseline.row.median > 0, candidate.row.median > 0 else { return nil }
    return candidate.row.median / baseline.row.median
  }

  /// The interval of the ratio; nil when it cannot be had.
  ///
  /// With v the variance of the logarithm of a median within its run, and s² that of the logarithms
  /// of the medians of other nights, its half-width on the logarithmic scale is
  /// t · √(v₁ + v₂ + s₁² + s₂²), where t is Student's quantile for one degree of freedom less than
  /// nights. The nights' own error is in s² once more, so that the interval is rather too wide.
  package var interval: Interval? { interval(confidence: rule.confidence) }

  private func interval(confidence: Double) -> Interval? {
    guard let ratio, let error = standardError else { return nil }
    let reach = quantile(for: confidence) * error
    return Interval(low: ratio * exp(-reach), high: ratio * exp(reach))
  }

  /// The smallest effect that two runs like these tell apart in 80 % of cases; nil where there is no
  /// interval.
  package var smallestDetectable: Double? {
    standardError.map {
      expm1(log1p(rule.effectLimit) + (quantile(for: rule.confidence) + Self.normalOfPower) * $0)
    }
  }

  /// The same as every comparison is shown.
  package var finding: ComparisonFinding {
    let judged = judgement
    return ComparisonFinding(
      pair: pair,
      state: state,
      metric: metric,
      baselineMedian: baseline.row.median,
      candidateMedian: candidate.row.median,
      ratio: ratio,
      interval: interval,
      interval95: interval(confidence: 0.95),
      verdict: judged.verdict,
      doubt: judged.doubt,
      count: min(baseline.row.n, candidate.row.n),
      smallestDetectable: smallestDetectable,
      rule: rule
    )
  }

  private var judgement: (verdict: Verdict, doubt: PairedComparison.Doubt?) {
    if let obstacle { return (.inconclusive, obstacle) }
    guard nights >= Self.fewestNights else { return (.inconclusive, .notInterleaved) }
    guard let ratio, interval != nil else { return (.inconclusive, .fewPairs) }
    return rule.judged(ratio, interval)
  }
}

// MARK: - Scatter

extension RunsComparison {
  /// The quantile of the normal distribution at the power that detection asks for.
  private static let normalOfPower = 0.8416

  private func quantile(for confidence: Double) -> Double {
    StudentT.quantile((1 + confidence) / 2, degreesOfFreedom: Double(nights - 1))
  }

  /// The standard error of the logarithm of the ratio.
  private var standardError: Double? {
    guard nights >= Self.fewestNights,
      let first = Self.variance(within: baseline.row),
      let second = Self.variance(within: candidate.row),
      let third = Self.variance(between: baseline.nights),
      let fourth = Self.variance(between: candidate.nights)
    else { return nil }
    return (first + second + third + fourth).squareRoot()
  }

  /// That of the logarithm of the median, from its 95 % interval.
  private static func variance(within row: MetricRow) -> Double? {
    guard let low = row.intervalLow, let high = row.intervalHigh, low > 0 else { return nil }
    let width = (log(high) - log(low)) / (2 * 1.960)
    return width * width
  }

  private static func variance(between nights: [Double]) -> Double? {
    let logs = nights.filter { $0 > 0 }.map { log($0) }
    return (try? Sample(logs))?.variance
  }
}
