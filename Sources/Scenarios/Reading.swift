import LaunchCore

/// The reading of one scenario: what is wrong with it so far, and what its parts refer to.
struct Reading {
  private(set) var findings: Findings
  let safety: PathSafety

  /// What is built before the first launch; there from before targets are read.
  var source: Source?

  /// The states that targets are launched in; there from before targets are read.
  var states = ScenarioKeys.defaultStates

  /// The names of the targets, which limits and the control refer to.
  var targets: [String] = []

  init(findings: Findings, safety: PathSafety) {
    self.findings = findings
    self.safety = safety
  }

  /// Where relative paths of the scenario itself begin.
  var directory: String { safety.scenarioDirectory }

  /// Where relative paths of programs begin: with a build in the built tree.
  var programDirectory: String { source?.repository ?? directory }

  /// Whether targets are going to be launched, and not only their nights shown.
  var isForLaunch: Bool { safety.judge != nil }

  mutating func report(_ id: String, _ problem: String, at place: Place, remedy: String) {
    findings.report(id, problem, at: place, remedy: remedy)
  }

  mutating func reportTwice(_ what: String, at place: Place, id: String = "contradiction") {
    report(id, "\(what) is given twice", at: place, remedy: "keep one of them")
  }

  /// The result of reading one scalar; nil when it has another form, which is reported.
  mutating func attempt<Output>(
    at place: Place,
    _ parse: () throws(FormProblem) -> Output
  ) -> Output? {
    do throws(FormProblem) {
      return try parse()
    } catch {
      report("invalid-value", error.problem, at: place, remedy: error.remedy)
      return nil
    }
  }

  /// Compiles a regular expression; reports one that cannot be used, and returns nil.
  mutating func compiled<Pattern>(
    _ text: String,
    at place: Place,
    _ compile: (String) throws(PatternError) -> Pattern
  ) -> Pattern? {
    do throws(PatternError) {
      return try compile(text)
    } catch {
      let problem = "the pattern \(quoted(text)) cannot be used: \(error.problem)"
      report("invalid-value", problem, at: place, remedy: error.remedy)
      return nil
    }
  }
}

/// Collects everything that is wrong with one scenario file, or with options that stand for one.
struct Findings {
  /// That of the file as the user gave it; nil for options.
  private let path: String?

  /// How the options were typed, each of which stands for a line; nil for one without a name.
  private var options: [String?] = []

  private var found: [(place: Place, diagnostic: Diagnostic)] = []

  init(path: String? = nil) { self.path = path }

  /// The place of one more option.
  mutating func place(ofOption option: String?) -> Place {
    options.append(option)
    return Place(line: options.count, column: 1)
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
    let option = options.indices.contains(place.line - 1) ? options[place.line - 1] : nil
    let shown = path.map { "\($0):\(place.line):\(place.column)" } ?? option
    let diagnostic = Diagnostic(.error, id: id, problem: problem, place: shown, remedy: remedy)
    found.append((place, diagnostic))
  }
}
