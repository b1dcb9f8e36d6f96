import LabModel
import LabPatterns

/// Makes a scenario of a value whose shape was checked, and reports what contradicts itself or is
/// dangerous.
///
/// Where the shape was wrong it goes on with defaults; the finding is already made.
struct ScenarioReader {
  var findings: Findings
  let safety: PathSafety

  /// Where relative paths of the scenario itself begin.
  var directory: String { safety.scenarioDirectory }

  mutating func scenario(from root: Value) -> Scenario {
    let source = root["source"].flatMap { self.source(from: $0) }
    let states = self.states(from: root["states"])
    let targets = (root["targets"]?.entries ?? []).map { entry in
      var reader = TargetReader(
        findings: findings,
        safety: safety,
        states: states,
        buildDirectory: source?.repository
      )
      defer { findings = reader.findings }
      return reader.target(named: entry.key, at: entry.place, from: entry.value)
    }
    var scenario = Scenario(
      name: root["scenario"]?.text ?? "",
      source: source,
      targets: targets,
      states: states,
      launches: ScenarioKeys.defaultLaunches,
      includesEmptyBaseline: root["baseline"]?["empty"]?.text == "true",
      directory: directory,
      stages: root["stages"].map { value in
        var reader = StagesReader(findings: findings)
        defer { findings = reader.findings }
        return reader.plan(from: value)
      },
      controls: root["controls"].map { controls(from: $0) } ?? ControlPlan()
    )
    scenario.coldShare = root["cold"]?.text.flatMap { TrendForm.percent($0) }.map { $0 / 100 }
    var reader = TrendReader(findings: findings, directory: directory)
    reader.read(root, into: &scenario)
    findings = reader.findings
    return scenario
  }

  private mutating func controls(from value: Value) -> ControlPlan {
    var reader = ControlsReader(findings: findings)
    defer { findings = reader.findings }
    return reader.plan(from: value)
  }

  private mutating func source(from value: Value) -> Source? {
    guard let repository = value["repository"], let written = repository.text,
      let build = value["build"]
    else { return nil }
    let path = PathSafety.absolute(written, from: directory)
    if FileKind(at: path) != .directory {
      findings.report(
        "missing-file",
        "the repository \(quoted(written)) is not a directory",
        at: repository.place,
        remedy: "give the path of a git work tree"
      )
    }
    let command = build.text ?? ""
    if command.allSatisfy(\.isWhitespace) {
      findings.report(
        "empty-value",
        "the build command is empty",
        at: build.place,
        remedy: "write the command, or `true` if there is nothing to build"
      )
    }
    // git reports its paths with links followed; paths of the built tree are compared with those.
    return Source(
      repository: PathSafety.resolved(path),
      build: command,
      submodules: value["submodules"]?.text.flatMap(Source.Submodules.init(rawValue:)) ?? .tried,
      environment: value["env"]?.elements.compactMap(\.text) ?? []
    )
  }

  private mutating func states(from value: Value?) -> [LaunchState] {
    guard let value else { return ScenarioKeys.defaultStates }
    var states: [LaunchState] = []
    for element in value.elements {
      guard let state = element.text.flatMap(LaunchState.init(rawValue:)) else { continue }
      if states.contains(state) {
        findings.report(
          "duplicate-state",
          "the state \(quoted(state.rawValue)) is given twice",
          at: element.place,
          remedy: "keep one of them"
        )
      } else {
        states.append(state)
      }
    }
    return states
  }
}

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

/// Makes the section `stages` of a value whose shape was checked.
struct StagesReader {
  var findings: Findings

  mutating func plan(from value: Value) -> StagePlan {
    var plan = StagePlan()
    if let collect = value["collect"] { plan.collectors = collectors(from: collect) }
    if let launches = value["launches"]?.text.flatMap({ Int($0) }) { plan.launches = launches }
    plan.isProbeHidden = value["probe_hidden"]?.text == "true"
    for entry in value["env"]?.entries ?? [] {
      plan.environment[entry.key] = entry.value.text ?? ""
    }
    plan.patterns = (value["patterns"]?.elements ?? []).compactMap { pattern(from: $0) }
    reportUnused(plan, in: value)
    return plan
  }

  private mutating func collectors(from value: Value) -> [StageCollector] {
    var collectors: [StageCollector] = []
    for element in value.elements {
      guard let collector = element.text.flatMap(StageCollector.init(rawValue:)) else { continue }
      if collectors.contains(collector) {
        findings.report(
          "contradiction",
          "the collector \(quoted(collector.rawValue)) is given twice",
          at: element.place,
          remedy: "keep one of them"
        )
      } else {
        collectors.append(collector)
      }
    }
    return collectors
  }

  /// A pattern that cannot be read would find nothing, every night.
  private mutating func pattern(from value: Value) -> String? {
    guard let text = value.text else { return nil }
    let pattern: TextPattern
    do throws(PatternError) {
      pattern = try TextPattern(text)
    } catch {
      findings.report(
        "invalid-value",
        "the pattern \(quoted(text)) cannot be used: \(error.problem)",
        at: value.place,
        remedy: error.remedy
      )
      return nil
    }
    for group in ["stage", "value", "unit"] where !pattern.groups.contains(group) {
      findings.report(
        "invalid-value",
        "the pattern \(quoted(text)) has no group named \(quoted(group))",
        at: value.place,
        remedy: "write groups such as (?<stage>\\w+): (?<value>[0-9.]+) ?(?<unit>ms|s)"
      )
    }
    return text
  }

  private mutating func reportUnused(_ plan: StagePlan, in value: Value) {
    guard !plan.collectors.contains(.text) else { return }
    for key in ["env", "patterns"] where value[key] != nil {
      findings.report(
        "contradiction",
        "\(quoted(key)) is for the collector text, which is not asked for",
        at: value[key]?.place ?? value.place,
        remedy: "add text to `collect`, or remove the key"
      )
    }
  }
}
