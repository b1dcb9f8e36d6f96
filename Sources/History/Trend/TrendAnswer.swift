import Gate
import LaunchCore
import Rendering
import Stages

/// The answer of a night: is it red, what, since which commit, code or machine, what next.
struct TrendAnswer {
  let lead: TrendLead

  /// The path of the scenario file, for commands.
  let scenarioFile: String

  private var summary: TrendSummary { lead.summary }

  init(_ summary: TrendSummary, scenarioFile: String) {
    lead = TrendLead(summary)
    self.scenarioFile = scenarioFile
  }

  /// Such as `Launch times of shop, 2026-11-21: 🔴 1 confirmed regression`.
  var title: Phrase {
    let day = summary.tonight.startedAt.utcDay
    return
      "Launch times of \(summary.scenario.name), \(raw: day): \(raw: lead.symbol) \(raw: verdict)"
  }

  /// Such as `red, 1 confirmed regression`.
  var verdict: String { "\(lead.colour.rawValue), \(lead.counts)\(lead.moveText)\(lead.openText)" }

  // MARK: - What

  /// What changed, and what of tonight is not as on other nights.
  var what: Phrase { "\(change)\(circumstances)" }

  private var change: Phrase {
    if lead.colour == .failed {
      return
        "\(summary.failure ?? "the run has no result"); nothing is known of tonight's launch times"
    }
    guard let alert = lead.main else {
      return counted ?? unproved ?? budget ?? unmeasured ?? quiet
    }
    return "\(Self.what(alert, in: lead))\(raw: Self.more(than: summary.alerts.count))"
  }

  /// How many there are beside the one that is told, such as `; 2 more below`.
  private static func more(than count: Int) -> String {
    count > 1 ? "; \(count - 1) more below" : ""
  }

  /// Such as `app warm launch +12.4 % [+10.8 %, +14.1 %], 412.0 → 463.1 ms, n = 40 pairs (R-17)`.
  static func what(_ alert: Alert, in lead: TrendLead) -> Phrase {
    let name = TrendWords.name(alert.series)
    if alert.kind == .budget {
      return
        "\(strong: name) \(raw: alert.stepText), the limit and what it is (\(raw: alert.id))"
    }
    let count =
      alert.measure.map { "n = \(Quantity.count($0.pairs, "pair"))" } ?? nights(alert, lead)
    return
      "\(strong: name) \(raw: alert.evidenceText)\(raw: tonight(alert, lead)), \(raw: count) (\(raw: alert.id))"
  }

  /// Tonight's value where something else has moved it since, or the change was mended in part.
  private static func tonight(_ alert: Alert, _ lead: TrendLead) -> String {
    if let level = lead.partialLevel(of: alert) {
      let metric = alert.series.metric
      let change = TrendWords.change(metric.ratio(from: alert.before, to: level), of: metric)
      return " (partly fixed: \(Quantity.text(level, alert.series.metric.unit)) now, \(change))"
    }
    if let step = lead.secondStep(of: alert), let trend = lead.trend(of: alert) {
      let levels = TrendWords.step(step.before, step.after, alert.series.metric.unit)
      let day = trend.points[step.index].startedAt.utcDay
      return " (a second step on \(day): \(TrendWords.change(step.ratio)), \(levels))"
    }
    guard lead.controlMove(since: alert) != nil,
      let point = lead.trend(of: alert)?.assessment.tonight
    else { return "" }
    return " (tonight \(Quantity.text(point.median, alert.series.metric.unit)))"
  }

  private static func nights(_ alert: Alert, _ lead: TrendLead) -> String {
    let launches = lead.trend(of: alert)?.assessment.tonight.map { ", n = \($0.n) tonight" } ?? ""
    return Quantity.count(lead.age(of: alert), "night") + launches
  }

  /// The first budget that has no alert and is not kept.
  private var budget: Phrase? {
    guard let check = (lead.brokenBudgets + lead.undecidedBudgets).first else { return nil }
    let budget = check.budget
    let unit = budget.metric.unit
    let name = "\(budget.target) \(budget.state.rawValue) \(TrendWords.name(budget.metric))"
    let value = check.median.map { Quantity.text($0, unit) } ?? Quantity.none
    return
      "budget \(raw: check.outcome.rawValue): \(strong: name) \(raw: value), limit \(raw: Quantity.text(budget.maximum, unit))"
  }

  /// The first of what was counted and is not allowed.
  private var counted: Phrase? {
    let groups = CountedWords.groups(summary.openChanges)
    return groups.first.map { "\(Self.counted($0))\(raw: Self.more(than: groups.count))" }
  }

  /// Such as `app: 1 library more: libfoo.so.1`.
  static func counted(_ group: CountedWords.Group) -> Phrase {
    "\(strong: group.finding.target): \(group.text)"
  }

