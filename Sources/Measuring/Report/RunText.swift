package import LaunchCore
package import Rendering
import Stages

/// The result of a run as a terminal shows it.
///
/// It is the launch times, and where all is asked for also what was run and where, what else was
/// measured, the evidence for the states, and the warnings.
package struct RunText {
  private let summary: RunSummary
  private let style: TextStyle
  private let isVerbose: Bool
  private let includesWarnings: Bool
  private let facts: RunFacts

  /// Creates the text of a result.
  ///
  /// - Parameters:
  ///   - summary: The result of the run.
  ///   - style: How the text is shown; with the width `.max` no line is broken.
  ///   - isVerbose: Whether all is shown, and not only the launch times.
  ///   - includesWarnings: Whether the warnings follow the result; if not, they belong on stderr.
  package init(
    _ summary: RunSummary,
    style: TextStyle,
    isVerbose: Bool = true,
    includesWarnings: Bool = true
  ) {
    self.summary = summary
    self.style = style
    self.isVerbose = isVerbose
    self.includesWarnings = includesWarnings
    facts = RunFacts(summary)
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let times = LaunchTable(summary, style: style).lines()
    let sections =
      isVerbose
      ? [header, times] + ArmText.distributions(of: summary).map { $0.lines(style: style) }
        + [FigureTable(summary, style: style).lines()] + stages
        + [evidence, facts.controls.lines(style: style)] : [failure, times]
    let text = sections.filter { !$0.isEmpty }.map { $0.joinedLines(style) }
    let shown = includesWarnings ? summary.warnings : []
    let warnings = DiagnosticText(shown, style: style).rendered()
    return (text + (warnings.isEmpty ? [] : [warnings])).joined(separator: "\n")
  }

  private var header: [String] {
    let title = style.paint(facts.scenario, .bold)
    let details = [facts.order, facts.host, facts.build].compactMap(\.self)
    return ["\(title)  run \(summary.run.id) · \(facts.startedAt)"]
      + failure
      + details.flatMap { style.wrapped($0, indent: 2) }.map { style.paint($0, .dim) }
  }

  /// Why the run as a whole tells less than it was to tell.
  private var failure: [String] {
    [facts.unfinished, facts.inconclusive].compactMap(\.self)
      .flatMap { style.wrapped($0, indent: 2) }.map { style.paint($0, .boldFailure) }
  }

  /// How the launches of each plain arm were spent.
  private var stages: [[String]] {
    ArmText.shown(of: summary).flatMap { arm in
      arm.summary.stages.map { StagesText($0, style: style).brief(title: "stages of \(arm.name)") }
        + (arm.summary.pageIns.map { [PageInText($0).lines(style: style)] } ?? [])
    }
  }

  private var evidence: [String] {
    RunEvidence(summary).items.flatMap { listed($0.label, $0.phrases) }
  }

  /// A label, and its items below each other.
  private func listed(_ label: String, _ items: [String]) -> [String] {
    let indent = 10
    return items.enumerated().flatMap { number, item in
      var lines = style.wrapped(
        (number == 0 ? label : "").padded(to: indent) + item,
        indent: indent
      )
      guard number == 0 else { return lines }
      lines[0] = style.paint(label, .dim) + lines[0].dropFirst(label.count)
      return lines
    }
  }
}

/// What was decided about a run, as a terminal shows it.
package struct RunDecisionText {
  private let run: RunListing
  private let decision: RunDecision
  private let alerts: [Alert]
  private let store: String?

  /// - Parameters:
  ///   - run: The run.
  ///   - decision: What was just decided about it.
  ///   - alerts: The open alerts that began with the run, or compare with it.
  ///   - store: The path of the store, where one was named.
  package init(_ run: RunListing, _ decision: RunDecision, alerts: [Alert], store: String?) {
    self.run = run
    self.decision = decision
    self.alerts = alerts
    self.store = store
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let reason = decision.reason.isEmpty ? "" : ": \(decision.reason)"
    var lines = ["run \(run.id) of \(run.scenario) \(phrase)\(reason)"]
    if decision.standing != .included {
      let place = store.map { ["--store", $0] } ?? []
      let command = ["launchlab", "runs", "include", run.id] + place
      lines.append("  nothing is deleted; put it back with `\(ShellQuoting.text(command))`")
    }
    lines += alerts.map { "  \($0.id) depends on this run; later nights re-evaluate it" }
    return lines.joinedLines()
  }

  private var phrase: String {
    switch decision.standing {
    case .included: "counts again"
    case .excluded: "is excluded from history"
    case .removed: "is removed from history and from lists"
    }
  }
}
