package import LabAnalysis
import LabModel

/// The result of a comparison as a terminal shows it: one sentence, then the table.
package struct ComparisonText {
  private let findings: [ComparisonFinding]
  private let style: TextStyle
  private let counted: (one: String, plural: String)

  /// The lines that say what was compared, and where.
  private let facts: [String]

  /// Why the run as a whole is not what it should be, if so.
  private let alarms: [String]

  /// Shows targets that were launched in the same blocks.
  package init(_ summary: ComparisonSummary, style: TextStyle) {
    let run = RunFacts(summary.run)
    findings = summary.findings
    self.style = style
    counted = ("pair", "pairs")
    alarms = [run.unfinished, run.inconclusive].compactMap(\.self)
    facts =
      Self.legend(summary)
      + ["run \(summary.run.run.id) · \(run.startedAt)", run.order, run.host]
  }

  /// Shows two runs that were made before.
  package init(_ comparison: StoredComparison, style: TextStyle) {
    findings = comparison.findings
    self.style = style
    counted = ("launch of each", "launches of each")
    alarms = []
    let runs = [("before", comparison.baseline), ("after", comparison.candidate)]
    let nights = comparison.arms.map(\.nights).min() ?? 0
    facts =
      runs.map { name, run in
        let build = run.build.map { " · commit \($0.commit.prefix(12))" } ?? ""
        return "\(name): run \(run.id) of \(run.plan.scenario.name.printable), "
          + "\(Quantity.instant(run.startedAt))\(build)"
      } + [
        "not interleaved; the scatter between runs is taken from "
          + Quantity.count(nights, "other night"), comparison.candidate.host.phrase,
      ]
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let table = ComparisonTable(
      findings,
      counting: counted.one == "pair" ? "pairs" : "launches",
      style: style
    )
    return [answer, table.lines(), footer].filter { !$0.isEmpty }
      .map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  /// The sentence of the deciding comparison, and how many verdicts there are of each kind.
  private var answer: [String] {
    guard let deciding = findings.deciding else {
      return [style.paint("There is nothing to compare in both.", .boldWarning)]
    }
    let states = Set(findings.map(\.state)).count
    let sentence = ComparisonWords(deciding)
      .sentence(counting: (counted.one, plural: counted.plural), isPlaced: states > 1)
    let ink: TextStyle.Ink =
      switch deciding.verdict {
      case .regression: .boldFailure
      case .inconclusive: .boldWarning
      case .improvement, .same: .bold
      }
    return alarms.flatMap { style.wrapped($0) }.map { style.paint($0, .boldFailure) }
      + style.wrapped(sentence).map { style.paint($0, ink) } + counts
  }

  /// Such as `of 4 comparisons: 1 regression, 3 same`; nothing for one comparison.
  private var counts: [String] {
    guard findings.count > 1 else { return [] }
    let order: [Verdict] = [.regression, .inconclusive, .improvement, .same]
    let texts = order.compactMap { verdict -> String? in
      let count = findings.count { $0.verdict == verdict }
      return count == 0 ? nil : "\(count) \(verdict.rawValue)"
    }
    return style.wrapped("of \(findings.count) comparisons: \(texts.joined(separator: ", "))")
  }

  private var footer: [String] {
    facts.flatMap { style.wrapped($0, indent: 2) }.map { style.paint($0, .dim) }
  }

  /// The command of each target.
  private static func legend(_ summary: ComparisonSummary) -> [String] {
    summary.run.run.plan.scenario.targets.map { target in
      "\(target.name.printable): \(ShellQuoting.text(target.command).printable)"
    }
  }
}
