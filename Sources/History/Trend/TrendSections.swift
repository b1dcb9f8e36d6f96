import Gate
import LaunchCore
import Measuring
import Rendering

/// The parts of a report that are about the machine, the past and the method, as Markdown lines.
struct TrendSections {
  let lead: TrendLead
  let slots: NightSlots

  /// The path of the scenario file, for commands.
  let scenarioFile: String

  private var summary: TrendSummary { lead.summary }

  // MARK: - Machine

  /// The control and the floor, the host, the disturbed launches and the notes.
  var machine: [String] {
    let trends = summary.series.filter { $0.role != .target }
    let table = TrendTable(summary: summary, slots: slots, release: nil).lines(trends)
    let health = [control, host, disturbed, noise].map { "- \($0.markdown)" } + notes
    return (table.isEmpty ? [] : table + [""]) + health
  }

  private var control: Phrase {
    let controls = lead.controls()
    guard !controls.isEmpty else {
      return
        "**Control:** none, so only a comparison can tell code from machine changes; set one with \(code: "baseline: {control: …}") in the scenario"
    }
    guard let largest = TrendLead.largestChange(controls) else {
      return "**Control:** too few nights to compare with"
    }
    let change = TrendWords.change(largest.ratio)
    let move = lead.controlMove.map { move in
      let step = TrendWords.step(move.before, move.after, move.metric.unit)
      let day = move.since.startedAt.utcDay
      return
        "; its level moved \(step) (\(TrendWords.change(move.ratio))) in the night of \(day), and its program is the same: the machine changed"
    }
    return "**Control:** \(raw: change) against its baseline\(raw: move ?? "")"
  }

  private var host: Phrase {
    let same = Quantity.count(summary.nightsOnHost, "night")
    let changes = summary.hostChanges.map { change -> Phrase in
      "\(change.fact) \(change.before) → \(change.after)"
    }
    let text: Phrase =
      changes.isEmpty ? "nothing changed" : Phrase(changes, separator: "; ")
    return
      "**Host:** \(summary.run.host.phrase); the same one for \(raw: same); \(text)"
  }

  private var disturbed: Phrase {
    let share =
      summary.launches == 0
      ? 0 : Double(summary.disturbedLaunches) / Double(summary.launches)
    return
      "**Launches:** \(summary.launches), of which \(summary.disturbedLaunches) were disturbed (\(raw: Quantity.percent(share))) and are excluded"
  }

  private var noise: Phrase {
    let noisy = summary.series.filter { $0.noise != .ok && $0.noise != .unknown }
    guard !noisy.isEmpty else { return "**Noise:** no series is skewed, has outliers or two modes" }
    let names = noisy.prefix(5).map { "\(TrendWords.name($0.key)) (\($0.noise.rawValue))" }
    let more = noisy.count > 5 ? " and \(noisy.count - 5) more" : ""
    return "**Noise:** \(names.joined(separator: ", "))\(raw: more)"
  }

  private var notes: [String] {
    summary.notes.map { note in
      let remedy = note.remedy.map { ". *Next:* \(WarningsMarkdown.text($0))" } ?? ""
      return "- **\(note.severity.rawValue):** \(WarningsMarkdown.text(note.problem))\(remedy)"
    }
  }

  var receipts: [String] { ReceiptTable(summary.run.controls).markdown }

  // MARK: - What the user saw

  /// Of each filmed arm the figures of tonight and of the night it is shown against.
  func films(hasPictures: Bool) -> [String] {
    summary.films.enumerated().flatMap { index, strip in
      let figures = strip.rows.map { "\($0.name) \($0.figures)" }.joined(separator: "; ")
      let text = "**\(MarkdownTable.escaped(strip.title)):** \(MarkdownTable.escaped(figures))"
      guard hasPictures else { return ["- " + text] }
      let name = SVGText.escaped(TrendCharts.filmName(index, in: summary))
      let alternative = SVGText.escaped("film of \(strip.title): \(figures)")
      return (index > 0 ? [""] : []) + [
        text, "", #"<img src="img/\#(name)" width="960" alt="\#(alternative)">"#,
      ]
    }
  }

  // MARK: - Budgets and drift

  var budgets: [String] {
    guard !summary.budgets.isEmpty else { return [] }
    return MarkdownTable(
      titles: ["budget", "limit", "tonight", "95 % interval", "outcome"],
      textColumns: [0, 4],
      rows: summary.budgets.map { check in
        let budget = check.budget
        let name =
          "\(budget.target) \(budget.state.rawValue) \(TrendWords.name(budget.metric))"
        let unit = budget.metric.unit
        let scale = Scale(unit, for: check.median ?? budget.maximum)
        let interval = check.low.flatMap { low in
          check.high.map { "\(scale.number(low))…\(scale.number($0))" }
        }
        return [
          MarkdownTable.escaped(name), Quantity.text(budget.maximum, unit),
          check.median.map(scale.text) ?? Quantity.none, interval ?? Quantity.none,
          "\(Self.symbol(check.outcome)) \(check.outcome.rawValue)",
        ]
      }
    ).lines
  }

  private static func symbol(_ outcome: Budget.Outcome) -> String {
    switch outcome {
    case .kept: "🟢"
    case .broken: "🔴"
    case .undecided: "🟠"
    case .unmeasured: "⚫"
    }
  }

  // MARK: - Counts

