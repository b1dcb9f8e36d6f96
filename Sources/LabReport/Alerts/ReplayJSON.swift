import Foundation
package import LabAnalysis
import LabModel

/// What detectors would have said, as JSON of schema `launchlab.replay/1`.
package struct ReplayJSON {
  private let summary: ReplaySummary

  package init(_ summary: ReplaySummary) { self.summary = summary }

  /// Writes the JSON text in pieces.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    let value: JSONValue = [
      "schema": "launchlab.replay/1",
      "scenario": .string(summary.scenario),
      "since": JSONValue(summary.since?.formatted(.iso8601)),
      "nights": JSONValue(summary.nights),
      "series": JSONValue(summary.series),
      "series_months": .number(summary.seriesMonths),
      "changes": .array(summary.changes.map(change)),
      "detectors": .array(summary.detectors.map(detector)),
    ]
    try JSONText.write(value, .indented, to: sink)
  }

  private func detector(_ replay: DetectorReplay) -> JSONValue {
    [
      "detector": .string(replay.detector.rawValue),
      "found": JSONValue(summary.changes.count - replay.missed.count),
      "false_alarms_per_series_month": JSONValue(replay.falseAlarms),
      "median_delay_nights": JSONValue(replay.delay),
      "alerts": .array(replay.alerts.map(alert)),
      "missed": .array(replay.missed.map(change)),
    ]
  }

  private func alert(_ alert: ReplayedAlert) -> JSONValue {
    .object(
      place(alert.series, alert.run, alert.at, alert.direction) + [
        ("change", JSONValue(alert.change)), ("delay_nights", JSONValue(alert.delay)),
      ]
    )
  }

  private func change(_ change: ReplayedChange) -> JSONValue {
    .object(
      place(change.series, change.run, change.at, change.direction) + [
        ("unit", .string(change.series.metric.unit.rawValue)),
        ("before", .number(change.before)), ("after", .number(change.after)),
      ]
    )
  }

  private func place(
    _ key: SeriesKey,
    _ run: String,
    _ date: Date,
    _ direction: Alert.Direction
  ) -> [(name: String, value: JSONValue)] {
    [
      ("target", .string(key.target)), ("state", .string(key.state.rawValue)),
      ("metric", .string(key.metric.rawValue)), ("run", .string(run)),
      ("started_at", .string(date.formatted(.iso8601))),
      ("direction", .string(direction.rawValue)),
    ]
  }
}
