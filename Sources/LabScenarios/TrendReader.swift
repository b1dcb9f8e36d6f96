import LabModel

/// Reads how many launches are enough, and the sections for many nights, of a value whose shape was
/// checked.
///
/// Where the shape was wrong it goes on with defaults; the finding is already made.
struct TrendReader {
  var findings: Findings

  /// Where relative paths begin.
  let directory: String

  /// A proof of fewer pairs of launches could hardly settle anything.
  static let fewestPairs = 10

  /// Completes a scenario whose source, targets and states are there already.
  mutating func read(_ root: Value, into scenario: inout Scenario) {
    if let launches = root["launches"] { read(launches: launches, into: &scenario) }
    scenario.regression = rule(from: root["regression"])
    scenario.control = root["baseline"]?["control"].flatMap { control(from: $0, in: scenario) }
    scenario.budgets = root["budgets"].map { budgets(from: $0, in: scenario) }
    scenario.notifiers = root["notify"].map { notifiers(from: $0) }
    scenario.releases = root["releases"].map { releases(from: $0) }
    scenario.bisection = root["bisect"].flatMap { bisection(from: $0, in: scenario) }
    let limit = root["artifacts"]?.text.flatMap { try? TrendForm.bytes($0) }
    scenario.artifactLimit = limit ?? ScenarioKeys.defaultArtifactLimit
  }

  private mutating func read(launches value: Value, into scenario: inout Scenario) {
    guard case .map = value.content else {
      if let count = whole(value) { scenario.launches = count }
      return
    }
    let given = (fewest: whole(value["min"]), most: whole(value["max"]))
    let fewest =
      given.fewest ?? min(ScenarioKeys.defaultLaunches, given.most ?? ScenarioKeys.defaultLaunches)
    let most = given.most ?? max(ScenarioKeys.defaultMost, fewest)
    if fewest > most, let place = value["max"]?.place {
      findings.report(
        "contradiction",
        "the most launches, \(most), are fewer than the fewest, \(fewest)",
        at: place,
        remedy: "raise `max`, or lower `min`"
      )
    }
    scenario.launches = fewest
    scenario.adaptive = AdaptiveLaunches(
      most: max(fewest, most),
      precision: share(value["precision"]) ?? ScenarioKeys.defaultPrecision
    )
  }

  private mutating func rule(from value: Value?) -> RegressionRule {
    var rule = RegressionRule()
    guard let value else { return rule }
    if let effect = share(value["effect"]) { rule.effect = effect }
    if let confidence = share(value["confidence"]) { rule.confidence = confidence }
    if let floor = value["floor"]?.text.flatMap({ try? Nanoseconds(written: $0) }) {
      rule.floor = floor
    }
    if let metrics = value["metrics"] { rule.metrics = self.metrics(from: metrics) }
    if let nights = whole(value["nights"]) { rule.nights = nights }
    if let proof = value["proof"], let pairs = whole(proof) {
      rule.proofLaunches = pairs
      if (1..<Self.fewestPairs).contains(pairs) {
        findings.report(
          "invalid-value",
          "a proof of \(pairs) pairs of launches can settle nothing",
          at: proof.place,
          remedy: "allow at least \(Self.fewestPairs), or write 0 for no proof"
        )
      }
    }
    return rule
  }

  private mutating func metrics(from value: Value) -> [Metric] {
    var metrics: [Metric] = []
    for element in value.elements {
      guard let metric = element.text.flatMap(Metric.init(rawValue:)) else { continue }
      if metrics.contains(metric) {
        reportTwice("the metric \(quoted(metric.rawValue))", at: element.place)
      } else {
        metrics.append(metric)
      }
    }
    return metrics
  }

  private func releases(from value: Value) -> [Release] {
    value.entries.compactMap { entry in
      entry.value.text.map { Release(name: entry.key, anchor: $0) }
    }
  }

  // MARK: - Scalars

  private func whole(_ value: Value?) -> Int? { value?.text.flatMap { Int($0) } }

  /// From 0 to 1.
  private func share(_ value: Value?) -> Double? {
    value?.text.flatMap { TrendForm.percent($0) }.map { $0 / 100 }
  }

  mutating func reportTwice(_ what: String, at place: Place) {
    findings.report(
      "contradiction",
      "\(what) is given twice",
      at: place,
      remedy: "keep one of them"
    )
  }
}

/// The sections that name targets, and those who are told.
extension TrendReader {
  // MARK: - Bisections

  mutating func bisection(from value: Value, in scenario: Scenario) -> AutomaticBisection? {
    guard value.text != "off" else { return nil }
    if scenario.source == nil {
      findings.report(
        "contradiction",
        "regressions are to be bisected, and the scenario has no source",
        at: value.place,
        remedy: "add the section `source`, or write `bisect: off`"
      )
    }
    var bisection = AutomaticBisection()
    if let time = value["max_time"]?.text.flatMap({ try? Nanoseconds(written: $0) }) {
      bisection.time = time
    }
    if let jobs = value["jobs"]?.text.flatMap({ Int($0) }) { bisection.jobs = jobs }
    return bisection
  }