  /// The newest changes of what launches consist of, at most 20.
  var counts: [String] {
    let groups = CountedWords.groups(summary.countedChanges)
    guard !groups.isEmpty else { return [] }
    let table = MarkdownTable(
      titles: ["first night", "target", "change", "verdict"],
      textColumns: [0, 1, 2, 3],
      rows: groups.prefix(20).map { group in
        let night = lead.night(group.run)
        let commit = night?.build.map { " \(Phrase.code(TrendWords.short($0.commit)))" } ?? ""
        let day = night?.startedAt.utcDay ?? group.run
        let isOver = group.finding.thing == nil && group.finding.verdict == .failed
        return [
          MarkdownTable.escaped(day) + commit, MarkdownTable.escaped(group.finding.target),
          MarkdownTable.escaped(group.text),
          isOver ? "failed, limit \(group.finding.limit ?? "")" : GateReport.word(group.finding),
        ]
      }
    )
    let more = groups.count - 20
    let approvals = summary.openChanges.filter { $0.finding.verdict == .needsApproval }
      .compactMap(\.finding.thing)
      .map { "- \(Phrase.code(GateReport.command(for: $0, in: scenarioFile)))" }
    return table.lines + (more > 0 ? ["", "\(Quantity.count(more, "older change"))."] : [])
      + (approvals.isEmpty ? [] : ["", "To approve:", ""] + approvals.prefix(20))
  }

  /// The slow changes that are beyond the effect limit.
  var drift: [String] {
    let rows = summary.series.flatMap { trend in
      trend.drifts.filter(\.isBeyond).map { check in
        [
          MarkdownTable.escaped(TrendWords.name(trend.key)), MarkdownTable.escaped(check.against),
          TrendWords.step(check.before, check.now, trend.key.metric.unit),
          TrendWords.change(check.ratio, low: check.low, high: check.high),
          TrendWords.change(check.unexplained),
        ]
      }
    }
    guard !rows.isEmpty else { return [] }
    return MarkdownTable(
      titles: ["series", "against", "before → now", "change", "without known changes"],
      textColumns: [0, 1],
      rows: rows
    ).lines
  }

  /// A change of a level that no alert is of, and how many nights the level lasted.
  private struct LevelRow {
    var trend: SeriesTrend
    var change: LevelChange
    var nights: Int

    var first: SeriesPoint { trend.points[change.index] }

    var cells: [String] {
      [
        first.startedAt.utcDay, MarkdownTable.escaped(TrendWords.name(trend.key)),
        TrendWords.step(change.before, change.after, trend.key.metric.unit),
        TrendWords.change(
          trend.key.metric.ratio(from: change.before, to: change.after),
          of: trend.key.metric
        ), Quantity.count(nights, "night"),
      ]
    }
  }

  private func levelRows(of trend: SeriesTrend) -> [LevelRow] {
    let ends = (trend.changes.map(\.index) + trend.breaks.map(\.index)).sorted()
    return trend.changes.compactMap { change in
      let end = ends.first { $0 > change.index } ?? trend.points.count
      return change.alert == nil
        ? LevelRow(trend: trend, change: change, nights: end - change.index) : nil
    }
  }

  /// The newest changes of the level of a judged series that no alert is of, at most 20.
  var levels: [String] {
    let rows = summary.judged.flatMap(levelRows).sorted { $0.first.startedAt > $1.first.startedAt }
    guard !rows.isEmpty else { return [] }
    let table = MarkdownTable(
      titles: ["first night", "series", "before → after", "change", "lasted"],
      textColumns: [0, 1],
      rows: rows.prefix(20).map(\.cells)
    )
    let more = rows.count - 20
    return table.lines + (more > 0 ? ["", "\(Quantity.count(more, "older change"))."] : [])
  }

  // MARK: - What is new, and what is still open

  var changes: [String] {
    summary.alerts.filter(lead.isChanged).map { alert in
      let name = MarkdownTable.escaped(TrendWords.name(alert.series))
      let reason = alert.events.last.map { ": \(MarkdownTable.escaped($0.reason))" } ?? ""
      return
        "- \(TrendWords.symbol(alert)) \(alert.id) \(name) is \(alert.state.rawValue)\(reason)"
    }
  }

  var stillOpen: [String] {
    let old = summary.alerts.filter {
      ($0.state == .confirmed || $0.state == .suspected) && lead.age(of: $0) > 1
    }
    return old.map { alert in
      let name = MarkdownTable.escaped(TrendWords.name(alert.series))
      let age = Quantity.count(lead.age(of: alert), "night")
      return
        "- \(TrendWords.symbol(alert)) \(alert.id) \(name): \(alert.state.rawValue), \(age) old"
    }
  }

  /// The newest nights without a result, at most 14.
  var missed: [String] {
    let shown = summary.missed.suffix(14)
    let more = summary.missed.count - shown.count
    return shown.reversed().map { "- \($0.day): \(MarkdownTable.escaped($0.reason))" }
      + (more > 0 ? ["- \(Quantity.count(more, "night")) before that"] : [])
  }

  // MARK: - Method

  var method: [String] {
    let rule = summary.scenario.regressionRule
    let floor = rule.floor > .zero ? " and \(Quantity.text(rule.floor))" : ""
    let metrics = rule.metrics.map(TrendWords.name).joined(separator: ", ")
    let run = summary.run
    return [
      "Run \(MarkdownTable.escaped(run.id)), seed \(run.plan.seed), launchlab "
        + "\(MarkdownTable.escaped(run.tool)), "
        + "\(Quantity.count(summary.hostNights.own.count, "night")) "
        + "on record. Judged: \(metrics). Changes of at least "
        + "\(Quantity.percent(rule.effect))\(floor) matter; confidence level "
        + "\(Quantity.percent(rule.confidence)); a baseline is up to \(rule.nights) nights.",
      "",
      "One bar of a line of 30 nights is one night, `·` is a night without a value, `╎` is a "
        + "place that nothing is compared across; the height of the line is at least 10 % of the "
        + "value. Δ is tonight's median against the baseline, and against that of 1, 7 and 30 nights "
        + "before. CV is the scatter of the nights of the baseline.",
    ]
  }
}
