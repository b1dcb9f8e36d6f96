package import LabModel

/// The files of a launch as JSON, of schema `launchlab.files/1`.
package struct FileSetJSON {
  private let set: FileSet

  package init(_ set: FileSet) { self.set = set }

  /// Writes the JSON text in pieces.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    let value: JSONValue = [
      "schema": "launchlab.files/1",
      "target": .string(set.target.name),
      "command": .array(set.target.command.map(JSONValue.string)),
      "rule": .string(set.rule.rawValue),
      "own": total(own: true),
      "shared": total(own: false),
      "files": .array(set.files.map(file)),
    ]
    try JSONText.write(value, .indented, to: sink)
  }

  private func total(own isOwn: Bool) -> JSONValue {
    let (files, bytes) = set.total(own: isOwn)
    return ["files": JSONValue(files), "bytes": .integer(bytes)]
  }

  private func file(_ file: LaunchFile) -> JSONValue {
    [
      "path": .string(file.path),
      "bytes": .integer(file.bytes),
      "is_own": .bool(file.isOwn),
      "is_program": .bool(file.isProgram),
      "package": JSONValue(file.package),
      "reason": .string(file.reason),
    ]
  }
}
