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
