import LabModel

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