  /// The first suspicion of the history that has no alert, such as one of imported nights.
  private var unproved: Phrase? {
    guard let trend = summary.unexplained.first else { return nil }
    let others = Self.more(than: summary.unexplained.count)
    guard let level = trend.worseLevel(summary.scenario.regressionRule) else {
      let change = TrendWords.change(trend.assessment.ratio)
      return
        "\(strong: TrendWords.name(trend.key)) \(raw: change) against its baseline, not proved\(raw: others)"
    }
    let step = TrendWords.step(level.before, level.after, trend.key.metric.unit)
    let count = Quantity.count(trend.points.count - level.index, "night")
    let day = trend.points[level.index].startedAt.utcDay
    return
      "\(strong: TrendWords.name(trend.key)) \(raw: TrendWords.change(level.ratio)), \(raw: step), since the night of \(raw: day) (\(raw: count)); not proved\(raw: others)"
  }

  /// The first night of that suspicion, where its level is known.
  private var unprovedStart: SeriesPoint? {
    guard lead.colour != .red, let trend = summary.unexplained.first else { return nil }
    let level = trend.worseLevel(summary.scenario.regressionRule)
    return level.map { trend.points[$0.index] }
  }

  /// What has no value tonight, with the night of its last one.
  private var unmeasured: Phrase? {
    guard let trend = summary.unmeasured.first else { return nil }
    let others = Self.more(than: summary.unmeasured.count)
    let last = trend.points.last.map { ", last on \($0.startedAt.utcDay)" } ?? ""
    return
      "\(strong: TrendWords.name(trend.key)) was not measured tonight\(raw: last)\(raw: others)"
  }

  private var quiet: Phrase {
    let trends = summary.series.filter { $0.role == .target }
    let judged = trends.filter { $0.assessment.baseline != nil }
    guard let largest = TrendLead.largestChange(judged) else {
      return trends.isEmpty
        ? "tonight has no value of any target"
        : "\(raw: Quantity.count(trends.count, "series", plural: "series")) with too few nights to compare with"
    }
    let change = TrendWords.change(largest.ratio)
    let count = Quantity.count(judged.count, "series", plural: "series")
    return
      "\(raw: count) within the usual scatter, \(TrendWords.name(largest.trend.key)) furthest from its baseline: \(raw: change)"
  }

  /// Each with a semicolon before it; empty on a night like others.
  private var circumstances: Phrase {
    let missed = lead.justMissed.count
    let gone = lead.gone.map { TrendWords.name($0.key) }
    let parts: [Phrase?] = [
      missed > 0
        ? "; no result of the \(raw: missed == 1 ? "night" : "\(missed) nights") before" : nil,
      summary.hostChanges.isEmpty ? nil : "; the host changed",
      gone.first.map { "; \($0) not measured\(raw: Self.more(than: gone.count))" },
    ]
    return Phrase(parts.compactMap(\.self), separator: "")
  }

  // MARK: - Since when

  var since: Phrase {
    if lead.colour == .failed {
      let last = summary.hostNights.line.last { $0.status == .complete }
      return last.map {
        "the last result is of \(raw: $0.startedAt.utcDay), run \($0.run)"
      }
        ?? "no night has a result yet"
    }
    guard let alert = lead.main else {
      let nights = Quantity.count(summary.hostNights.own.count, "night")
      let start =
        (lead.firstOpenChange?.startedAt ?? unprovedStart?.startedAt)
        .map { "the night of \($0.utcDay)" }
      let since = start ?? "\(nights) on record"
      guard let build = summary.tonight.build else { return "\(raw: since)" }
      return "\(raw: since); tonight is \(Phrase(build, of: summary.scenario.source))"
    }
    return Self.since(alert, in: lead)
  }

  static func since(_ alert: Alert, in lead: TrendLead) -> Phrase {
    lead.range(of: alert).since(alert, day: lead.day(ofOnset: alert))
  }

  // MARK: - Code or machine

  var cause: Phrase {
    if lead.colour == .failed { return "not measured; \(machine(.launch, nil))" }
    guard let alert = lead.main else {
      let cause =
        switch lead.colour {
        case .green: "neither"
        case .unjudged: "not judged yet"
        case .failed, .red, .unsettled:
          !summary.openChanges.isEmpty
            ? "counted, not timed" : budget == nil ? "not settled" : "a limit, whatever the cause"
        }
      return "\(raw: cause); \(machine(.launch, nil))"
    }
    let stages = lead.stages(of: alert).compactMap { change -> Phrase? in
      change.difference.map { difference in
        "\(raw: TrendWords.difference(difference, .nanoseconds)) in \(StageWords.title(path: change.path))"
      }
    }
    let spent: Phrase = stages.isEmpty ? "" : "; \(Phrase(stages, separator: ", "))"
    return
      "\(Self.cause(alert))\(spent); \(machine(alert.series.metric, lead.controlMove(since: alert)))"
  }

  static func cause(_ alert: Alert) -> Phrase {
    let proof: Phrase
    if let found = alert.proof {
      let change = TrendWords.change(
        found.ratio,
        low: found.low,
        high: found.high,
        of: alert.series.metric
      )
      proof =
        ": \(code: TrendWords.short(found.bad)) against \(code: TrendWords.short(found.good)) in turn on this machine is \(raw: change)"
    } else {
      proof = alert.events.last.map { ": \($0.reason)" } ?? ""
    }
    if alert.kind == .budget { return "a limit, whatever the cause" }
    return switch alert.cause {
    case .code: "\(strong: "code")\(proof)"
    case .machine: "\(strong: "machine")\(proof)"
    case .unknown: "\(strong: "not settled")\(proof)"
    }
  }

