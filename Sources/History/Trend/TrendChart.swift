package import LaunchCore
import Rendering

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

  private var alerts: [Alert] { [alert].compactMap(\.self) }

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
    if let alert { sentences.append("\(alert.id): \(alert.evidenceText)") }
    if let tonight = trend.assessment.tonight {
      sentences.append("tonight \(Quantity.text(tonight.median, unit)), n = \(tonight.n)")
    }
    sentences += changes.map { change in
      let name =
        change.alert.map { "R-\($0)" }
        ?? TrendWords.change(
          trend.key.metric.ratio(from: change.before, to: change.after),
          of: trend.key.metric
        )
      return "level \(TrendWords.step(change.before, change.after, unit)) (\(name)) "
        + "since \(day(of: change.index))"
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
    trend.points.indices.contains(point) ? trend.points[point].startedAt.utcDay : ""
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
    return lines.joinedLines()
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

  private var marks: [ChartFlag] {
    ChartFlag.marks(of: trend, alerts, known: summary.alerts + summary.pastAlerts)
  }

  private func flag(_ item: SeriesBreak) -> ChartFlag {
    ChartFlag(point: item.index, text: "┆ \(item.text)".truncated(to: 44), kind: .broken)
  }
}

/// The charts that a report refers to, one per alert in a light and a dark form.
package struct TrendCharts {
  private let summary: TrendSummary

  package init(_ summary: TrendSummary) { self.summary = summary }

  /// The name of a chart without its ending; each run has charts of its own, so that reports of former
  /// nights keep theirs.
  static func name(_ alert: Alert, in summary: TrendSummary) -> String {
    "\(summary.run.id)-\(alert.id)"
  }

  static func flameGraphName(_ alert: Alert, in summary: TrendSummary) -> String {
    "\(name(alert, in: summary))-why.svg"
  }

  static func distributionsName(_ alert: Alert, in summary: TrendSummary) -> String {
    "\(name(alert, in: summary))-launches.svg"
  }

  static func filmName(_ index: Int, in summary: TrendSummary) -> String {
    "\(summary.run.id)-film-\(index + 1).svg"
  }

  /// The pictures: charts, flame graphs of what makes launches slower, launches of proofs, and what the
  /// user saw.
  ///
  /// - Returns: The names of the files, such as `RUN-R-17-dark.svg`, and what they hold, in the order
  ///   of the alerts; no chart for an alert whose series has no value on tonight's host.
  package var files: [(name: String, text: String)] {
    let lead = TrendLead(summary)
    let slots = NightSlots(summary)
    let flameGraphs = summary.alerts.compactMap { alert in
      summary.flameGraphs[alert.number].map { (Self.flameGraphName(alert, in: summary), $0) }
    }
    let distributions = summary.alerts.compactMap { alert in
      summary.distributions[alert.number].map {
        (Self.distributionsName(alert, in: summary), $0.svg())
      }
    }
    let films = summary.films.enumerated().map { index, film in
      (Self.filmName(index, in: summary), film.rendered())
    }
    return flameGraphs + distributions + films
      + summary.alerts.flatMap { alert -> [(name: String, text: String)] in
        guard let trend = lead.trend(of: alert), !trend.points.isEmpty else { return [] }
        let chart = TrendChart(trend, in: summary, slots: slots, alert: alert)
        return [ChartTheme.light, .dark].map { theme in
          (name: "\(Self.name(alert, in: summary))\(theme.suffix).svg", text: chart.rendered(theme))
        }
      }
  }
}

/// A place of a chart that a line stands at, and what is written above it.
struct ChartFlag {
  var point: Int
  var text: String
  var kind: Kind

  /// Whether the chart is drawn for it.
  var isOwn = false

  /// The raw value is the name in the data of the dashboard.
  enum Kind: String {
    case worse
    case better
    case broken = "break"
  }

