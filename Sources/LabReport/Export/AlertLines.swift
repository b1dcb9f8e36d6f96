import Foundation
package import LabModel

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
