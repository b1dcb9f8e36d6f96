// Scenarios: the file `scenario.yml`, from text to a validated `Scenario`.
//
// `ScenarioFile` tells the story: `YAMLText` reads the file with its places, and each section is a list of
// `Field`s (`ScenarioKeys`, `TargetSection`, `ReadySection`, `ControlsSection`, `NightSections`,
// `BudgetsSection`). A field is one declaration: its key, its summary, and the `Form` that checks and reads its
// value. A form refuses what is wrong, contradicts itself or is dangerous (`PathSafety`). All problems are
// reported at once, each with its line and a remedy.
//
// Of the fields come the JSON Schema (`ScenarioSchema`) and the reference in docs (`ScenarioReference`), too;
// `ScenarioTemplate` is the file that `init` writes.

import Foundation
package import LaunchCore

/// Reads scenario files.
package enum ScenarioFile {
  /// Reads the scenario file at a path.
  ///
  /// - Parameters:
  ///   - path: Absolute, or relative to the working directory; places show it as given.
  ///   - judge: Says what this machine has against the directories that the scenario declares.
  /// - Returns: A scenario with absolute paths.
  /// - Throws: ``ScenarioError`` with everything that is wrong with the file.
  package static func load(
    path: String,
    judgedBy judge: DirectoryJudge? = nil
  ) throws(ScenarioError) -> Scenario {
    try load(text: try text(at: path), path: path, judgedBy: judge)
  }

  /// Reads the text of a scenario file.
  ///
  /// - Parameters:
  ///   - text: The content of the file.
  ///   - path: Where the file is, for places and relative paths; it need not exist.
  ///   - home: The home directory that no scenario may replace; by default that of the user.
  ///   - judge: Says what this machine has against the directories that the scenario declares.
  /// - Returns: A scenario with absolute paths.
  /// - Throws: ``ScenarioError/invalid(_:)`` with everything that is wrong with the text.
  package static func load(
    text: String,
    path: String,
    home: String = FileManager.default.homeDirectoryForCurrentUser.path,
    judgedBy judge: DirectoryJudge? = nil
  ) throws(ScenarioError) -> Scenario {
    let form = ScenarioKeys.scenario
    return try read(form, "the scenario", in: text, path: path, home: home, judgedBy: judge)
  }

  /// Reads the text of a file; the name is what findings call its value.
  static func read<Output>(
    _ form: Form<Output>,
    _ name: String,
    in text: String,
    path: String,
    home: String = FileManager.default.homeDirectoryForCurrentUser.path,
    judgedBy judge: DirectoryJudge? = nil
  ) throws(ScenarioError) -> Output {
    var findings = Findings(path: path)
    var yaml = YAMLText(text)
    guard let root = yaml.value(reporting: &findings) else {
      throw .invalid(findings.diagnostics)
    }
    let reading = reading(findings, path: path, home: home, judgedBy: judge)
    return try form.output(of: root, name, reading)
  }

  /// The reading of a file, of which the findings are those made so far.
  static func reading(
    _ findings: Findings,
    path: String,
    home: String = FileManager.default.homeDirectoryForCurrentUser.path,
    judgedBy judge: DirectoryJudge?
  ) -> Reading {
    let working = FileManager.default.currentDirectoryPath
    let file = PathSafety.absolute(path, from: working)
    let safety = PathSafety(
      scenarioDirectory: PathSafety.absolute("..", from: file),
      home: PathSafety.absolute(home, from: working),
      judge: judge
    )
    return Reading(findings: findings, safety: safety)
  }

  /// The text of a file, without a byte order mark.
  static func text(
    at path: String,
    as role: ScenarioError.FileRole = .scenario
  ) throws(ScenarioError) -> String {
    func unreadable(_ reason: String) -> ScenarioError {
      .unreadable(path: path, reason: reason, as: role)
    }
    switch FileKind(at: path) {
    case .regular: break
    case .directory: throw unreadable("it is a directory")
    case .missing: throw unreadable("there is no such file")
    case .other, .stream: throw unreadable("it is not a regular file")
    }
    let data: Data
    do {
      data = try content(ofFile: path)
    } catch {
      throw unreadable("permission denied, or the disk failed")
    }
    guard data.count <= YAMLText.maximumBytes else {
      throw unreadable("it is larger than \(YAMLText.maximumBytes) bytes")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw .invalid([notText(data, path: path)])
    }
    return text.hasPrefix("\u{FEFF}") ? String(text.unicodeScalars.dropFirst()) : text
  }

  /// Reads one byte more than is allowed at most, so that a huge file costs nothing.
  private static func content(ofFile path: String) throws -> Data {
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { try? file.close() }
    return try file.read(upToCount: YAMLText.maximumBytes + 1) ?? Data()
  }

  private static func notText(_ data: Data, path: String) -> Diagnostic {
    let lines = data.split(separator: 0x0A, omittingEmptySubsequences: false)
    let line = lines.firstIndex { String(data: Data($0), encoding: .utf8) == nil } ?? 0
    return Diagnostic(
      .error,
      id: "not-text",
      problem: "the file is not UTF-8 text",
      place: "\(path):\(line + 1):1",
      remedy: "save the file as UTF-8"
    )
  }
}