  /// The changes of the level of a series, and the onsets of alerts that none of them is.
  ///
  /// - Parameters:
  ///   - trend: The series.
  ///   - alerts: Those that are marked.
  ///   - known: All alerts: the number of a change that one of them is of is that of the alert.
  /// - Returns: Those of changes first, ascending.
  static func marks(of trend: SeriesTrend, _ alerts: [Alert], known: [Alert]) -> [ChartFlag] {
    let metric = trend.key.metric
    func isOf(_ alert: Alert, _ change: LevelChange) -> Bool {
      let direction = Alert.Direction(from: change.before, to: change.after, metric: metric)
      return change.alert == alert.number
        || alert.kind == .step && alert.direction == direction
          && trend.points[change.index].run == alert.onset
    }
    func text(_ isUp: Bool, _ number: Int?, _ ratio: Double?) -> String {
      let sign = ratio.map { $0 >= 1 } ?? isUp ? "▲" : "▼"
      return "\(sign) \(number.map { "R-\($0) " } ?? "")\(TrendWords.change(ratio, of: metric))"
    }
    let changes = trend.changes.map { change in
      let own = alerts.first { isOf($0, change) }
      let alert = known.first { $0.number == change.alert } ?? own
      let isUp = change.after > change.before
      let isWorse = isUp == (metric.direction == .lowerIsBetter)
      return ChartFlag(
        point: change.index,
        text: text(
          isUp,
          change.alert ?? alert?.number,
          alert.map(\.ratio) ?? metric.ratio(from: change.before, to: change.after)
        ),
        kind: isWorse ? .worse : .better,
        isOwn: own != nil
      )
    }
    let onsets = alerts.compactMap { alert -> ChartFlag? in
      guard alert.kind == .step, !trend.changes.contains(where: { isOf(alert, $0) }),
        let point = trend.points.firstIndex(where: { $0.run == alert.onset })
      else { return nil }
      return ChartFlag(
        point: point,
        text: text(alert.after > alert.before, alert.number, alert.ratio),
        kind: alert.direction == .worse ? .worse : .better,
        isOwn: true
      )
    }
    return changes + onsets
  }
}

extension ChartPlot {
  private static let lines = [41.0, 55.0, 69.0]

  /// A vertical line per flag, and its text on the first of three lines where it has room.
  ///
  /// That of the alert itself is placed first, then the newest ones; where no line has room, the
  /// first sign of the text stands alone.
  func flags(_ flags: [ChartFlag]) -> [String] {
    let places = flags.compactMap { flag in
      window.slot(of: flag.point).map { (flag: flag, x: edge($0)) }
    }
    let order = places.indices.sorted { one, other in
      let (left, right) = (places[one], places[other])
      if left.flag.isOwn != right.flag.isOwn { return left.flag.isOwn }
      return (left.x, left.flag.point) > (right.x, right.flag.point)
    }
    var taken = [[ClosedRange<Double>]](repeating: [], count: Self.lines.count)
    var texts: [String] = []
    for index in order {
      let (flag, x) = places[index]
      texts.append(label(flag, at: x, taken: &taken))
    }
    return places.map { upright($0.flag, at: $0.x) } + texts
  }

  private func label(
    _ flag: ChartFlag,
    at x: Double,
    taken: inout [[ClosedRange<Double>]]
  ) -> String {
    let width = Double(flag.text.count) * 6.4
    let isEnd = x + 5 + width > Self.right
    let range = isEnd ? x - 5 - width...x : x...x + 5 + width
    let free = taken.firstIndex { $0.allSatisfy { !$0.overlaps(range) } }
    if let free { taken[free].append(range) }
    let shown = free == nil ? String(flag.text.prefix(1)) : flag.text
    let line = Self.lines[free ?? Self.lines.count - 1]
    return text(x + (isEnd ? -5 : 5), line, shown, colour(flag.kind), isEnd: isEnd)
  }

  private func upright(_ flag: ChartFlag, at x: Double) -> String {
    let attributes =
      flag.kind == .broken
      ? #" stroke-dasharray="5 4""# : flag.isOwn ? #" stroke-width="2""# : ""
    return line(x, Self.lines[0] - 9, x, Self.bottom, colour(flag.kind), attributes)
  }

  private func colour(_ kind: ChartFlag.Kind) -> String {
    switch kind {
    case .worse: theme.worse
    case .better: theme.better
    case .broken: theme.broken
    }
  }
}
