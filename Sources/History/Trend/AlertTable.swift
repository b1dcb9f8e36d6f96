import LaunchCore
import Rendering
import Stages

/// The alerts of a night, and what is known of each, in Markdown.
struct AlertTable {
  let lead: TrendLead

  private var summary: TrendSummary { lead.summary }

  /// The table of tonight's alerts; empty without one.
  var lines: [String] { lines(of: lead.news) }

  /// The table of the alerts of former nights; empty without one.
  var known: [String] { lines(of: lead.former) }

  /// Lines of 120 columns at most, unless a name is long: the rest is in the section of each alert.
  private func lines(of alerts: [Alert]) -> [String] {
    guard !alerts.isEmpty else { return [] }
    return MarkdownTable(
      titles: ["alert", "cause", "since", "nights", "state", "series", "change"],
      textColumns: [0, 1, 2, 4, 5],
      rows: alerts.map(row)
    ).lines
  }

  private func row(_ alert: Alert) -> [String] {
    [
      "[\(alert.id)](#\(alert.id.lowercased()))",
      alert.kind == .budget ? Quantity.none : alert.cause.rawValue, since(alert),
      String(lead.age(of: alert)),
      TrendTable.unbroken("\(TrendWords.symbol(alert)) \(TrendWords.title(alert))"),
      TrendTable.name(alert.series),
      TrendTable.unbroken(TrendWords.change(alert.ratio, of: alert.series.metric)),
    ]
  }

  /// The day of the first night.
  private func since(_ alert: Alert) -> String {
    TrendTable.unbroken(MarkdownTable.escaped(lead.day(ofOnset: alert)))
  }

  /// What the alert's metric was before and is now; empty where less than one row is stored.
  func quantiles(of alert: Alert) -> [String] {
    // Tonight is of another host where it has no series of the alert.
    let tonight = lead.trend(of: alert).map { _ in summary.tonight.run }
    let runs = [alert.lastGood, alert.onset, tonight].compactMap(\.self)
    var seen: Set<String> = []
    let rows = runs.filter { seen.insert($0).inserted }.compactMap { run in
      summary.summaries.first {
        $0.run == run && $0.arm.target == alert.series.target
          && $0.arm.state == alert.series.state && $0.metric == alert.series.metric
          && $0.arm.kind == .plain
      }
    }
    guard !rows.isEmpty else { return points(of: alert) }
    let scale = Scale(alert.series.metric.unit, for: rows.map(\.median).max() ?? 0)
    let unit = scale.symbol.isEmpty ? "" : " in \(scale.symbol)"
    return MarkdownTable(
      titles: ["night\(unit)", "n", "minimum", "median", "95 % interval", "p90", "p95", "maximum"],
      textColumns: [0],
      rows: rows.map { row in
        let figures = [row.p90, row.p95, row.maximum].map(scale.number)
        return [label(row.run, alert), String(row.n), scale.number(row.minimum)]
          + [scale.number(row.median), interval(row.intervalLow, row.intervalHigh, scale)] + figures
      }
    ).lines
  }

  /// The same of what every night keeps, where nothing more is stored.
  private func points(of alert: Alert) -> [String] {
    guard let trend = lead.trend(of: alert) else { return [] }
    let runs = Set([alert.lastGood, alert.onset, summary.tonight.run].compactMap(\.self))
    let points = trend.points.filter { runs.contains($0.run) }
    guard !points.isEmpty else { return [] }
    let scale = Scale(alert.series.metric.unit, for: points.map(\.median).max() ?? 0)
    let unit = scale.symbol.isEmpty ? "" : " in \(scale.symbol)"
    return MarkdownTable(
      titles: ["night\(unit)", "n", "median", "95 % interval", "MAD"],
      textColumns: [0],
      rows: points.map { point in
        [label(point.run, alert), String(point.n), scale.number(point.median)]
          + [interval(point.intervalLow, point.intervalHigh, scale)]
          + [scale.number(point.medianAbsoluteDeviation)]
      }
    ).lines
  }

  private func interval(_ low: Double?, _ high: Double?, _ scale: Scale) -> String {
    guard let low, let high else { return Quantity.none }
    return "\(scale.number(low))…\(scale.number(high))"
  }

  private func label(_ run: String, _ alert: Alert) -> String {
    let day = lead.night(run).map { $0.startedAt.utcDay } ?? run
    let isTonight = run == summary.tonight.run
    let words =
      run == alert.lastGood
      ? "last good" : run == alert.onset ? (isTonight ? "first, tonight" : "first") : "tonight"
    return MarkdownTable.escaped("\(words), \(day)")
  }

  /// How the time of the launches moved between stages, tonight against the last good night.
  func stages(of alert: Alert) -> [String] {
    guard alert.series.metric == .launch else { return [] }
    let changes = summary.stageChanges.filter {
      $0.target == alert.series.target && $0.state == alert.series.state && $0.difference != nil
    }
    guard !changes.isEmpty else { return [] }
    return MarkdownTable(
      titles: ["stage", "before", "after", "difference"],
      textColumns: [0],
      rows: changes.prefix(12).map { change in
        let times = [change.before, change.after].map { time in
          time.map { Quantity.text($0, .nanoseconds) } ?? Quantity.none
        }
        let difference = TrendWords.difference(change.difference ?? 0, .nanoseconds)
        return [MarkdownTable.escaped(StageWords.title(path: change.path))] + times + [difference]
      }
    ).lines
  }

  private func met(_ criterion: Criterion) -> String {
    if criterion.isFigure { return Quantity.none }
    return TrendTable.unbroken(criterion.isMet ? "✔ yes" : "✘ no")
  }

  /// Everything that the newest event was decided by.
  func criteria(of alert: Alert) -> [String] {
    guard let event = alert.events.last(where: { !$0.criteria.isEmpty }) else { return [] }
    return MarkdownTable(
      titles: ["criterion", "met", "what", "value", "limit", "n"],
      textColumns: [0, 1, 2],
      rows: event.criteria.map { criterion in
        [
          Phrase.code(criterion.id), met(criterion),
          MarkdownTable.escaped(criterion.text), criterion.text(criterion.value),
          criterion.text(criterion.limit), criterion.n.map { String($0) } ?? Quantity.none,
        ]
      }
    ).lines
  }
}

extension Criterion {
  /// Whether it is a number that others rest on, and no condition.
  var isFigure: Bool {
    limit == nil && !isMet && value != nil && unit != .probability && id != "same-build"
  }

  /// A value in the unit of the criterion.
  func text(_ value: Double?) -> String {
    guard let value else { return Quantity.none }
    return switch unit {
    case .nanoseconds: Quantity.text(value, .nanoseconds)
    case .bytes: Quantity.text(value, .bytes)
    case .percent: Quantity.text(value, .percent)
    case .count, .probability: Quantity.significant(value)
    case .share: Quantity.percent(value)
    case .ratio: TrendWords.change(value)
    }
  }
}
