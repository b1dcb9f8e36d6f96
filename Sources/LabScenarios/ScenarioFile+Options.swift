package import LabModel
import Yams

extension ScenarioFile {
  /// Makes a scenario of one target from options, by the rules for scenario files.
  ///
  /// - Parameters:
  ///   - options: What is launched, and how.
  ///   - judge: As of ``load(path:judgedBy:)``.
  /// - Returns: A scenario with absolute paths.
  /// - Throws: ``ScenarioError``; its diagnostics have no place, since there is no file, but for
  ///   those of controls, whose place is the option.
  package static func load(
    options: MeasureOptions,
    judgedBy judge: DirectoryJudge? = nil
  ) throws(ScenarioError) -> Scenario {
    var controls = ControlOptionsReader(options.controls)
    let plan = controls.plan()
    do throws(ScenarioError) {
      var scenario = try loadWithoutControls(options, judge)
      scenario.controls = plan
      guard controls.findings.isEmpty else { throw .invalid([]) }
      return scenario
    } catch {
      throw .invalid(error.diagnostics + controls.findings.diagnostics)
    }
  }

  /// Reads a scenario file, and suppresses findings of doctor that it does not name itself.
  ///
  /// - Parameters:
  ///   - path: As of ``load(path:judgedBy:)``.
  ///   - ids: The ids of the findings, as given with `--suppress`.
  ///   - judge: As of ``load(path:judgedBy:)``.
  /// - Returns: A scenario with absolute paths.
  /// - Throws: ``ScenarioError`` with everything that is wrong with the file and the ids.
  package static func load(
    path: String,
    suppressing ids: [String],
    judgedBy judge: DirectoryJudge? = nil
  ) throws(ScenarioError) -> Scenario {
    var options = ControlOptionsReader(ids.map { "suppress=\($0)" }) { "--suppress \(ids[$0])" }
    let suppressed = options.plan().suppressed
    do throws(ScenarioError) {
      var scenario = try load(path: path, judgedBy: judge)
      scenario.controls?.suppressed.formUnion(suppressed)
      guard options.findings.isEmpty else { throw .invalid([]) }
      return scenario
    } catch {
      guard !options.findings.isEmpty else { throw error }
      throw .invalid(error.diagnostics + options.findings.diagnostics)
    }
  }

  /// Reads a duration that was given with an option, such as `90min`.
  ///
  /// - Parameters:
  ///   - text: As in scenario files.
  ///   - option: The name of the option, for the error.
  /// - Returns: At most a day.
  /// - Throws: ``ScenarioError`` for what is no duration.
  package static func duration(
    _ text: String,
    option: String
  ) throws(ScenarioError) -> Nanoseconds {
    do throws(FormProblem) {
      return try Nanoseconds(written: text)
    } catch {
      throw .invalid([
        Diagnostic(
          .error,
          id: "bad-option",
          problem: error.problem,
          place: option,
          remedy: error.remedy
        )
      ])
    }
  }

  private static func loadWithoutControls(
    _ options: MeasureOptions,
    _ judge: DirectoryJudge?
  ) throws(ScenarioError) -> Scenario {
    let text: String
    do {
      text = try Yams.serialize(node: document(options))
    } catch {
      throw .invalid([
        Diagnostic(.error, id: "bad-option", problem: "the options cannot be read: \(error)")
      ])
    }
    do throws(ScenarioError) {
      return try load(text: text, path: "\(options.directory)/command line", judgedBy: judge)
    } catch {
      // The number of launches is in it twice, for instance.
      var told: [Diagnostic] = []
      for var diagnostic in error.diagnostics {
        diagnostic.place = nil
        if !told.contains(diagnostic) { told.append(diagnostic) }
      }
      throw .invalid(told)
    }
  }

  private static func document(_ options: MeasureOptions) -> Node {
    let name = targetName(of: options.command)
    var top: [(Node, Node)] = [
      (text("scenario"), text("measure-\(name)")),
      (text("targets"), Node([(text(name), target(options))])),
      (text("states"), list(options.states)),
      (text("launches"), Node("\(options.launches)")),
    ]
    if options.includesEmptyBaseline {
      top.append((text("baseline"), Node([(text("empty"), Node("true"))])))
    }
    if let stages = options.stages { top.append((text("stages"), section(stages))) }
    return Node(top)
  }

  private static func section(_ stages: StagePlan) -> Node {
    var keys: [(Node, Node)] = [
      (text("collect"), list(stages.collectors.map(\.rawValue))),
      (text("launches"), Node("\(stages.launches)")),
      (text("probe_hidden"), Node(stages.isProbeHidden ? "true" : "false")),
    ]
    if !stages.patterns.isEmpty { keys.append((text("patterns"), list(stages.patterns))) }
    return Node(keys)
  }

