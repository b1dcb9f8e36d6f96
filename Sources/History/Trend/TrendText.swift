import LaunchCore
package import Rendering

/// The answer of a night as a terminal shows it, in a few lines.
package struct TrendText {
  private let lead: TrendLead
  private let answer: TrendAnswer
  private let style: TextStyle
  private let host: String?

  /// The most alerts that have a line of their own.
  private static let most = 6

  /// Creates the text of a night.
  ///
  /// - Parameters:
  ///   - summary: What is concluded.
  ///   - style: How the text is shown; with the width `.max` no line is broken.
  ///   - options: The host that the night is of.
  package init(
    _ summary: TrendSummary,
    style: TextStyle,
    options: ReportOptions = ReportOptions()
  ) {
    lead = TrendLead(summary)
    answer = TrendAnswer(summary, scenarioFile: summary.scenarioFile)
    self.style = style
    host = options.host
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let lines = verdict + alerts + budgets + counts + closing
    return lines.joinedLines(style)
  }

  private var summary: TrendSummary { lead.summary }

  private var verdict: [String] {
    let word = "verdict: \(answer.verdict)"
    let ink: TextStyle.Ink =
      switch lead.colour {
      case .failed, .red: .boldFailure
      case .unsettled: .boldWarning
      case .unjudged: .dim
      case .green: .success
      }
    let name = summary.scenario.name.printable + (host.map { " on \($0.printable)" } ?? "")
    return style.wrapped("\(name): \(word)", indent: 2).map { style.paint($0, ink) }
  }

  private var alerts: [String] {
    guard !summary.alerts.isEmpty, lead.colour != .failed else {
      return wrapped(answer.what.plain)
    }
    let shown = (lead.news + lead.former).prefix(Self.most)
      .flatMap { alert in
        wrapped("\(TrendWords.title(alert)): \(sentence(alert))", ink: ink(alert))
          + (alert.openExplanation.map { wrapped("why: \($0.why.printable)") } ?? [])
      }
    let more = summary.alerts.count - Self.most
    return shown + (more > 0 ? wrapped("\(Quantity.count(more, "more alert"))") : [])
  }

  /// Such as `app warm launch +12.4 %, 412.0 → 463.1 ms, n = 40 pairs (R-17), since 4c1f9e2a, code`.
  private func sentence(_ alert: Alert) -> String {
    let what = TrendAnswer.what(alert, in: lead).plain
    let since = lead.range(of: alert).shortSince(alert, day: lead.day(ofOnset: alert))
    let cause =
      switch alert.cause {
      case .code, .machine: ", cause: \(alert.cause.rawValue)"
      case .unknown: alert.isOpen && alert.kind != .budget ? ", cause not settled" : ""
      }
    return "\(what), \(since.printable)\(cause)"
  }

  private func ink(_ alert: Alert) -> TextStyle.Ink? {
    switch alert.state {
    case .suspected: .warning
    case .confirmed: alert.isRed ? .failure : nil
    case .acknowledged, .refuted: .dim
    case .fixed, .recovered: .success
    }
  }

  private var budgets: [String] {
    let broken = summary.budgets.filter { $0.outcome == .broken || $0.outcome == .undecided }
    return broken.flatMap { check in
      let budget = check.budget
      let name = "\(budget.target) \(budget.state.rawValue) \(TrendWords.name(budget.metric))"
      let unit = budget.metric.unit
      let value = check.median.map { Quantity.text($0, unit) } ?? Quantity.none
      return wrapped(
        "budget \(check.outcome.rawValue): \(name.printable) \(value), limit "
          + Quantity.text(budget.maximum, unit),
        ink: check.outcome == .broken ? .failure : .warning
      )
    }
  }

  /// What was counted and is not allowed; the first of it is told above where there are no alerts.
  private var counts: [String] {
    let groups = CountedWords.groups(summary.openChanges).dropFirst(summary.alerts.isEmpty ? 1 : 0)
    let more = groups.count - Self.most
    return groups.prefix(Self.most)
      .flatMap { wrapped(TrendAnswer.counted($0).plain, ink: .failure) }
      + (more > 0 ? wrapped("\(Quantity.count(more, "more change"))") : [])
  }

  private var closing: [String] {
    let missed = lead.justMissed.last.map { last in
      wrapped("missing night: \(last.day), \(last.reason.printable)", ink: .warning)
    }
    let cause = wrapped("code or machine: \(answer.cause.plain)", ink: .dim)
    guard lead.colour != .green || lead.main != nil else { return cause + (missed ?? []) }
    return cause + (missed ?? []) + wrapped("next: \(answer.next.plain)")
  }

  private func wrapped(_ text: String, ink: TextStyle.Ink? = nil) -> [String] {
    style.wrappedBelow(text, ink: ink)
  }
}
