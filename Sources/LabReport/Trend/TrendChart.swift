import Foundation
package import LabAnalysis
package import LabModel

/// The history of one series as an SVG picture of 800 by 280 units.
///
/// It shows the median of each night with its interval, the levels of the segments, where they
/// change, what nothing is compared across, and nights without a value as gaps. It holds no script
/// and no reference to anything outside. The same trend gives the same bytes.
package struct TrendChart {
  private let window: ChartWindow
  private let summary: TrendSummary
  private let alert: Alert?
  private let limit: Double?

  /// Creates the chart of a series.
  ///
  /// - Parameters:
  ///   - trend: One of the series of `summary`, with at least one point.
  ///   - summary: What the nights are taken from.
  ///   - alert: What the chart is drawn for; its onset is always in sight, up to a year ago.
  package init(_ trend: SeriesTrend, in summary: TrendSummary, alert: Alert? = nil) {
    self.init(trend, in: summary, slots: NightSlots(summary), alert: alert)
  }

  init(_ trend: SeriesTrend, in summary: TrendSummary, slots: NightSlots, alert: Alert?) {
    self.summary = summary
    self.alert = alert
    let budget = summary.budgets.first {
      $0.budget.target == trend.key.target && $0.budget.state == trend.key.state
        && $0.budget.metric == trend.key.metric
    }
    limit = budget?.budget.maximum
    window = ChartWindow(trend, in: slots, onset: alert?.onset, limit: limit)
  }

  private var trend: SeriesTrend { window.trend }

  // MARK: - Words

  /// What the picture shows, with its numbers, for those who cannot see it.
  package var alternative: String {
    let unit = trend.key.metric.unit
    let nights = window.points.compactMap(\.self).count
    let missing = window.points.count - nights
    var sentences = [
      "\(TrendWords.name(trend.key)): \(Quantity.count(nights, "night")) with a value from "
        + "\(window.slots.first?.day ?? "") to \(window.slots.last?.day ?? ""), "
        + "\(missing == 0 ? "none" : "\(missing)") missing"
    ]
    if let alert { sentences.append("\(alert.id): \(alert.stepText), \(alert.changeText)") }
    if let tonight = trend.assessment.tonight {
      sentences.append("tonight \(Quantity.text(tonight.median, unit)), n = \(tonight.n)")
    }
    sentences += changes.map { change in
      "level \(TrendWords.step(change.before, change.after, unit)) "
        + "(\(TrendWords.change(change.ratio))) since \(day(of: change.index))"
    }
    sentences += shownBreaks.map { "break before \(day(of: $0.index)): \($0.text)" }
    if !window.clipped.isEmpty {
      let values = window.clipped.prefix(3).compactMap { slot in
        window.points[slot].map { Quantity.text(trend.points[$0].median, unit) }
      }
      let count = Quantity.count(window.clipped.count, "value")
      sentences.append("\(count) outside the axis, such as \(values.joined(separator: ", "))")
    }
    return sentences.joined(separator: ". ").printable + "."
  }

  private func day(of point: Int) -> String {
    trend.points.indices.contains(point) ? TrendWords.day(trend.points[point].startedAt) : ""
  }

  private var changes: [LevelChange] {
    trend.changes.filter { window.slot(of: $0.index) != nil }
  }

  private var shownBreaks: [SeriesBreak] {
    trend.breaks.filter { window.slot(of: $0.index) != nil }
  }

  // MARK: - Drawing

  /// The picture, with a line feed after every line.
  ///
  /// - Parameter theme: The colours.
  /// - Returns: An SVG document of its own.
  package func rendered(_ theme: ChartTheme) -> String {
    let plot = ChartPlot(window: window, theme: theme)
    let title = SVGText.escaped("\(TrendWords.name(trend.key)), \(summary.scenario.name)")
    let lines =
      [
        #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 280" width="800" height="280" "#
          + #"role="img" aria-labelledby="t d" font-family="\#(ChartPlot.fonts)" font-size="12">"#,
        #"<title id="t">\#(title)</title>"#,
        #"<desc id="d">\#(SVGText.escaped(alternative))</desc>"#,
        #"<rect width="800" height="280" fill="\#(theme.background)"/>"#,
      ] + heading(theme) + plot.axes + plot.bands + plot.limit(limit) + plot.levels
      + plot.flags(shownBreaks.map(flag) + marks) + plot.points
      + plot.legend(hasBreaks: !shownBreaks.isEmpty, isOutside: !window.clipped.isEmpty) + [
        "</svg>"
      ]
    return lines.map { $0 + "\n" }.joined()
  }

  private func heading(_ theme: ChartTheme) -> [String] {
    let name = TrendWords.name(trend.key).truncated(to: 60)
    let unit = trend.key.metric.unit
    let tonight = trend.assessment.tonight.map { point in
      "tonight \(Quantity.text(point.median, unit)), n = \(point.n)"
    }
    return [
      #"<text x="16" y="22" font-size="14" font-weight="bold" fill="\#(theme.text)">"#
        + "\(SVGText.escaped(name))</text>",
      #"<text x="784" y="22" text-anchor="end" fill="\#(theme.faint)">"#
        + "\(SVGText.escaped(tonight ?? "no value tonight"))</text>",
    ]
  }

  private func flag(_ item: SeriesBreak) -> ChartFlag {
    ChartFlag(point: item.index, text: "┆ \(item.text)".truncated(to: 44), kind: .broken)
  }

  /// The changes of the level, and the onset of the alert where none of them is it.
  private var marks: [ChartFlag] {
    let shown = changes.map(mark)
    guard let alert, alert.kind == .step,
      let point = trend.points.firstIndex(where: { $0.run == alert.onset }),
      window.slot(of: point) != nil, !changes.contains(where: { isOwn($0, alert) })
    else { return shown }
    let isUp = alert.after > alert.before
    let text =
      "\(isUp ? "▲" : "▼") \(alert.id) \(TrendWords.change(alert.ratio))\(commit(of: alert))"
    let kind: ChartFlag.Kind = alert.direction == .worse ? .worse : .better
    return shown + [ChartFlag(point: point, text: text, kind: kind, isOwn: true)]
  }

  private func isOwn(_ change: LevelChange, _ alert: Alert) -> Bool {
    change.alert == alert.number || trend.points[change.index].run == alert.onset
  }

  private func mark(_ change: LevelChange) -> ChartFlag {
    let isOwn = alert.map { self.isOwn(change, $0) } ?? false
    let build = isOwn ? alert.map(commit) : nil
    let number = change.alert ?? (isOwn ? alert?.number : nil)
    let id = number.map { "R-\($0) " } ?? ""
    let isUp = change.after > change.before
    let isWorse = isUp == (trend.key.metric.direction == .lowerIsBetter)
    return ChartFlag(
      point: change.index,
      text: "\(isUp ? "▲" : "▼") \(id)\(TrendWords.change(change.ratio))\(build ?? "")",
      kind: isWorse ? .worse : .better,
      isOwn: isOwn
    )
  }

  /// The commit of an alert, where it is proved to be the one.
  private func commit(of alert: Alert) -> String {
    let range = AlertRange(alert, nights: summary.nights)
    guard range.isSingle, let commit = range.bad.commit else { return "" }
    return " \(commit.prefix(7))"
  }
}
