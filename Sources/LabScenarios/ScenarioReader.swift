import LabModel

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
