package import LabAnalysis
import LabModel
import LabStatistics

/// The result of a run as a terminal shows it.
///
/// The first lines say what was run and where. Then come the launch times, what else was measured,
/// the evidence for the states, and the warnings.
package struct RunText {
  private let summary: RunSummary
  private let style: TextStyle
  private let facts: RunFacts

  package init(_ summary: RunSummary, style: TextStyle) {
    self.summary = summary
    self.style = style
    facts = RunFacts(summary)
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let sections =
      [header, LaunchTable(summary, style: style).lines()]
      + [FigureTable(summary, style: style).lines(), evidence]
    let text = sections.filter { !$0.isEmpty }.map { $0.map { $0 + "\n" }.joined() }
    let warnings = DiagnosticText(summary.warnings, style: style).rendered()
    return (text + (warnings.isEmpty ? [] : [warnings])).joined(separator: "\n")
  }

  private var header: [String] {
    let title = style.paint(facts.scenario, .bold)
    let details = [facts.order, facts.host, facts.build].compactMap(\.self)
    return ["\(title)  run \(summary.run.id) · \(facts.startedAt)"]
      + (facts.unfinished.map { [style.paint($0, .boldFailure)] } ?? [])
      + details.flatMap { style.wrapped($0, indent: 2) }.map { style.paint($0, .dim) }
  }

  // MARK: - Evidence

  private var evidence: [String] {
    listed("ready", facts.readiness) + listed("failed", incomplete)
      + listed("pinned", PinnedFiles(summary.arms).phrases) + listed("counters", counters)
      + listed("flags", flags) + listed("warm-ups", warmUps) + listed("missing", missing)
      + listed("controls", facts.controls)
  }

  /// Arms with some launches that were not ready.
  private var incomplete: [String] {
    summary.arms.map(ArmText.init)
      .filter { arm in arm.failure == nil && arm.summary.outcomes.keys.contains { $0 != "ready" } }
      .map { "\($0.name): \($0.outcomes)" }
  }

  private var counters: [String] {
    summary.arms.filter { !$0.counters.isEmpty }.map { arm in
      let values = arm.counters.sorted { $0.key < $1.key }.map { name, counter in
        switch counter {
        case .estimated(let estimates):
          "\(name) \(Quantity.text(estimates.median, CounterEvent.unit(of: name)))"
        case .missing(let reason): "\(name) not counted (\(reason))"
        }
      }
      let launches = Quantity.count(arm.launches, "launch", plural: "launches")
      let text = values.joined(separator: ", ").printable
      return "\(arm.arm.target.printable) \(arm.arm.state.rawValue), \(launches) apart: \(text)"
    }
  }

  private var flags: [String] {
    summary.arms.filter { !$0.flags.isEmpty }.map { arm in
      let texts = arm.flags.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { "\($0.key.rawValue) in \($0.value) of \(arm.launches)" }
      return "\(ArmText(arm).name): \(texts.joined(separator: ", "))"
    }
  }

  private var warmUps: [String] {
    let texts = summary.arms.filter { $0.warmUps > 0 }
      .map { "\($0.warmUps) for \(ArmText($0).name)" }
    return texts.isEmpty ? [] : ["unmeasured launches: \(texts.joined(separator: ", "))"]
  }

  /// Figures that could not be had, each reason once.
  private var missing: [String] {
    var reasons: [String: Set<String>] = [:]
    for (name, reason) in summary.arms.flatMap(\.missing) {
      reasons[reason, default: []].insert(name)
    }
    return reasons.map { "\($0.value.sorted().joined(separator: ", ")): \($0.key)".printable }
      .sorted()
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
