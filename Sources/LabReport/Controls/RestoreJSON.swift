package import LabModel

/// What `launchlab restore` has done as JSON, of schema `launchlab.restore/1`.
package struct RestoreJSON {
  private let recovery: Recovery

  package init(_ recovery: Recovery) { self.recovery = recovery }

  /// Writes the JSON text in pieces.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    let value: JSONValue = [
      "schema": "launchlab.restore/1", "changes": .array(recovery.changes.map(change)),
    ]
    try JSONText.write(value, .indented, to: sink)
  }

  private func change(_ change: UndoneChange) -> JSONValue {
    [
      "control": JSONValue(change.control?.rawValue),
      "kind": .string(change.kind.rawValue),
      "place": .string(change.place),
      "before": JSONValue(change.before),
      "found": JSONValue(change.found),
      "status": .string(change.status.rawValue),
      "reason": JSONValue(change.reason),
      "remedy": JSONValue(change.remedy),
      "lab": JSONValue(change.lab),
    ]
  }
}
