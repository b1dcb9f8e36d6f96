import LabModel

/// Takes what should be told about a text.
struct StageTextNotes {
  /// What the text is called.
  let name: String

  let mode: StageTextOptions.Mode

  private(set) var diagnostics: [Diagnostic] = []

  /// How many found no room.
  private var omitted = 0

  /// The most diagnostics of one text, so that a broken one does not give millions.
  private static let most = 200

  init(name: String, mode: StageTextOptions.Mode) {
    self.name = name
    self.mode = mode
  }

  /// Adds a diagnostic; a note whose words are there already is not repeated.
  mutating func add(
    _ severity: Diagnostic.Severity,
    _ id: String,
    line: Int?,
    _ problem: String,
    remedy: String? = nil
  ) {
    let isRepeated = severity == .note && diagnostics.contains { $0.problem == problem }
    guard !isRepeated else { return }
    guard diagnostics.count < Self.most else {
      omitted += 1
      return
    }
    let place = line.map { "\(name):\($0)" } ?? name
    diagnostics.append(
      Diagnostic(severity, id: id, problem: problem, place: place, remedy: remedy)
    )
  }

  /// Adds something that only strict reading takes for an error.
  mutating func addIfStrict(_ id: String, line: Int, _ problem: String, remedy: String? = nil) {
    add(mode == .strict ? .error : .warning, id, line: line, problem, remedy: remedy)
  }

  /// Everything, and how much was left out.
  func all() -> [Diagnostic] {
    guard omitted > 0 else { return diagnostics }
    let rest = Diagnostic(
      .note,
      id: "more",
      problem: "\(omitted) more of the same kinds are not shown",
      place: name
    )
    return diagnostics + [rest]
  }
}

/// A name as it may stand in a message: not too long.
func shortened(_ name: String) -> String {
  name.count <= 60 ? name : name.prefix(57) + "..."
}
