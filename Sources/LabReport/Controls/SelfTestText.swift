package import LabAnalysis
import LabModel

/// The result of a self-test as a terminal shows it.
///
/// First comes whether the program was the same as itself, then the effects that this host detects,
/// then how often a shorter comparison would have been wrong.
package struct SelfTestText {
  private let summary: SelfTestSummary
  private let style: TextStyle

  package init(_ summary: SelfTestSummary, style: TextStyle) {
    self.summary = summary
    self.style = style
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    [header, table, verdicts, alarms, missing, conclusion].filter { !$0.isEmpty }
      .map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  private var header: [String] {
    let facts = RunFacts(summary.run)
    let command = ShellQuoting.text(summary.command).printable
    let title = style.paint("selftest of \(command)", .bold)
    return ["\(title)  run \(summary.run.run.id) · \(facts.startedAt)"]
      + (facts.unfinished.map { [style.paint($0, .boldFailure)] } ?? [])
      + [facts.order, facts.host].flatMap { style.wrapped($0, indent: 2) }
      .map { style.paint($0, .dim) }
  }

  /// Per state the noise, and the smallest effect that some numbers of pairs detect.
  private var table: [String] {
    guard !summary.states.isEmpty else { return [] }
    let numbers = Set(summary.noise.flatMap { $0.detectable.map(\.pairs) }).sorted()
    let titles =
      ["detected by", "median", "CV"] + numbers.map { Quantity.count($0, "pair") }
    let rows = summary.noise.map { noise in
      [
        noise.state.rawValue, Quantity.text(noise.median, .nanoseconds),
        Quantity.percent(noise.coefficientOfVariation),
      ] + numbers.map { noise.effect(pairs: $0).map(Quantity.percent) ?? Quantity.none }
    }
    return TextTable(
      columns: [.left, .decimal, .decimal] + numbers.map { _ in .decimal },
      rows: [titles.map { TextTable.Cell($0, .dim) }] + rows.map { $0.map { TextTable.Cell($0) } }
    )
    .lines(style: style)
  }

  private var verdicts: [String] {
    summary.states.flatMap { state in
      listed(
        state.noise.state.rawValue,
        SelfTestWords.verdict(state.comparison),
        state.comparison.isDifference ? .boldFailure : nil
      )
    }
  }

  private var alarms: [String] {
    summary.states.flatMap { state in
      listed(state.noise.state.rawValue, SelfTestWords.alarms(state), .dim)
    }
  }

  private var missing: [String] {
    summary.missing.flatMap { missing in
      listed(
        missing.state.rawValue,
        "not measured: \(missing.reason.printable)",
        missing.isRefused ? .note : .warning
      )
    }
  }

  private var conclusion: [String] {
    let states = summary.deceptive.map(\.noise.state.rawValue)
    guard !states.isEmpty else { return [] }
    let text =
      "This host cannot be trusted to compare launches in the \(states.count == 1 ? "state" : "states") "
      + "\(states.joined(separator: ", ")): it called a program different from itself."
    return style.wrapped(text).map { style.paint($0, .boldFailure) }
  }

  private func listed(_ label: String, _ text: String, _ ink: TextStyle.Ink?) -> [String] {
    var lines = style.wrapped("\(label): \(text)", indent: 2)
    lines[0] = style.paint(label, ink) + lines[0].dropFirst(label.count)
    return lines
  }
}
