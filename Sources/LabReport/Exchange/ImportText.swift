package import LabAnalysis
import LabModel

/// What became of imported files, as a terminal shows it.
package struct ImportText {
  private let summary: ImportSummary

  package init(_ summary: ImportSummary) { self.summary = summary }

  /// The text, with a line feed after every line; without the warnings.
  package func rendered() -> String {
    let name = summary.scenario.printable
    var lines: [String] = []
    if let first = summary.runs.first, let last = summary.runs.last {
      let launches = summary.runs.reduce(0) { $0 + $1.launches }
      lines.append(
        "imported \(Quantity.count(summary.runs.count, "run")) of scenario \"\(name)\": "
          + "\(Quantity.count(targets.count, "target")), \(Quantity.count(launches, "launch", plural: "launches"))"
      )
      let span = first.startedAt == last.startedAt ? "" : " to \(Quantity.instant(last.startedAt))"
      lines.append("  \(Quantity.instant(first.startedAt))\(span)")
    } else {
      lines.append("nothing is new for scenario \"\(name)\"")
    }
    if summary.skipped > 0 {
      let noun = Quantity.count(summary.skipped, "value", plural: "values")
      lines.append("  \(noun) \(summary.skipped == 1 ? "was" : "were") there before, and skipped")
    }
    lines.append("  store: \(summary.store.printable)")
    return lines.map { $0 + "\n" }.joined()
  }

  private var targets: Set<String> { Set(summary.runs.flatMap(\.arms).map(\.target)) }
}
