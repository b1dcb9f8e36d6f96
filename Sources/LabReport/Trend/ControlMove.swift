import LabAnalysis
import LabModel
import LabStatistics

/// A change of the level of the control, whose program is the same every night: the machine's own.
struct ControlMove {
  let metric: Metric

  /// The first night of the new level.
  let since: SeriesPoint

  let before: Double
  let after: Double

  var ratio: Double { after / before }

  /// The move since the last break of a series; nil when the level is as it was then.
  ///
  /// The night is that of the largest change.
  ///
  /// - Parameters:
  ///   - trend: The series of the control.
  ///   - onset: Only changes after this run count; nil for all.
  ///   - effect: The least change that matters, as a share.
  init?(of trend: SeriesTrend, after onset: String?, effect: Double) {
    let start = trend.breaks.last?.index ?? 0
    let first = onset.flatMap { run in trend.points.firstIndex { $0.run == run } } ?? start
    let changes = trend.changes.filter { $0.index > max(first, start) }
    guard let earliest = changes.first, let newest = changes.last, earliest.before > 0,
      let largest = changes.max(by: { Self.size($0) < Self.size($1) }),
      trend.points.indices.contains(largest.index)
    else { return nil }
    metric = trend.key.metric
    since = trend.points[largest.index]
    before = earliest.before
    after = newest.after
    if abs(ratio - 1) <= effect { return nil }
  }

  private static func size(_ change: LevelChange) -> Double {
    change.ratio > 0 ? max(change.ratio, 1 / change.ratio) : 0
  }

  /// Whether the machine got worse.
  var direction: Alert.Direction {
    (ratio > 1) == (metric.direction == .lowerIsBetter) ? .worse : .better
  }

  /// Such as `the machine is slower too: control +104 %`.
  ///
  /// - Parameter alert: That which the night is told by.
  /// - Returns: A phrase without a full stop.
  func text(beside alert: Alert) -> String {
    let words = MetricWords.comparative(of: metric)
    let word = ratio > 1 ? words.more : words.less
    let too = direction == alert.direction ? " too" : ""
    return "the machine is \(word)\(too): control \(TrendWords.change(ratio))"
  }

  /// Such as `control target +104 % since 2026-01-29`.
  var sinceText: String {
    "control target \(TrendWords.change(ratio)) since \(TrendWords.day(since.startedAt))"
  }
}

extension TrendLead {
  /// The move of the control that came after the change of an alert of the code.
  ///
  /// - Parameter alert: One that is told.
  /// - Returns: Nil for alerts that ended, and those of the machine or of a budget.
  func controlMove(since alert: Alert) -> ControlMove? {
    guard alert.isOpen, alert.kind != .budget, alert.cause != .machine else { return nil }
    let controls = controls(for: alert.series.metric)
    let same = controls.filter { $0.key.state == alert.series.state }
    return largestMove(of: same.isEmpty ? controls : same, after: alert.onset)
  }

  /// What the verdict of the night says of the machine, with a semicolon before it; empty where it is
  /// as it was when the main alert began.
  var moveText: String {
    let text = main.flatMap { alert in controlMove(since: alert)?.text(beside: alert) }
    return text.map { "; \($0)" } ?? ""
  }

  /// The move of the control in its whole history on this machine.
  var controlMove: ControlMove? { largestMove(of: controls(), after: nil) }

  /// Whether tonight's control or floor is beyond the effect limit because its level changed.
  func hasMoved(_ trend: SeriesTrend) -> Bool {
    guard trend.role != .target, let ratio = trend.assessment.ratio, abs(ratio - 1) > effect,
      let move = ControlMove(of: trend, after: nil, effect: effect)
    else { return false }
    return (move.ratio > 1) == (ratio > 1)
  }

  private var effect: Double { (summary.scenario.regression ?? RegressionRule()).effect }

  private func largestMove(of trends: [SeriesTrend], after onset: String?) -> ControlMove? {
    trends.compactMap { ControlMove(of: $0, after: onset, effect: effect) }
      .max { abs($0.ratio - 1) < abs($1.ratio - 1) }
  }
}
