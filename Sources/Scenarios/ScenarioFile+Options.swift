package import LaunchCore

extension ScenarioFile {
  /// Makes a scenario of one target from options, by the rules for scenario files.
  ///
  /// - Parameters:
  ///   - options: What is launched, and how.
  ///   - judge: As of ``load(path:judgedBy:)``.
  /// - Returns: A scenario with absolute paths.
  /// - Throws: ``ScenarioError``; the place of a diagnostic is the option, or nil for the command.
  package static func load(
    options: MeasureOptions,
    judgedBy judge: DirectoryJudge? = nil
  ) throws(ScenarioError) -> Scenario {
    var values = OptionValues()
    let root = values.scenario(options)
    do throws(ScenarioError) {
      let path = "\(options.directory)/command line"
      let reading = reading(values.findings, path: path, judgedBy: judge)
      return try ScenarioKeys.scenario.output(of: root, "the scenario", reading)
    } catch {
      // The number of launches is in it twice, for instance.
      var told: [Diagnostic] = []
      for diagnostic in error.diagnostics where !told.contains(diagnostic) {
        told.append(diagnostic)
      }
      throw .invalid(told)
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
    var values = OptionValues()
    let section = values.controls(ids.map { "suppress=\($0)" }) { "--suppress \(ids[$0])" }
    var options = reading(values.findings, path: path, judgedBy: judge)
    let suppressed = ScenarioKeys.controlsSection.read(section, "controls", &options)
    do throws(ScenarioError) {
      var scenario = try load(path: path, judgedBy: judge)
      scenario.controls?.suppressed.formUnion(suppressed?.plan.suppressed ?? [])
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
}

/// The values of a scenario that options stand for, each typed text a scalar of its own.
private struct OptionValues {
  /// What is wrong with the options as such, and the place of each value.
  var findings = Findings()

  mutating func scenario(_ options: MeasureOptions) -> Value {
    let name = one(options.names, "--command-name", "names")
    let target = Value.Entry(
      key: options.names.first ?? Target.name(for: options.command),
      place: name?.place ?? findings.place(ofOption: nil),
      value: target(options)
    )
    return section([
      ("scenario", text(Self.scenarioName(for: target.key))),
      ("targets", section([target])),
      ("states", list(options.states, "--state")),
      ("launches", plain("\(options.launches)", "--launches")),
      ("baseline", options.includesEmptyBaseline ? section([("empty", plain("true"))]) : nil),
      ("display", options.display.map { display($0) }),
      ("stages", options.stages.map { stages($0) }),
      ("controls", controls(options.controls) { "--control \(options.controls[$0])" }),
    ])
  }

  /// A valid name in any case, so that what is wrong with that of the target is reported once.
  private static func scenarioName(for target: String) -> String {
    String(("measure-" + target.map { String($0).isMade(of: "._") ? $0 : "-" }).prefix(100))
  }

  private mutating func target(_ options: MeasureOptions) -> Value {
    section([
      ("command", list(options.command)),
      ("program", options.program.map { text($0, "--program") }),
      ("ready", options.ready.map { readiness($0, "--ready") }),
      ("exit", options.exitStatus.map { exitStatus($0) }),
      ("timeout", options.timeout.map { text($0, "--timeout") }),
      ("stop", stop(options)),
      ("env", environment(options.environment)),
      ("stdin", options.standardInput.map { text($0 == "-" ? "/dev/stdin" : $0, "--stdin") }),
      ("tty", options.isTTY ? plain("true") : nil),
      ("files", given(options.files, "--files")),
      ("own", options.own.map { text($0, "--own") }),
      ("install", given(options.install, "--install")),
      ("home", options.home.map { text($0, "--home") }),
      ("state", given(options.stateDirectories, "--state-directory")),
      ("counters", given(options.counters, "--counter")),
      (
        "prepare",
        commands(launch: (options.prepare, "--prepare"), run: (options.setup, "--setup"))
      ),
      (
        "cleanup",
        commands(launch: (options.conclude, "--conclude"), run: (options.cleanup, "--cleanup"))
      ),
    ])
  }

  private mutating func stop(_ options: MeasureOptions) -> Value? {
    given([
      ("signal", options.stopSignal.map { text($0, "--stop-signal") }),
      ("grace", options.stopGrace.map { text($0, "--stop-grace") }),
      ("when", options.stopWhen.map { readiness($0, "--stop-when") }),
      ("after", options.stopAfter.map { text($0, "--stop-after") }),
    ])
  }

  /// A server alone is one of the run's own.
  private mutating func display(_ display: String) -> Value {
    let parts = display.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let place = parts.count == 2 ? String(parts[1]) : "headless"
    return section([(String(parts[0]), text(place, "--display"))])
  }

  private mutating func stages(_ stages: StagePlan) -> Value {
    section([
      ("collect", list(stages.collectors.map(\.rawValue), "--collect")),
      ("launches", plain("\(stages.launches)", "--launches")),
      ("probe_hidden", plain("\(stages.isProbeHidden)")),
      ("patterns", given(stages.patterns, "--pattern")),
    ])
  }

  private mutating func commands(
    launch: (texts: [String], option: String),
    run: (texts: [String], option: String)
  ) -> Value? {
    given([("launch", one(launch.texts, launch.option)), ("run", one(run.texts, run.option))])
  }

  private mutating func one(
    _ texts: [String],
    _ option: String,
    _ noun: String = "commands"
  ) -> Value? {
    if texts.count > 1 {
      findings.report(
        "duplicate-key",
        "\(texts.count) \(noun) are given, which is not one for each command that is launched",
        at: findings.place(ofOption: option),
        remedy: "give \(option) once, or once for each command that is launched"
      )
    }
    return texts.first.map { text($0, option) }
  }

  /// A word, or statuses such as `0,1`.
  private mutating func exitStatus(_ statuses: String) -> Value {
    let option = "--exit-status"
    if statuses == "any" { return text(statuses, option) }
    let elements = statuses.split(separator: ",", omittingEmptySubsequences: false)
      .map { plain(String($0), option) }
    return Value(place: findings.place(ofOption: option), content: .list(elements))
  }

  /// A name without a value has that of launchlab's own environment.
  private mutating func environment(_ pairs: [String]) -> Value? {
    let entries = pairs.map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = text(String(parts[0]), "--env")
      let value =
        parts.count == 2 ? text(String(parts[1]), "--env") : section([("from_env", name)])
      return Value.Entry(key: String(parts[0]), place: name.place, value: value)
    }
    return entries.isEmpty ? nil : section(entries)
  }

  /// Conditions without a value may stand alone; the others have a kind and a value.
  private mutating func readiness(_ condition: String, _ option: String) -> Value {
    if condition.hasPrefix("http://") { return section([("http", text(condition, option))]) }
    guard let colon = condition.firstIndex(of: ":") else { return text(condition, option) }
    let value = String(condition[condition.index(after: colon)...])
    return section([(String(condition[..<colon]), text(value, option))])
  }

  // MARK: - Values

  private mutating func text(_ text: String, _ option: String? = nil) -> Value {
    Value(place: findings.place(ofOption: option), content: .scalar(text, isPlain: false))
  }

  private mutating func plain(_ text: String, _ option: String? = nil) -> Value {
    Value(place: findings.place(ofOption: option), content: .scalar(text, isPlain: true))
  }

  private mutating func list(_ texts: [String], _ option: String? = nil) -> Value {
    let elements = texts.map { text($0, option) }
    return Value(place: findings.place(ofOption: option), content: .list(elements))
  }

  private mutating func given(_ texts: [String], _ option: String) -> Value? {
    texts.isEmpty ? nil : list(texts, option)
  }

  private mutating func given(_ values: [(String, Value?)]) -> Value? {
    values.contains { $0.1 != nil } ? section(values) : nil
  }

  private mutating func section(_ values: [(String, Value?)]) -> Value {
    let entries = values.compactMap { key, value in
      value.map { Value.Entry(key: key, place: $0.place, value: $0) }
    }
    return section(entries)
  }

  /// The values of the keys that add up may be given in pieces; of the others each once.
  private mutating func section(_ entries: [Value.Entry], addingUp keys: [String] = []) -> Value {
    var merged: [Value.Entry] = []
    for entry in entries {
      if let earlier = merged.firstIndex(where: { $0.key == entry.key }) {
        if keys.contains(entry.key) {
          let pieces = [merged[earlier].value, entry.value]
          merged[earlier].value.content = .list(
            pieces.flatMap { if case .list(let elements) = $0.content { elements } else { [$0] } }
          )
        } else {
          findings.report(
            "duplicate-key",
            "duplicate key \(quoted(entry.key))",
            at: entry.place,
            remedy: "keep one of them"
          )
        }
      } else {
        merged.append(entry)
      }
    }
    let place = merged.first?.place ?? findings.place(ofOption: nil)
    return Value(place: place, content: .map(merged))
  }

  // MARK: - Controls

  /// The section `controls` of pairs such as `cpus=[1]`, whose values are YAML; the place of each is
  /// how it was typed.
  mutating func controls(_ pairs: [String], typed: (Int) -> String) -> Value {
    let entries = pairs.indices.compactMap { control(pairs[$0], typed: typed($0)) }
    return section(entries, addingUp: ["require", "services", "suppress"])
  }

  private mutating func control(_ pair: String, typed: String) -> Value.Entry? {
    // On one line and not longer than a line, as it was typed otherwise.
    let place = findings.place(ofOption: String(quoted(typed).dropFirst().dropLast()))
    let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let key = parts.first, !key.isEmpty else {
      findings.report(
        "bad-option",
        "\(quoted(pair)) is not a key and its value",
        at: place,
        remedy: "write KEY=VALUE, such as --control network=none"
      )
      return nil
    }
    var found = Findings()
    var yaml = YAMLText(String(parts[1]))
    var value = yaml.value(reporting: &found)?.moved(to: place)
    for diagnostic in found.diagnostics {
      if diagnostic.id == "empty-scenario" {
        // A text without a value is no empty file.
        value = Value(place: place, content: .scalar("", isPlain: true))
      } else {
        let remedy = diagnostic.remedy ?? ""
        findings.report(diagnostic.id, diagnostic.problem, at: place, remedy: remedy)
      }
    }
    return value.map { Value.Entry(key: String(key), place: place, value: $0) }
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

extension Target {
  /// The name of a target made from its command: the file name of its program.
  static func name(for command: [String]) -> String {
    let program = command.first?.split(separator: "/").last ?? "target"
    let name = String(program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    return [Arm.emptyTarget, Arm.controlTarget].contains(name) ? "\(name)-program" : name
  }
}
