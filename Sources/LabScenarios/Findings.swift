import LabModel

/// Collects everything that is wrong with one scenario file, or with options that stand for one.
struct Findings {
  /// How a place is shown.
  private let name: @Sendable (Place) -> String

  private var found: [(place: Place, diagnostic: Diagnostic)] = []

  /// Creates an empty collection; `path` is that of the file as the user gave it.
  init(path: String) { name = { "\(path):\($0.line):\($0.column)" } }

  /// Creates an empty collection; each option stands for a line, from 1.
  init(options: [String]) {
    name = { place in options.indices.contains(place.line - 1) ? options[place.line - 1] : "" }
  }

  var isEmpty: Bool { found.isEmpty }

  /// Whether something was found right there.
  func isReported(at place: Place) -> Bool { found.contains { $0.place == place } }

  /// In the order of the file; findings at one place stay in the order they were made.
  var diagnostics: [Diagnostic] {
    found.enumerated()
      .sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }
      .map(\.element.diagnostic)
  }

  mutating func report(_ id: String, _ problem: String, at place: Place, remedy: String) {
    let diagnostic = Diagnostic(
      .error,
      id: id,
      problem: problem,
      place: name(place),
      remedy: remedy
    )
    found.append((place, diagnostic))
  }
}
