package import LabModel

/// What programs do with the probe and without it as JSON, of schema `launchlab.probe-sweep/1`.
package struct ProbeSweepJSON {
  private let programs: [SweptProgram]
  private let notes: [String]

  package init(_ programs: [SweptProgram], notes: [String]) {
    self.programs = programs
    self.notes = notes
  }

  /// Writes the JSON text in pieces.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    let counts = SweptProgram.Verdict.allCases.map { verdict in
      (name: verdict.rawValue, value: JSONValue(programs.count { $0.verdict == verdict }))
    }
    let value: JSONValue = [
      "schema": "launchlab.probe-sweep/1",
      "counts": .object(counts),
      "programs": .array(programs.map(program)),
      "notes": .array(notes.map(JSONValue.string)),
    ]
    try JSONText.write(value, .indented, to: sink)
  }

  private func program(_ program: SweptProgram) -> JSONValue {
    [
      "path": .string(program.path),
      "arguments": program.arguments.map { .array($0.map(JSONValue.string)) } ?? .null,
      "verdict": .string(program.verdict.rawValue),
      "difference": program.difference.map(difference) ?? .null,
      "reason": JSONValue(program.reason),
    ]
  }

  private func difference(_ difference: SweptProgram.Difference) -> JSONValue {
    [
      "place": .string(difference.place),
      "plain": JSONValue(difference.plain),
      "other": JSONValue(difference.other),
    ]
  }
}