  private static func target(_ options: MeasureOptions) -> Node {
    var keys: [(Node, Node)] = [(text("command"), list(options.command))]
    func add(_ key: String, _ value: Node?) {
      if let value { keys.append((text(key), value)) }
    }
    add("program", options.program.map(text))
    add("ready", options.ready.map(readiness))
    add("timeout", options.timeout.map(text))
    let stop = [
      ("signal", options.stopSignal.map(text)), ("grace", options.stopGrace.map(text)),
      ("when", options.stopWhen.map(readiness)), ("after", options.stopAfter.map(text)),
    ]
    .compactMap { key, value in value.map { (text(key), $0) } }
    add("stop", stop.isEmpty ? nil : Node(stop))
    let environment = options.environment.map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = text(String(parts[0]))
      return (name, parts.count == 2 ? text(String(parts[1])) : Node([(text("from_env"), name)]))
    }
    add("env", environment.isEmpty ? nil : Node(environment))
    add("stdin", options.standardInput.map(text))
    add("tty", options.isTTY ? Node("true") : nil)
    add("files", options.files.isEmpty ? nil : list(options.files))
    add("own", options.own.map(text))
    add("install", options.install.isEmpty ? nil : list(options.install))
    add("home", options.home.map(text))
    add("state", options.stateDirectories.isEmpty ? nil : list(options.stateDirectories))
    add("counters", options.counters.isEmpty ? nil : list(options.counters))
    add("prepare", commands(launch: options.prepare, run: options.setup))
    add("cleanup", commands(launch: options.conclude, run: options.cleanup))
    return Node(keys)
  }

  private static func commands(launch: String?, run: String?) -> Node? {
    let given = [("launch", launch), ("run", run)]
      .compactMap { key, value in value.map { (text(key), text($0)) } }
    return given.isEmpty ? nil : Node(given)
  }

  /// `exit`, `notify` and `mark` may stand alone; the others have a kind and a value.
  private static func readiness(_ option: String) -> Node {
    if option.hasPrefix("http://") { return Node([(text("http"), text(option))]) }
    guard let colon = option.firstIndex(of: ":") else { return text(option) }
    let value = String(option[option.index(after: colon)...])
    return Node([(text(String(option[..<colon])), text(value))])
  }

  private static func text(_ text: String) -> Node {
    Node(text, Tag(.str), .doubleQuoted)
  }

  private static func list(_ texts: [String]) -> Node { Node(texts.map(text)) }

  /// The last path component of the program, with other characters than those of names as `-`.
  private static func targetName(of command: [String]) -> String {
    let program = command.first?.split(separator: "/").last ?? "target"
    let name = String(program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    return [Arm.emptyTarget, Arm.controlTarget].contains(name) ? "\(name)-program" : name
  }
}

/// Makes the section `controls` of options such as `cpus=[1]`, by the rules for scenario files.
struct ControlOptionsReader {
  /// What is wrong; the place of a finding is the option.
  var findings: Findings

  private let options: [String]

  /// Takes options, and how the one of a number was typed, if not with `--control`.
  init(_ options: [String], typed: ((Int) -> String)? = nil) {
    self.options = options
    let names = options.indices.map { typed?($0) ?? "--control \(options[$0])" }
    findings = Findings(options: names.map(Self.shown))
  }

  mutating func plan() -> ControlPlan {
    guard !options.isEmpty else { return ControlPlan() }
    let entries = merged(options.indices.compactMap { entry(at: $0) })
    let section = Value(place: Place(line: 1, column: 1), content: .map(entries))
    var checker = ShapeChecker(findings: findings)
    checker.check(section, against: .map(ScenarioKeys.controls), name: "the controls")
    var reader = ControlsReader(findings: checker.findings)
    defer { findings = reader.findings }
    return reader.plan(from: section)
  }

  /// The key and the value of one option, with the option's number as the line of its places.
  private mutating func entry(at index: Int) -> Value.Entry? {
    let place = Place(line: index + 1, column: 1)
    let parts = options[index].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let key = parts.first, !key.isEmpty else {
      findings.report(
        "bad-option",
        "\(quoted(options[index])) is not a key and its value",
        at: place,
        remedy: "write KEY=VALUE, such as --control network=none"
      )
      return nil
    }
    guard let value = value(of: String(parts[1]), at: place) else { return nil }
    return Value.Entry(key: String(key), place: place, value: value)
  }

  private mutating func value(of text: String, at place: Place) -> Value? {
    var found = Findings(options: [])
    var yaml = YAMLText(text)
    let value = yaml.value(reporting: &found)
    for diagnostic in found.diagnostics {
      // A text without a value is no empty file.
      if diagnostic.id == "empty-scenario" {
        return Value(place: place, content: .scalar("", isPlain: true))
      }
      findings.report(
        diagnostic.id,
        diagnostic.problem,
        at: place,
        remedy: diagnostic.remedy ?? ""
      )
    }
    return value?.moved(to: place)
  }

  /// Options that name a list may be repeated; of the others the first counts.
  private mutating func merged(_ entries: [Value.Entry]) -> [Value.Entry] {
    var merged: [Value.Entry] = []
    for entry in entries {
      guard let earlier = merged.firstIndex(where: { $0.key == entry.key }) else {
        merged.append(entry)
        continue
      }
      if ["require", "services", "suppress"].contains(entry.key) {
        let elements = [merged[earlier].value, entry.value].flatMap { value in
          if case .list(let elements) = value.content { elements } else { [value] }
        }
        merged[earlier].value.content = .list(elements)
      } else {
        findings.report(
          "duplicate-key",
          "duplicate key \(quoted(entry.key))",
          at: entry.place,
          remedy: "keep one of them"
        )
      }
    }
    return merged
  }

  /// On one line and not longer than a line, as it was typed otherwise.
  private static func shown(_ option: String) -> String {
    String(quoted(option).dropFirst().dropLast())
  }
}

extension Value {
  /// The value with one place for all of it.
  fileprivate func moved(to place: Place) -> Value {
    var moved = self
    moved.place = place
    switch content {
    case .scalar: break
    case .list(let elements): moved.content = .list(elements.map { $0.moved(to: place) })
    case .map(let entries):
      moved.content = .map(
        entries.map { entry in
          Entry(key: entry.key, place: place, value: entry.value.moved(to: place))
        }
      )
    }
    return moved
  }
}
