import Foundation
import LabAnalysis
import LabModel
import LabStatistics

/// What the script of the dashboard draws, as JSON.
///
/// Nights are places on a common axis. Points are columns of integers, so that 60,000 of them take
/// about 2 MB: intervals are written as distances from the median, -1 standing for none.
struct DashboardData {
  private let summary: TrendSummary
  private let slots: DashboardSlots

  init(_ summary: TrendSummary) {
    self.summary = summary
    slots = DashboardSlots(summary)
  }

  /// The text on one line; it cannot end the script element that it stands in.
  var json: String {
    let value: JSONValue = [
      "schema": "launchlab.dashboard/1",
      "scenario": .string(summary.scenario.name),
      "slots": slots.value,
      "series": .array(summary.series.map(series)),
    ]
    return Markup.scriptSafe(json: JSONText.line(value)).trimmingCharacters(in: .newlines)
  }

  private func series(_ trend: SeriesTrend) -> JSONValue {
    let assessment = trend.assessment
    let unit = trend.key.metric.unit
    return .object([
      ("target", .string(trend.key.target)),
      ("state", .string(trend.key.state.rawValue)),
      ("metric", .string(trend.key.metric.rawValue)),
      ("unit", .string(unit.rawValue)),
      ("worse", trend.key.metric.direction == .lowerIsBetter ? "up" : "down"),
      (
        "outcome",
        .string(TrendLead(summary).hasMoved(trend) ? "moved" : assessment.outcome.rawValue)
      ),
      ("ratio", JSONValue(assessment.ratio)),
      ("over1", JSONValue(assessment.overOneNight)),
      ("over7", JSONValue(assessment.overSevenNights)),
      ("over30", JSONValue(assessment.overThirtyNights)),
      ("noise", .string(trend.noise.rawValue)),
      ("at", .integers(trend.points.map { Int64(slots.index(of: $0)) })),
      ("median", column(trend.points.map(\.median), unit)),
      ("below", column(trend.points.map { below($0) }, unit)),
      ("above", column(trend.points.map { above($0) }, unit)),
      ("n", .integers(trend.points.map { Int64($0.n) })),
      (
        "segments",
        .array(
          trend.segments.map { segment in
            [
              "from": JSONValue(segment.range.lowerBound),
              "to": JSONValue(segment.range.upperBound),
              "level": .number(segment.level),
            ]
          }
        )
      ),
      ("changes", .array(trend.changes.map(change))),
      (
        "breaks",
        .array(
          trend.breaks.map { mark in
            ["index": JSONValue(mark.index), "text": .string(mark.text)]
          }
        )
      ),
      ("alerts", .array(alerts(of: trend))),
    ])
  }

  /// The alerts of a series whose onset is among its points.
  private func alerts(of trend: SeriesTrend) -> [JSONValue] {
    (summary.alerts + summary.pastAlerts).compactMap { alert in
      let key = alert.series
      guard key.target == trend.key.target, key.state == trend.key.state,
        key.metric == trend.key.metric,
        let index = trend.points.firstIndex(where: { $0.run == alert.onset })
      else { return nil }
      return [
        "id": .string(alert.id), "state": .string(alert.state.rawValue),
        "direction": .string(alert.direction.rawValue), "index": JSONValue(index),
        "text": .string(AlertSentence(alert, nights: summary.nights).text),
      ]
    }
  }

  private func change(_ change: LevelChange) -> JSONValue {
    [
      "index": JSONValue(change.index), "before": .number(change.before),
      "after": .number(change.after), "alert": JSONValue(change.alert.map { "R-\($0)" }),
    ]
  }

  private func below(_ point: SeriesPoint) -> Double {
    point.intervalLow.map { max(0, point.median - $0) } ?? -1
  }

  private func above(_ point: SeriesPoint) -> Double {
    point.intervalHigh.map { max(0, $0 - point.median) } ?? -1
  }

  /// Times and sizes to the whole unit, which nobody can see the rest of; counts as they are.
  private func column(_ values: [Double], _ unit: Metric.Unit) -> JSONValue {
    guard unit != .count else { return .array(values.map(JSONValue.number)) }
    return .integers(values.map { Int64(exactly: $0.rounded()) ?? -1 })
  }
}
