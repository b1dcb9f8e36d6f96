import Foundation
import LaunchCore
package import Rendering

/// What a rule would have found with each limit, side by side, and then each alert.
package struct ReplayText {
  private let summary: ReplaySummary
  private let style: TextStyle

  package init(_ summary: ReplaySummary, style: TextStyle) {
    self.summary = summary
    self.style = style
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    guard summary.nights > 0 else {
      return "\(summary.scenario.printable): no night to judge\n"
    }
    let details = summary.rules.flatMap { [""] + detailLines($0) }
    let lines = headLines + [""] + tableLines + details
    return lines.joinedLines(style)
  }

  private var headLines: [String] {
    let since = summary.since.map { " since \($0.utcDay)" } ?? ""
    let nights = Quantity.count(summary.nights, "night")
    let series = Quantity.count(summary.series, "series", plural: "series")
    let months = String(format: "%.1f series-months", summary.seriesMonths)
    let changes = Quantity.count(summary.changes.count, "change")
    let line =
      "\(summary.scenario.printable): \(nights)\(since) of \(series) (\(months)); "
      + "the segmentation of the whole history finds \(changes)"
    return style.wrapped(line, indent: 2)
  }

  private var tableLines: [String] {
    let titles = [
      "effect", "alerts", "found", "missed", "delay", "false alarms per series-month",
    ]
    let table = TextTable(
      columns: [.left, .right, .right, .right, .right, .decimal],
      rows: [titles.map { TextTable.Cell($0, .dim) }] + summary.rules.map(row)
    )
    return table.lines(style: style)
  }

  private func row(_ replay: RuleReplay) -> [TextTable.Cell] {
    let found = summary.changes.count - replay.missed.count
    return [
      TextTable.Cell(Self.effect(replay), .bold),
      TextTable.Cell(String(replay.alerts.count)),
      TextTable.Cell("\(found) of \(summary.changes.count)"),
      TextTable.Cell(String(replay.missed.count), replay.missed.isEmpty ? nil : .warning),
      TextTable.Cell(replay.delay.map(Self.delay) ?? Quantity.none),
      TextTable.Cell(replay.falseAlarms.map { String(format: "%.3f", $0) } ?? Quantity.none),
    ]
  }

  private static func effect(_ replay: RuleReplay) -> String {
    String(format: "%.1f %%", 100 * replay.effect)
  }

  private func detailLines(_ replay: RuleReplay) -> [String] {
    let title = style.paint(Self.effect(replay), .bold)
    guard !replay.alerts.isEmpty || !replay.missed.isEmpty else { return ["\(title): no alert"] }
    let rows = replay.alerts.map(alertRow) + replay.missed.map(missedRow)
    let table = TextTable(columns: [.left, .left, .left, .right, .left], rows: rows)
    return [title] + table.lines(style: style).map { "  " + $0 }
  }

  private func alertRow(_ alert: ReplayedAlert) -> [TextTable.Cell] {
    let change = summary.changes.first { $0.series == alert.series && $0.run == alert.change }
    let delay = alert.delay.map { Self.delay(Double($0)) } ?? ""
    let verdict =
      alert.change == nil
      ? TextTable.Cell("false alarm", .warning)
      : TextTable.Cell("found\(delay.isEmpty ? "" : ", delay \(delay)")", .success)
    return row(alert.at, alert.series, alert.direction, change, verdict)
  }

  private func missedRow(_ change: ReplayedChange) -> [TextTable.Cell] {
    let verdict = TextTable.Cell("missed", .failure)
    return row(change.at, change.series, change.direction, change, verdict)
  }

  private func row(
    _ date: Date,
    _ key: SeriesKey,
    _ direction: Alert.Direction,
    _ change: ReplayedChange?,
    _ verdict: TextTable.Cell
  ) -> [TextTable.Cell] {
    let series = "\(key.target) \(key.state.rawValue): \(key.metric.label)"
    return [
      TextTable.Cell(date.utcDay), TextTable.Cell(series.printable),
      TextTable.Cell(direction.rawValue), TextTable.Cell(change.map(Self.size) ?? ""), verdict,
    ]
  }

  private static func size(_ change: ReplayedChange) -> String {
    guard change.before != 0 else { return Quantity.none }
    return TrendWords.change(change.after / change.before)
  }

  private static func delay(_ nights: Double) -> String {
    let number =
      nights == nights.rounded() ? String(Int(clamping: nights)) : String(format: "%.1f", nights)
    return "\(number) \(abs(nights) == 1 ? "night" : "nights")"
  }
}

/// What a rule would have found, as JSON of schema `launchlab.replay/1`.
package struct ReplayJSON: JSONDocument {
  private let summary: ReplaySummary

  package init(_ summary: ReplaySummary) { self.summary = summary }

  package var value: JSONValue {
    [
      "schema": "launchlab.replay/1",
      "scenario": .string(summary.scenario),
      "since": JSONValue(summary.since?.formatted(.iso8601)),
      "nights": JSONValue(summary.nights),
      "series": JSONValue(summary.series),
      "series_months": .number(summary.seriesMonths),
      "changes": .array(summary.changes.map(change)),
      "detectors": .array(summary.rules.map(rule)),
    ]
  }

  private func rule(_ replay: RuleReplay) -> JSONValue {
    [
      "detector": "nightly",
      "effect": .number(replay.effect),
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
