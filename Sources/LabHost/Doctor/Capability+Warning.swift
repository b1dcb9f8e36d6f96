package import LabModel

extension Capability {
  /// What the summary of a run says by itself, from its stored facts.
  private static let saidOfRuns: Set = ["virtual-host", "proactive-reclaim"]

  /// What a reader of a run is told of it; nil when it is fine, or the summary of the run says it.
  package var warning: Diagnostic? {
    guard status != .ok, !Self.saidOfRuns.contains(id) else { return nil }
    return Diagnostic(.warning, id: id, problem: "\(title): \(finding)", remedy: remedy)
  }
}