  // MARK: - The control

  mutating func control(from value: Value, in scenario: Scenario) -> ControlTarget? {
    guard case .map = value.content else {
      return command(from: value).map { .command($0) }
    }
    guard let revision = value["revision"], let name = revision.text else { return nil }
    if scenario.source == nil {
      findings.report(
        "contradiction",
        "the control is a revision, and the scenario has no source",
        at: revision.place,
        remedy: "add the section `source`, or give a command as the control"
      )
    }
    guard let target = value["target"] else {
      guard scenario.targets.count == 1, let only = scenario.targets.first else {
        findings.report(
          "missing-key",
          "the control does not say which of the \(scenario.targets.count) targets it is",
          at: value.place,
          remedy: "add `target:` with the name of a target"
        )
        return nil
      }
      return .revision(name, target: only.name)
    }
    checkTarget(target, in: scenario)
    return target.text.map { .revision(name, target: $0) }
  }

  /// The program and its arguments; a path is relative to the scenario file.
  private mutating func command(from value: Value) -> [String]? {
    guard let first = value.elements.first, let program = first.text else { return nil }
    guard !program.isEmpty, !program.hasPrefix("~") else {
      findings.report(
        "invalid-value",
        "the program \(quoted(program)) is neither a path nor a name",
        at: first.place,
        remedy: "write the path out, because a tilde is not expanded"
      )
      return nil
    }
    let path = program.contains("/") ? PathSafety.absolute(program, from: directory) : program
    return [path] + value.elements.dropFirst().compactMap(\.text)
  }

  /// Reports a name that no target has.
  private mutating func checkTarget(_ value: Value, in scenario: Scenario) {
    let names = scenario.targets.map(\.name)
    guard let name = value.text, !names.contains(name), !findings.isReported(at: value.place)
    else { return }
    findings.report(
      "unknown-target",
      "there is no target \(quoted(name))",
      at: value.place,
      remedy: names.isEmpty ? "add it to `targets`" : spellingRemedy(for: name, among: names)
    )
  }

  // MARK: - Budgets

  mutating func budgets(from value: Value, in scenario: Scenario) -> [Budget] {
    var budgets: [Budget] = []
    for element in value.elements {
      guard let budget = budget(from: element, in: scenario) else { continue }
      let isKnown = budgets.contains {
        ($0.target, $0.state, $0.metric) == (budget.target, budget.state, budget.metric)
      }
      if isKnown {
        let words = "\(budget.metric.rawValue) of \(quoted(budget.target))"
        reportTwice(
          "the budget of \(words) in the state \(budget.state.rawValue)",
          at: element.place
        )
      } else {
        budgets.append(budget)
      }
    }
    return budgets
  }

  private mutating func budget(from value: Value, in scenario: Scenario) -> Budget? {
    if let target = value["target"] { checkTarget(target, in: scenario) }
    let state = value["state"]?.text.flatMap(LaunchState.init(rawValue:))
    if let state, !scenario.states.contains(state) {
      findings.report(
        "contradiction",
        "nothing is launched in the state \(quoted(state.rawValue))",
        at: value["state"]?.place ?? value.place,
        remedy: "add it to `states`, or limit one of "
          + scenario.states.map(\.rawValue).joined(separator: ", ")
      )
    }
    guard let name = value["target"]?.text, let state, let limit = value["max"],
      let metric = value["metric"]?.text.flatMap(Metric.init(rawValue:)), let text = limit.text
    else { return nil }
    do throws(FormProblem) {
      let most = try TrendForm.limit(text, of: metric)
      return Budget(target: name, state: state, metric: metric, maximum: most)
    } catch {
      findings.report("invalid-value", error.problem, at: limit.place, remedy: error.remedy)
      return nil
    }
  }

  // MARK: - Who is told

  mutating func notifiers(from value: Value) -> [Notifier] {
    var notifiers: [Notifier] = []
    for element in value.elements {
      guard let entry = element.entries.first, let notifier = notifier(from: entry) else {
        continue
      }
      if notifiers.contains(notifier) {
        reportTwice("the notifier", at: element.place)
      } else {
        notifiers.append(notifier)
      }
    }
    return notifiers
  }

  private mutating func notifier(from entry: Value.Entry) -> Notifier? {
    switch entry.key {
    case "command": command(from: entry.value).map { .command($0) }
    case "webhook": entry.value.text.map { .webhook($0) }
    case "email": entry.value.text.map { .email($0) }
    case "github": .githubSummary
    default: nil
    }
  }
}
