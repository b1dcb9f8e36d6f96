import LaunchCore

/// Where the files of a target are.
extension ScenarioKeys {
  static let file = Form<String>.path.then { written, value, reading in
    guard FilePattern.isPlain(written) else {
      let isLeftOut = written.hasPrefix("!")
      let pattern = isLeftOut ? String(written.dropFirst()) : written
      return (isLeftOut ? "!" : "") + PathSafety.absolute(pattern, from: reading.programDirectory)
    }
    let path = PathSafety.absolute(written, from: reading.programDirectory)
    let kind: FileKind = FileKind(at: path) == .directory ? .directory : .regular
    return reading.built(written, kind, at: value.place)
  }

  static let install = Form<String>.built(.directory).then { path, value, reading in
    reading.reportDanger(of: path, at: value.place, key: "install")
    return path
  }

  static let stateDirectories = Form<[StateDirectory]>.list(of: state).refusing(
    "\"state\" has no effect without the state first-run",
    remedy: "add first-run to `states:`, or remove the key",
    at: nil
  ) { _, _, reading in !reading.states.contains(.firstRun) }

  private static let state = Form<StateDirectory>.choice([
    Form<String>.path.map { StateDirectory(path: $0) },
    .section(stateDirectory, of: StateDirectory(path: "")),
  ]).then { directory, value, reading -> StateDirectory? in
    guard !directory.path.isEmpty else { return nil }
    let place = value["path"]?.place ?? value.place
    let path = reading.absolute(directory.path)
    reading.reportDanger(of: path, at: place, key: "state")
    if let template = directory.template,
      PathSafety.contains(template, path) || PathSafety.contains(path, template)
    {
      reading.report(
        "contradiction",
        "a state directory and its template \(quoted(template)) overlap",
        at: place,
        remedy: "put the template elsewhere"
      )
    }
    return StateDirectory(path: path, template: directory.template)
  }
}

extension Form<String> {
  static var absolute: Self { path.then { path, _, reading in reading.absolute(path) } }

  /// What is there at a path, as an absolute one.
  static func existing(_ kind: FileKind) -> Self {
    path.then { $2.existing($0, kind, at: $1.place) }
  }

  /// A path of the built tree, which is looked for only when nothing is built.
  static func built(_ kind: FileKind) -> Self {
    path.then { $2.built($0, kind, at: $1.place) }
  }
}

extension Reading {
  func absolute(_ path: String) -> String { PathSafety.absolute(path, from: directory) }

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
      report(
        "contradiction",
        "the directories \(quoted(overlapping)) and \(quoted(path)) overlap",
        at: place,
        remedy: "name each directory once, under `install:` or under `state:`"
      )
    }
  }

  fileprivate mutating func reportDanger(of path: String, at place: Place, key: String) {
    var objection = safety.objection(to: path).map {
      (problem: $0, remedy: "name a directory that only this scenario uses")
    }
    if objection == nil, let judge = safety.judge {
      let question = DirectoryQuestion(
        path: path,
        isEmptied: key == "state",
        scenarioDirectory: directory,
        repository: source?.repository
      )
      objection = judge(question)
    }
    guard let objection else { return }
    report(
      "dangerous-directory",
      "\"\(key)\" would replace files in \(quoted(path)): \(objection.problem)",
      at: place,
      remedy: objection.remedy
    )
  }

  fileprivate mutating func built(_ written: String, _ kind: FileKind, at place: Place) -> String {
    guard let source, !written.hasPrefix("/") else { return existing(written, kind, at: place) }
    return PathSafety.absolute(written, from: source.repository)
  }

  fileprivate mutating func existing(_ written: String, _ kind: FileKind, at place: Place) -> String
  {
    let path = absolute(written)
    let found = FileKind(at: path)
    // A device such as /dev/zero may be read as if it were a regular file.
    let fits = found == kind || (kind == .regular && found == .other)
    // Such as /dev/stdin: another process finds something else there.
    let isOfProcess = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
    guard !fits else {
      return isOfProcess && kind == .regular ? PathSafety.resolved(path) : path
    }
    if kind == .regular, found == .stream {
      report(
        "not-a-file",
        "\(quoted(written)) is a pipe or a terminal, which can be read only once and not by each launch",
        at: place,
        remedy: "save it first, such as by `cat \(written) > input`, and name that file"
      )
      return path
    }
    let wanted = kind == .directory ? "directory" : "file"
    report(
      "missing-file",
      found == .missing
        ? "the \(wanted) \(quoted(written)) does not exist"
        : "\(quoted(written)) is not a \(wanted)",
      at: place,
      remedy: "check the path: \(path)"
    )
    return path
  }
}