/// Decides what a scenario launches, and how often.
package enum Planner {
  /// Plans the run of a scenario.
  ///
  /// Arms are the targets in their order, each in every state, then the empty program in every
  /// state where it is asked for, then the counter launches of targets that have counters, then those
  /// that are filmed, then the collector launches, which the control has none of. The order of each block follows from the seed; see
  /// ``Plan/order(ofBlock:)``.
  ///
  /// - Parameters:
  ///   - scenario: What is asked for.
  ///   - seed: Decides the order of the launches. The same seed gives the same order.
  /// - Returns: A plan with as many blocks as each arm gets launches at most.
  package static func plan(_ scenario: Scenario, seed: UInt64) -> Plan {
    var names = scenario.targets.map(\.name)
    if scenario.includesEmptyBaseline { names.append(Arm.emptyTarget) }
    func arms(of names: [String], _ kind: Arm.Kind) -> [Arm] {
      names.flatMap { name in
        scenario.states.map { Arm(target: name, state: $0, kind: kind) }
      }
    }
    let counting = scenario.targets.filter { !$0.counters.isEmpty }.map(\.name)
    let filmed = scenario.targets.filter { $0.isFilmed == true }.map(\.name)
    let collected = scenario.targets.filter { $0.name != Arm.controlTarget }
    let collecting = collected.flatMap { target in
      scenario.states.flatMap { state in
        (scenario.stages?.arms ?? []).map { collector in
          Arm(target: target.name, state: state, kind: Arm.Kind(collector))
        }
      }
    }
    return Plan(
      scenario: scenario,
      seed: seed,
      arms: arms(of: names, .plain) + arms(of: counting, .counters) + arms(of: filmed, .film)
        + collecting,
      blockCount: max(scenario.launches, scenario.adaptive?.most ?? 0)
    )
  }
}

extension Scenario {
  /// Leads everything that belongs to the program into another tree, such as that of a build.
  ///
  /// Programs, working directories, `files:` and `install:` directories below `top` are found
  /// at the same relative path below `directory`. What the scenario itself brings, such as
  /// `stdin:`, `home:` and `state:`, stays where it is.
  ///
  /// - Parameters:
  ///   - top: The absolute path of the top of the repository, with symbolic links followed.
  ///   - directory: The absolute path of the top of the tree that takes its place.
  /// - Returns: The scenario with the paths rewritten.
  package func rebased(from top: String, to directory: String) -> Scenario {
    func moved(_ path: String) -> String {
      guard PathSafety.contains(top, path) else { return path }
      return PathSafety.absolute(directory + path.dropFirst(top == "/" ? 0 : top.count), from: "/")
    }
    var scenario = self
    scenario.targets = targets.map { original in
      var target = original
      if let program = original.command.first {
        target.command[0] = moved(program)
      }
      target.program = original.program.map(moved)
      for path in [\Target.prepare, \Target.cleanup] {
        for moment in [\LaunchCommands.launch, \.block, \.run] {
          if let program = original[keyPath: path]?[keyPath: moment]?.first {
            target[keyPath: path]?[keyPath: moment]?[0] = moved(program)
          }
        }
      }
      target.directory = moved(original.directory)
      target.files = original.files.map { entry in
        entry.hasPrefix("!") ? "!" + moved(String(entry.dropFirst())) : moved(entry)
      }
      target.install = original.install.map(moved)
      return target
    }
    return scenario
  }
}
