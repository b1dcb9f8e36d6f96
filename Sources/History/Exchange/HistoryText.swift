import Foundation
package import LaunchCore
package import Rendering

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
    let titles = [
      "run", "started", "scenario", "purpose", "result", "exit", "launches", "commit", "host",
    ]
    let table = TextTable(
      columns: [.left, .left, .left, .left, .left, .right, .right, .left, .left],
      rows: [titles.map { TextTable.Cell($0, .dim) }] + runs.map(row)
    )
    let lines = table.width <= style.width ? table.lines(style: style) : narrowLines
    return (lines + leftOutLines).joinedLines(style)
  }

  private func row(_ run: RunListing) -> [TextTable.Cell] {
    let texts = [
      run.commit.map { String($0.prefix(10)) } ?? Quantity.none,
      run.hostName?.printable ?? String(run.fingerprint.prefix(8)),
    ]
    return [
      TextTable.Cell(run.id, .bold), TextTable.Cell(Quantity.instant(run.startedAt)),
      TextTable.Cell(run.scenario.printable), TextTable.Cell(run.purpose.rawValue, .dim),
      result(run), TextTable.Cell(exitCode(run)), TextTable.Cell(launches(run)),
    ] + texts.map { TextTable.Cell($0, .dim) }
  }

  /// Two lines per run: what identifies it, and the rest.
  private var narrowLines: [String] {
    let first = TextTable(
      columns: [.left, .left, .right],
      rows: runs.map { run in
        [TextTable.Cell(run.id, .bold), result(run), TextTable.Cell("\(launches(run)) launches")]
      }
    )
    return zip(first.lines(style: style), runs).flatMap { line, run in
      let commit = run.commit.map { ", commit \($0.prefix(10))" } ?? ""
      let exit = run.outcome.map { ", exit code \($0.exitCode)" } ?? ""
      return [line]
        + style.wrapped(
          "    \(run.scenario.printable), \(run.purpose.rawValue), \(Quantity.instant(run.startedAt))\(exit)\(commit)",
          indent: 4
        )
    }
  }

  private func exitCode(_ run: RunListing) -> String {
    run.outcome.map { String($0.exitCode) } ?? Quantity.none
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

  /// The verdict where there is one, else how far the run came.
  private func result(_ run: RunListing) -> TextTable.Cell {
    let text = run.outcome?.verdict ?? run.status.rawValue
    if let decision = run.decision {
      return TextTable.Cell("\(text), \(decision.standing.rawValue)", .warning)
    }
    let isDone = run.outcome.map { $0.exitCode == 0 } ?? (run.status == .complete)
    let isFailed = run.outcome.map { [1, 128].contains($0.exitCode) } ?? (run.status == .failed)
    return TextTable.Cell(text, isDone ? nil : isFailed ? .failure : .warning)
  }
}

/// The stored runs as JSON, of schema `launchlab.history/1`, in the order they are given.
package struct HistoryJSON: JSONDocument {
  private let runs: [RunListing]

  package init(_ runs: [RunListing]) { self.runs = runs }

  package var value: JSONValue {
    [
      "schema": "launchlab.history/1", "runs": .array(runs.map(listing)),
    ]
  }

  private func listing(_ run: RunListing) -> JSONValue {
    [
      "id": .string(run.id),
      "scenario": .string(run.scenario),
      "started_at": .string(run.startedAt.formatted(.iso8601)),
      "finished_at": JSONValue(run.finishedAt?.formatted(.iso8601)),
      "status": .string(run.status.rawValue),
      "purpose": .string(run.purpose.rawValue),
      "verdict": JSONValue(run.outcome?.verdict),
      "exit_code": JSONValue(run.outcome?.exitCode),
      "seed": .unsigned(run.seed),
      "arms": .array(run.arms.map(arm)),
      "planned_launches": JSONValue(run.plannedLaunches),
      "launches": JSONValue(run.launches),
      "blocks": JSONValue(run.blocks),
      "fingerprint": .string(run.fingerprint),
      "host": JSONValue(run.hostName),
      "commit": JSONValue(run.commit),
      "left_out": run.decision.map(decision) ?? .null,
    ]
  }

  private func decision(_ decision: RunDecision) -> JSONValue {
    [
      "standing": .string(decision.standing.rawValue),
      "at": .string(decision.at.formatted(.iso8601)),
      "person": .string(decision.person),
      "reason": .string(decision.reason),
    ]
  }

  private func arm(_ arm: Arm) -> JSONValue {
    [
      "target": .string(arm.target),
      "state": .string(arm.state.rawValue),
      "kind": .string(arm.kind.rawValue),
    ]
  }
}
