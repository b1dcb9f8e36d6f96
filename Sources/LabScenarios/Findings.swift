import LabModel

/// Collects everything that is wrong with one scenario file.
struct Findings {
  /// The path of the file as the user gave it.
  let path: String

  private var found: [(place: Place, diagnostic: Diagnostic)] = []

  init(path: String) { self.path = path }

  var isEmpty: Bool { found.isEmpty }

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
      place: "\(path):\(place.line):\(place.column)",
      remedy: remedy
    )
    found.append((place, diagnostic))
  }
}
