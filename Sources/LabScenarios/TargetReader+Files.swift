import LabModel

/// Where the files of a target are.
extension TargetReader {
  mutating func workingDirectory(from value: Value?) -> String {
    guard let value else { return buildDirectory ?? directory }
    return built(value, .directory)
  }

  mutating func files(from value: Value?) -> [String] {
    (value?.elements ?? []).map { element in
      let written = element.text ?? ""
      guard FilePattern.isPlain(written) else { return pattern(written) }
      let path = PathSafety.absolute(written, from: buildDirectory ?? directory)
      return built(element, FileKind(at: path) == .directory ? .directory : .regular)
    }
  }

  /// An entry with wildcards, or of what is left out, as an absolute path.
  private func pattern(_ written: String) -> String {
    let path = PathSafety.absolute(
      written.hasPrefix("!") ? String(written.dropFirst()) : written,
      from: buildDirectory ?? directory
    )
    return (written.hasPrefix("!") ? "!" : "") + path
  }

  mutating func install(from value: Value?) -> [String] {
    (value?.elements ?? []).map { element in
      let path = built(element, .directory)
      reportDanger(of: path, at: element.place, key: "install")
      return path
    }
  }

  mutating func state(from value: Value?) -> [StateDirectory] {
    guard let value else { return [] }
    if !states.contains(.firstRun) {
      findings.report(
        "contradiction",
        "\"state\" has no effect without the state first-run",
        at: value.place,
        remedy: "add first-run to `states:`, or remove the key"
      )
    }
    return value.elements.compactMap { element in
      let place = element["path"]?.place ?? element.place
      guard let written = element.text ?? element["path"]?.text else { return nil }
      let path = PathSafety.absolute(written, from: directory)
      reportDanger(of: path, at: place, key: "state")
      let template = element["template"].map { existing($0, .directory, from: directory) }
      if let template, PathSafety.contains(template, path) || PathSafety.contains(path, template) {
        findings.report(
          "contradiction",
          "a state directory and its template \(quoted(template)) overlap",
          at: place,
          remedy: "put the template elsewhere"
        )
      }
      return StateDirectory(path: path, template: template)
    }
  }

  /// A directory that is both reset and made anew, or reset twice, has no defined content.
  mutating func reportOverlaps(of target: Target, in value: Value) {
    let paths = target.install + target.state.map(\.path)
    for (index, path) in paths.enumerated() {
      let overlapping = paths[..<index].first {
        PathSafety.contains($0, path) || PathSafety.contains(path, $0)
      }
      guard let overlapping, let place = (value["state"] ?? value["install"])?.place else {
        continue
      }
      findings.report(
        "contradiction",
        "the directories \(quoted(overlapping)) and \(quoted(path)) overlap",
        at: place,
        remedy: "name each directory once, under `install:` or under `state:`"
      )
    }
  }

  private mutating func reportDanger(of path: String, at place: Place, key: String) {
    var objection = safety.objection(to: path).map {
      (problem: $0, remedy: "name a directory that only this scenario uses")
    }
    if objection == nil, let judge = safety.judge {
      let question = DirectoryQuestion(
        path: path,
        isEmptied: key == "state",
        scenarioDirectory: directory,
        repository: buildDirectory
      )
      objection = judge(question)
    }
    guard let objection else { return }
    findings.report(
      "dangerous-directory",
      "\"\(key)\" would replace files in \(quoted(path)): \(objection.problem)",
      at: place,
      remedy: objection.remedy
    )
  }

  /// A path of the built tree, which is looked for only when nothing is built.
  private mutating func built(_ value: Value, _ kind: FileKind) -> String {
    guard let buildDirectory else { return existing(value, kind, from: directory) }
    let written = value.text ?? "."
    if written.hasPrefix("/") { return existing(value, kind, from: directory) }
    return PathSafety.absolute(written, from: buildDirectory)
  }

  mutating func existing(
    _ value: Value,
    _ kind: FileKind,
    from directory: String
  ) -> String {
    guard let written = value.text, !written.isEmpty, !written.hasPrefix("~") else {
      return directory
    }
    let path = PathSafety.absolute(written, from: directory)
    let found = FileKind(at: path)
    // A device such as /dev/zero may be read as if it were a regular file.
    let fits = found == kind || (kind == .regular && found == .other)
    guard !fits else { return path }
    let wanted = kind == .directory ? "directory" : "file"
    findings.report(
      "missing-file",
      found == .missing
        ? "the \(wanted) \(quoted(written)) does not exist"
        : "\(quoted(written)) is not a \(wanted)",
      at: value.place,
      remedy: "correct the path, which is looked for at \(path)"
    )
    return path
  }
}

/// What is run beside the launches of a target.
extension TargetReader {
  mutating func commands(from value: Value?) -> LaunchCommands? {
    guard let value else { return nil }
    guard case .map = value.content else {
      return LaunchCommands(launch: sideCommand(from: value))
    }
    var commands = LaunchCommands(
      launch: value["launch"].flatMap { sideCommand(from: $0) },
      block: value["block"].flatMap { sideCommand(from: $0) },
      run: value["run"].flatMap { sideCommand(from: $0) }
    )
    if value["timeout"] != nil { commands.timeout = timeout(from: value["timeout"]) }
    if !value.entries.contains(where: { $0.key != "timeout" }) {
      findings.report(
        "empty-value",
        "there is no command",
        at: value.place,
        remedy:
          "give at least one of \(LaunchCommands.Moment.allCases.map(\.rawValue).joined(separator: ", "))"
      )
    }
    return commands
  }

  /// A text goes to the shell; a list is a program with its arguments, as in `command`.
  private mutating func sideCommand(from value: Value) -> [String]? {
    guard let text = value.text else { return command(from: value) }
    if text.allSatisfy(\.isWhitespace) {
      findings.report(
        "empty-value",
        "the command is empty",
        at: value.place,
        remedy: "write the command, or remove the key"
      )
    }
    return LaunchCommands.shell + [text]
  }
}
