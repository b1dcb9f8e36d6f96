package import LabModel

extension Capability {
  /// What is true of a host every night; `launchlab doctor` and the record of a run have it.
  private static let lasting: Set = ["virtual-host", "proactive-reclaim"]

  /// What a reader of a run is told of it; nil when it is fine, or true every night.
  package var warning: Diagnostic? {
    guard status != .ok, !Self.lasting.contains(id) else { return nil }
    return Diagnostic(.warning, id: id, problem: "\(title): \(finding)", remedy: remedy)
  }
}
