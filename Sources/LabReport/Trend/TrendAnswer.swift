import LabAnalysis
import LabModel

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
    let day = TrendWords.day(summary.tonight.startedAt)
    return
      "Launch times of \(summary.scenario.name), \(raw: day): \(raw: lead.symbol) \(raw: verdict)"
  }

  /// Such as `red, 1 confirmed regression`.
  var verdict: String { "\(lead.colour.rawValue), \(lead.counts)\(lead.moveText)" }

  // MARK: - What

  var what: Phrase {
    guard let alert = lead.main else { return budget ?? quiet }
    let others = summary.alerts.count - 1
    let more: Phrase = others > 0 ? "; \(others) more below" : ""
    return "\(Self.what(alert, in: lead))\(more)"
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
      "\(strong: name) \(raw: alert.changeText), \(raw: alert.stepText)\(raw: tonight(alert, lead)), \(raw: count) (\(raw: alert.id))"
  }

  /// Tonight's value where something else has moved it since.
  private static func tonight(_ alert: Alert, _ lead: TrendLead) -> String {
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
      "\(raw: count) as before; the largest change is \(raw: change), of \(TrendWords.name(largest.trend.key))"
  }

  // MARK: - Since when

  var since: Phrase {
    guard let alert = lead.main else {
      let nights = Quantity.count(summary.nights.count, "night")
      guard let build = summary.tonight.build else { return "\(raw: nights) on record" }
      return "\(raw: nights) on record; tonight is \(Self.commit(build))"
    }
    return Self.since(alert, in: lead)
  }

  static func since(_ alert: Alert, in lead: TrendLead) -> Phrase {
    lead.range(of: alert).since(alert, day: lead.day(ofOnset: alert))
  }

  private static func commit(_ build: Night.Build) -> Phrase {
    let commit: Phrase = "\(code: TrendWords.short(build.commit))"
    return build.subject.isEmpty ? commit : "\(commit) \"\(build.subject)\""
  }

  // MARK: - Code or machine

  var cause: Phrase {
    guard let alert = lead.main else {
      let cause = budget == nil ? "neither" : "a limit, whatever the cause"
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
      let change = TrendWords.change(found.ratio, low: found.low, high: found.high)
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
      ? "host unchanged for \(Quantity.count(lead.nightsOnHost, "night"))"
      : "host changed: \(summary.hostChanges.map(\.fact).joined(separator: ", "))"
    return "\(raw: control ?? "no control target"), \(host)"
  }

  // MARK: - What next

  var next: Phrase {
    guard let alert = lead.main else {
      switch lead.colour {
      case .green: return "nothing to do"
      case .red, .unsettled: return "see section Budgets of the report"
      }
    }
    let commands = Self.commands(for: alert, in: lead, scenarioFile: scenarioFile)
    return Phrase(commands.map { "\(raw: $0.label)\(code: $0.command)" }, separator: " · ")
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
    return [why] + (canAcknowledge ? [ack] : [])
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
