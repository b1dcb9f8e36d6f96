import Foundation
package import LabAnalysis
import LabModel
import LabStatistics

/// The result of a run as JSON, of schema `launchlab.run/1`.
///
/// Keys come in a fixed order, and the same result gives the same bytes. `docs/json.md` tells what
/// each field means.
package struct RunJSON {
  private let summary: RunSummary
  private let trend: TrendSummary?

  /// - Parameters:
  ///   - summary: What is concluded from the launches.
  ///   - trend: What is concluded from the history; nil for a run that is no night.
  package init(_ summary: RunSummary, trend: TrendSummary? = nil) {
    self.summary = summary
    self.trend = trend
  }

  /// Writes the JSON text in pieces, so that many values need little memory.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    var members: [(name: String, value: JSONValue)] = [
      ("schema", "launchlab.run/1"),
      ("run", run),
      ("arms", .array(summary.arms.map { ArmJSON($0, tolerated: tolerated).value })),
    ]
    if let trend {
      let alerts = trend.alerts.map { FindingJSON($0, in: trend).value }
      members.append(("verdicts", .array(trend.series.map { VerdictJSON($0).value })))
      members.append(("alerts", .array(alerts)))
    }
    members.append(("warnings", .array(summary.warnings.map(JSONValue.init(diagnostic:)))))
    try JSONText.write(.object(members), .indented, to: sink)
  }

  private var run: JSONValue {
    let run = summary.run
    return [
      "id": .string(run.id),
      "scenario": .string(run.plan.scenario.name),
      "name": .string(summary.name),
      "started_at": .string(run.startedAt.formatted(.iso8601)),
      "finished_at": JSONValue(run.finishedAt?.formatted(.iso8601)),
      "status": .string(run.status.rawValue),
      "tool": .string(run.tool),
      "seed": .unsigned(run.plan.seed),
      "blocks": JSONValue(run.plan.blockCount),
      "planned_launches": JSONValue(run.plan.launchCount),
      "looks": .integers(run.plan.looks.map { Int64($0) }),
      "targets": .array(run.plan.scenario.targets.map(target)),
      "build": run.build.map(build) ?? nil,
      "host": JSONValue(host: run.host),
      "controls": .array(run.controls.map(control)),
      "disturbed_share": .number(summary.doubtfulShare),
      "disturbed_limit": JSONValue(tolerated),
    ]
  }

  /// The share that may be disturbed; nil where that is not watched.
  private var tolerated: Double? { summary.run.plan.tolerableShare }

  private func target(_ target: Target) -> JSONValue {
    [
      "name": .string(target.name),
      "command": .array(target.command.map(JSONValue.string)),
      "directory": .string(target.directory),
      "ready": .string(target.ready.description),
      "timeout_ns": .integer(target.timeout.count),
    ]
  }

  private func build(_ build: BuildRecord) -> JSONValue {
    [
      "commit": .string(build.commit),
      "subject": .string(build.subject),
      "tree": .string(build.tree),
      "was_cached": .bool(build.wasCached),
      "missing_submodules": .array(
        (build.missingSubmodules ?? []).map { missing in
          [
            "path": .string(missing.path), "commit": .string(missing.commit),
            "reason": .string(missing.reason),
          ]
        }
      ),
    ]
  }

  private func control(_ receipt: ControlReceipt) -> JSONValue {
    [
      "name": .string(receipt.name),
      "wanted": JSONValue(receipt.wanted),
      "before": JSONValue(receipt.before),
      "after": JSONValue(receipt.after),
      "status": .string(receipt.status.rawValue),
      "reason": JSONValue(receipt.reason),
    ]
  }
}

extension JSONValue {
  init(diagnostic: Diagnostic) {
    self = [
      "severity": .string(diagnostic.severity.rawValue),
      "id": .string(diagnostic.id),
      "problem": .string(diagnostic.problem),
      "place": JSONValue(diagnostic.place),
      "remedy": JSONValue(diagnostic.remedy),
    ]
  }
}
