import Foundation
package import LaunchCore
import Rendering

/// Stored alerts as JSON lines: one object per alert, with all that happened to it.
package struct AlertLines {
  package init() {}

  /// One alert as a line, with its line feed.
  ///
  /// - Parameters:
  ///   - alert: The alert.
  ///   - deliveries: The attempts to tell somebody of it, in order.
  /// - Returns: A line of JSON. Numbers are the shortest that read back.
  package func line(for alert: Alert, deliveries: [Delivery]) -> String {
    JSONText.line([
      "alert": .string(alert.id),
      "kind": .string(alert.kind.rawValue),
      "series": series(alert.series),
      "unit": .string(alert.series.metric.unit.rawValue),
      "direction": .string(alert.direction.rawValue),
      "state": .string(alert.state.rawValue),
      "cause": .string(alert.cause.rawValue),
      "onset": .string(alert.onset),
      "last_good": JSONValue(alert.lastGood),
      "before": .number(alert.before),
      "after": .number(alert.after),
      "proof": JSONValue(alert.proof),
      "why": JSONValue(alert.explanation?.why),
      "events": .array(alert.events.map(event)),
      "deliveries": .array(deliveries.map(delivery)),
    ])
  }

  private func series(_ key: SeriesKey) -> JSONValue {
    [
      "scenario": .string(key.scenario),
      "target": .string(key.target),
      "state": .string(key.state.rawValue),
      "metric": .string(key.metric.rawValue),
      "fingerprint": .string(key.fingerprint),
    ]
  }

  private func event(_ event: AlertEvent) -> JSONValue {
    [
      "at": .string(event.at.formatted(.iso8601)),
      "run": JSONValue(event.run),
      "person": JSONValue(event.person),
      "state": .string(event.state.rawValue),
      "cause": .string(event.cause.rawValue),
      "reason": .string(event.reason),
      "criteria": .array(event.criteria.map(criterion)),
    ]
  }

  private func criterion(_ criterion: Criterion) -> JSONValue {
    [
      "id": .string(criterion.id),
      "text": .string(criterion.text),
      "value": JSONValue(criterion.value),
      "limit": JSONValue(criterion.limit),
      "unit": .string(criterion.unit.rawValue),
      "is_met": .bool(criterion.isMet),
      "n": JSONValue(criterion.n),
      "runs": .array(criterion.runs.map(JSONValue.string)),
    ]
  }

  private func delivery(_ delivery: Delivery) -> JSONValue {
    [
      "event": JSONValue(delivery.event),
      "notifier": .string(delivery.notifier),
      "at": .string(delivery.at.formatted(.iso8601)),
      "failure": JSONValue(delivery.failure),
    ]
  }
}

/// Stored summaries of nights as JSON lines: one object per night and series.
package struct NightLines {
  package init() {}

  /// One value of a series as a line, with its line feed.
  package func line(for row: NightRow) -> String {
    let summary = row.summary
    return JSONText.line([
      "scenario": .string(row.scenario),
      "run": .string(summary.run),
      "started_at": .string(row.startedAt.formatted(.iso8601)),
      "status": .string(row.status.rawValue),
      "purpose": .string(row.purpose.rawValue),
      "fingerprint": .string(row.fingerprint),
      "host": JSONValue(row.hostName),
      "identity": JSONValue(row.identity),
      "commit": JSONValue(row.commit),
      "target": .string(summary.arm.target),
      "state": .string(summary.arm.state.rawValue),
      "metric": .string(summary.metric.rawValue),
      "unit": .string(summary.metric.unit.rawValue),
      "n": JSONValue(summary.n),
      "mean": .number(summary.mean),
      "variance": JSONValue(summary.variance),
      "median": .number(summary.median),
      "mad": .number(summary.medianAbsoluteDeviation),
      "min": .number(summary.minimum),
      "max": .number(summary.maximum),
      "p90": .number(summary.p90),
      "p95": .number(summary.p95),
      "ci95": interval(of: summary),
    ])
  }

  private func interval(of summary: MetricRow) -> JSONValue {
    guard let low = summary.intervalLow, let high = summary.intervalHigh else { return .null }
    return [.number(low), .number(high)]
  }
}

/// Stored summaries of nights as comma-separated values, one line per night and series.
///
/// A value that could not be had is an empty field. Numbers are the shortest that read back.
package struct NightCSV {
  package init() {}

  /// The names of the columns, as the first line of a file.
  package static var header: String {
    CSVLine([
      "scenario", "run", "started_at", "status", "purpose", "fingerprint", "commit", "target",
      "state", "metric", "unit", "n", "mean", "variance", "median", "mad", "min", "max", "p90",
      "p95", "ci95_low", "ci95_high", "host", "identity",
    ]).text
  }

  /// One value of a series as a line, with its line end.
  package func line(for row: NightRow) -> String {
    let summary = row.summary
    let identity = [
      row.scenario, summary.run, row.startedAt.formatted(.iso8601), row.status.rawValue,
      row.purpose.rawValue, row.fingerprint, row.commit ?? "", summary.arm.target,
      summary.arm.state.rawValue, summary.metric.rawValue, summary.metric.unit.rawValue,
      String(summary.n),
    ]
    let numbers = [
      summary.mean, summary.variance, summary.median, summary.medianAbsoluteDeviation,
      summary.minimum, summary.maximum, summary.p90, summary.p95, summary.intervalLow,
      summary.intervalHigh,
    ]
    return CSVLine(
      identity + numbers.map { $0.map(JSONText.text(of:)) ?? "" }
        + [row.hostName ?? "", row.identity ?? ""]
    ).text
  }
}
