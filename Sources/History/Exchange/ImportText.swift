import LaunchCore
package import Rendering

/// What became of imported files, as a terminal shows it.
package struct ImportText {
  private let summary: ImportSummary
  private let style: TextStyle

  /// - Parameters:
  ///   - summary: What was stored.
  ///   - style: How the verdict is shown; with the width `.max` no line is broken.
  package init(_ summary: ImportSummary, style: TextStyle = TextStyle()) {
    self.summary = summary
    self.style = style
  }

  /// The text, with a line feed after every line; without the warnings.
  package func rendered() -> String {
    let name = summary.scenario.printable
    var lines: [String] = []
    if let first = summary.runs.first, let last = summary.runs.last {
      let launches = summary.runs.reduce(0) { $0 + $1.launches }
      lines.append(
        "imported \(Quantity.count(summary.runs.count, "run")) of scenario \"\(name)\": "
          + "\(Quantity.count(targets.count, "target")), \(Quantity.launches(launches))"
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
    let verdict = summary.verdict.map { TrendText($0, style: style).rendered() } ?? ""
    return lines.joinedLines(style) + verdict
  }

  private var targets: Set<String> { Set(summary.runs.flatMap(\.arms).map(\.target)) }
}
