package import LabModel

/// The stored runs as a terminal shows them, in the order they are given.
package struct HistoryText {
  private let runs: [RunListing]
  private let style: TextStyle

  package init(_ runs: [RunListing], style: TextStyle) {
    self.runs = runs
    self.style = style
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    guard !runs.isEmpty else { return "no runs stored yet\n" }
    let titles = ["run", "started", "scenario", "status", "launches", "arms", "commit", "host"]
    let table = TextTable(
      columns: [.left, .left, .left, .left, .right, .right, .left, .left],
      rows: [titles.map { TextTable.Cell($0, .dim) }] + runs.map(row)
    )
    let lines = table.width <= style.width ? table.lines(style: style) : narrowLines
    return (lines + leftOutLines).map { $0 + "\n" }.joined()
  }

  private func row(_ run: RunListing) -> [TextTable.Cell] {
    let texts = [
      String(run.arms.count), run.commit.map { String($0.prefix(10)) } ?? Quantity.none,
      String(run.fingerprint.prefix(8)),
    ]
    return [
      TextTable.Cell(run.id, .bold), TextTable.Cell(Quantity.instant(run.startedAt)),
      TextTable.Cell(run.scenario.printable), status(run), TextTable.Cell(launches(run)),
    ] + texts.map { TextTable.Cell($0, .dim) }
  }

  /// Two lines per run: what identifies it, and the rest.
  private var narrowLines: [String] {
    let first = TextTable(
      columns: [.left, .left, .right],
      rows: runs.map { run in
        [TextTable.Cell(run.id, .bold), status(run), TextTable.Cell("\(launches(run)) launches")]
      }
    )
    return zip(first.lines(style: style), runs).flatMap { line, run in
      let commit = run.commit.map { ", commit \($0.prefix(10))" } ?? ""
      let arms = Quantity.count(run.arms.count, "arm")
      return [line]
        + style.wrapped(
          "    \(run.scenario.printable), \(Quantity.instant(run.startedAt)), \(arms)\(commit)",
          indent: 4
        )
    }
  }

  private func launches(_ run: RunListing) -> String {
    // A complete run may have ended before the most launches that there could be.
    run.launches == run.plannedLaunches || run.status == .complete
      ? String(run.launches) : "\(run.launches)/\(run.plannedLaunches)"
  }

  /// Who took which run out of history, and why.
  private var leftOutLines: [String] {
    let lines = runs.flatMap { run -> [String] in
      guard let decision = run.decision else { return [] }
      let text =
        "\(run.id) was \(decision.standing.rawValue) by \(decision.person) at "
        + "\(Quantity.instant(decision.at)): \(decision.reason)"
      return style.wrapped(text.printable, indent: 4)
    }
    return lines.isEmpty ? [] : [""] + lines
  }

  private func status(_ run: RunListing) -> TextTable.Cell {
    if let decision = run.decision {
      return TextTable.Cell("\(run.status.rawValue), \(decision.standing.rawValue)", .warning)
    }
    return switch run.status {
    case .complete: TextTable.Cell(run.status.rawValue)
    case .unfinished, .interrupted: TextTable.Cell(run.status.rawValue, .warning)
    case .failed: TextTable.Cell(run.status.rawValue, .failure)
    }
  }
}
