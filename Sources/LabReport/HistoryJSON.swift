import Foundation
package import LabModel

/// The stored runs as JSON, of schema `launchlab.history/1`, in the order they are given.
package struct HistoryJSON {
  private let runs: [RunListing]

  package init(_ runs: [RunListing]) { self.runs = runs }

  /// Writes the JSON text in pieces.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    let value: JSONValue = [
      "schema": "launchlab.history/1", "runs": .array(runs.map(listing)),
    ]
    try JSONText.write(value, .indented, to: sink)
  }

  private func listing(_ run: RunListing) -> JSONValue {
    [
      "id": .string(run.id),
      "scenario": .string(run.scenario),
      "started_at": .string(run.startedAt.formatted(.iso8601)),
      "finished_at": JSONValue(run.finishedAt?.formatted(.iso8601)),
      "status": .string(run.status.rawValue),
      "seed": .unsigned(run.seed),
      "arms": .array(run.arms.map(arm)),
      "planned_launches": JSONValue(run.plannedLaunches),
      "launches": JSONValue(run.launches),
      "blocks": JSONValue(run.blocks),
      "fingerprint": .string(run.fingerprint),
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