  /// What is known of the machine, such as `control +0.2 %, host unchanged for 41 nights`.
  private func machine(_ metric: Metric, _ move: ControlMove?) -> Phrase {
    let largest = TrendLead.largestChange(lead.controls(for: metric))
    let control =
      move?.sinceText ?? largest.map { "control target \(TrendWords.change($0.ratio))" }
    let host =
      summary.hostChanges.isEmpty
      ? "host unchanged for \(Quantity.count(summary.nightsOnHost, "night"))"
      : "host changed: \(summary.hostChanges.map(\.fact).joined(separator: ", "))"
    return "\(raw: control ?? "no control target"), \(host)"
  }

  // MARK: - What next

  var next: Phrase {
    if lead.colour == .failed {
      let words = ["launchlab", "run", scenarioFile]
      return "fix what failed, and run the scenario again: \(code: ShellQuoting.text(words))"
    }
    guard let alert = lead.main else {
      switch lead.colour {
      case .green: return "nothing to do"
      case .unjudged: return "nothing to do until there are enough nights"
      case .red where !summary.openChanges.isEmpty:
        return approval ?? "see section Counts of the report"
      case .failed, .red, .unsettled:
        return budget != nil
          ? "see section Budgets of the report" : "see section Trend of the report"
      }
    }
    let others = lead.known.filter { $0.isRed && $0.number != alert.number }.prefix(3)
    let commands =
      Self.commands(for: alert, in: lead, scenarioFile: scenarioFile)
      + others.map { Command(label: "known: ", command: "launchlab why \($0.id)") }
    return Phrase(commands.map { "\(raw: $0.label)\(code: $0.command)" }, separator: " · ")
  }

  /// The command that approves the first thing that may be approved.
  private var approval: Phrase? {
    let thing = summary.openChanges.first { $0.finding.verdict == .needsApproval }?.finding.thing
    return thing.map { "\(code: GateReport.command(for: $0, in: scenarioFile)), or take it out" }
  }

  struct Command {
    /// What it is for, with a colon and a space; empty where the command says it.
    var label: String
    var command: String
  }

  /// The commands that lead further, the most useful first.
  static func commands(for alert: Alert, in lead: TrendLead, scenarioFile: String) -> [Command] {
    let why = Command(label: "", command: "launchlab why \(alert.id)")
    let ack = Command(label: "", command: "launchlab ack \(alert.id) --reason '…'")
    let canAcknowledge =
      alert.state == .confirmed && alert.direction == .worse && alert.cause != .machine
    let range = lead.range(of: alert)
    let bisect = Command(label: "", command: "launchlab bisect --alert \(alert.id)")
    return [why] + (range.isProved && range.commits != nil && alert.isRed ? [bisect] : [])
      + (canAcknowledge ? [ack] : [])
      + [reproduction(of: alert, in: lead, scenarioFile: scenarioFile)].compactMap(\.self)
  }

  private static func reproduction(
    of alert: Alert,
    in lead: TrendLead,
    scenarioFile: String
  ) -> Command? {
    guard let range = lead.range(of: alert).commits, alert.cause != .machine else { return nil }
    let words = ["launchlab", "compare", "--revisions", range, scenarioFile]
    return Command(label: "reproduce: ", command: ShellQuoting.text(words))
  }
}

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
  /// Shares of slow launches say nothing of the speed of the machine.
  ///
  /// - Parameters:
  ///   - trend: The series of the control.
  ///   - onset: Only changes after this run count; nil for all.
  ///   - effect: The least change that matters, as a share.
  init?(of trend: SeriesTrend, after onset: String?, effect: Double) {
    let start = trend.breaks.last?.index ?? 0
    let first = onset.flatMap { run in trend.points.firstIndex { $0.run == run } } ?? start
    let changes = trend.changes.filter { $0.index > max(first, start) }
    guard trend.key.metric.hasLevel, let earliest = changes.first, let newest = changes.last,
      earliest.before > 0,
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
    let words = metric.comparative
    let word = ratio > 1 ? words.more : words.less
    let too = direction == alert.direction ? " too" : ""
    return "the machine is \(word)\(too): control \(TrendWords.change(ratio))"
  }

  /// Such as `control target +104 % since 2026-01-29`.
  var sinceText: String {
    "control target \(TrendWords.change(ratio)) since \(since.startedAt.utcDay)"
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

  private var effect: Double { summary.scenario.regressionRule.effect }

  private func largestMove(of trends: [SeriesTrend], after onset: String?) -> ControlMove? {
    trends.compactMap { ControlMove(of: $0, after: onset, effect: effect) }
      .max { abs($0.ratio - 1) < abs($1.ratio - 1) }
  }
}
