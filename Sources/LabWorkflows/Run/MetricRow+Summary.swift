import LabAnalysis
import LabModel
import LabStatistics

extension MetricRow {
  /// The version of the method that makes the rows; raise it when the method changes.
  static let currentVersion = 1

  /// The rows that trends read, one per plain arm and metric; none of a run that was disturbed too
  /// much, since nothing may be concluded from it.
  static func rows(of summary: RunSummary) -> [MetricRow] {
    guard !summary.isTooDisturbed else { return [] }
    return summary.arms.filter { $0.arm.kind == .plain && !$0.isDoubtful }.flatMap { arm in
      arm.metrics.map { row($0, of: arm.arm, in: summary.run.id) }
    }
  }

  private static func row(_ metric: MetricSummary, of arm: Arm, in run: String) -> MetricRow {
    let estimates = metric.estimates
    return MetricRow(
      run: run,
      arm: arm,
      metric: metric.metric,
      version: currentVersion,
      n: estimates.n,
      mean: estimates.mean,
      variance: estimates.variance,
      median: estimates.median,
      medianAbsoluteDeviation: estimates.medianAbsoluteDeviation,
      minimum: estimates.minimum,
      maximum: estimates.maximum,
      p90: estimates.p90,
      p95: estimates.p95,
      intervalLow: estimates.medianInterval?.low,
      intervalHigh: estimates.medianInterval?.high
    )
  }
}
