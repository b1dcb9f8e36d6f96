import Foundation
import LabModel
import LabPatterns

/// Makes one target of a value whose shape was checked.
struct TargetReader {
  var findings: Findings
  let safety: PathSafety
  let states: [LaunchState]

  /// Where relative paths of the program begin when it is built first; nil without a build.
  let buildDirectory: String?

  var directory: String { safety.scenarioDirectory }

  mutating func target(named name: String, at place: Place, from value: Value) -> Target {
    reportReserved(name, at: place)
    let target = Target(
      name: name,
      command: command(from: value["command"]),
      writtenProgram: writtenProgram(in: value["command"]),
      program: program(from: value["program"]),
      ready: ready(from: value["ready"]),
      stop: stop(from: value["stop"]),
      timeout: timeout(from: value["timeout"]),
      environment: environment(from: value),
      secrets: secrets(from: value["env"]),
      directory: workingDirectory(from: value["directory"]),
      standardInput: value["stdin"].map { existing($0, .regular, from: directory) },
      tty: value["tty"]?.text == "true",
      files: files(from: value["files"]),
      own: value["own"]?.text.flatMap(OwnRule.init(rawValue:)),
      install: install(from: value["install"]),
      home: value["home"].map { existing($0, .directory, from: directory) },
      state: state(from: value["state"]),
      counters: counters(from: value["counters"]),
      prepare: commands(from: value["prepare"]),
      cleanup: commands(from: value["cleanup"])
    )
    reportOverlaps(of: target, in: value)
    return target
  }

  private mutating func reportReserved(_ name: String, at place: Place) {
    let namesakes = [Arm.emptyTarget: "the floor", Arm.controlTarget: "the control"]
    guard let namesake = namesakes[name] else { return }
    findings.report(
      "contradiction",
      "a target is called \(quoted(name)), like \(namesake)",
      at: place,
      remedy: "choose another name"
    )
  }

  // MARK: - How it is launched

  mutating func command(from value: Value?) -> [String] {
    guard let first = value?.elements.first, let program = first.text else { return [] }
    let arguments = value?.elements.dropFirst().compactMap(\.text) ?? []
    if program.isEmpty {
      findings.report(
        "empty-value",
        "the program is an empty text",
        at: first.place,
        remedy: "write its path or its name"
      )
    } else if program.hasPrefix("~") {
      findings.report(
        "invalid-value",
        "the program \(quoted(program)) begins with a tilde, which is not expanded",
        at: first.place,
        remedy: "write the path out"
      )
    }
    guard program.contains("/") else { return [program] + arguments }
    return [PathSafety.absolute(program, from: buildDirectory ?? directory)] + arguments
  }

  private func writtenProgram(in command: Value?) -> String? {
    command?.elements.first?.text.flatMap { $0.contains("/") && !$0.hasPrefix("/") ? $0 : nil }
  }

  private mutating func program(from value: Value?) -> String? {
    guard let value, let program = value.text else { return nil }
    if program.isEmpty || program.hasSuffix("/") {
      findings.report(
        "invalid-value",
        "the program \(quoted(program)) has no file name",
        at: value.place,
        remedy: "write the name of the executable, such as node, or its path"
      )
    }
    return program.contains("/")
      ? PathSafety.absolute(program, from: buildDirectory ?? directory) : program
  }

  private mutating func ready(from value: Value?) -> Readiness {
    guard let value else { return .exit }
    if let word = value.text {
      switch word {
      case "notify": return .notify
      case "mark": return .mark(name: "ready")
      default: return .exit
      }
    }
    guard let condition = value.entries.first, let text = condition.value.text else {
      return .exit
    }
    return ready(condition.key, text, at: condition.value.place)
  }

  private mutating func ready(_ key: String, _ text: String, at place: Place) -> Readiness {
    switch key {
    case "tcp":
      guard let endpoint = try? Endpoint(written: text) else { return .exit }
      return .tcp(host: endpoint.host, port: endpoint.port)
    case "http":
      guard let address = try? WebAddress(written: text) else { return .exit }
      return .http(
        host: address.endpoint.host,
        port: address.endpoint.port,
        path: address.path
      )
    case "unix":
      let path = PathSafety.absolute(text, from: directory)
      if path.utf8.count > 107 {
        findings.report(
          "invalid-value",
          "the socket path \(quoted(path)) is longer than 107 bytes",
          at: place,
          remedy: "use a shorter path, because the kernel allows no more"
        )
      }
      return .unix(path: path)
    case "file": return .file(path: PathSafety.absolute(text, from: directory))
    case "mark": return mark(text, at: place)
    default:
      if text.isEmpty {
        findings.report(
          "empty-value",
          "the pattern is empty",
          at: place,
          remedy: "write what the line contains"
        )
      }
      check(pattern: text, at: place)
      return .output(stream: OutputStream(rawValue: key) ?? .stdout, pattern: text)
    }
  }

  private mutating func check(pattern: String, at place: Place) {
    do throws(PatternError) {
      _ = try OutputPattern(pattern)
    } catch {
      findings.report(
        "invalid-value",
        "the pattern \(quoted(pattern)) cannot be used: \(error.problem)",
        at: place,
        remedy: error.remedy
      )
    }
  }

  /// The file of events has room for this many bytes of the name.
  private static let markLimit = 63

  private mutating func mark(_ name: String, at place: Place) -> Readiness {
    if name.isEmpty {
      findings.report(
        "empty-value",
        "the name of the mark is empty",
        at: place,
        remedy: "write the name that the program gives to `launch_mark`"
      )
    } else if name.utf8.count > Self.markLimit {
      findings.report(
        "invalid-value",
        "the name of the mark is longer than \(Self.markLimit) bytes",
        at: place,
        remedy: "give the mark a shorter name, in the program too"
      )
    }
    return .mark(name: name)
  }

  private mutating func stop(from value: Value?) -> StopPolicy {
    var policy = StopPolicy()
    if let signal = value?["signal"]?.text, let number = try? Signal.number(of: signal) {
      policy.signal = number
    }
    if let grace = value?["grace"]?.text, let span = try? Nanoseconds(written: grace) {
      policy.grace = span
    }
    if let after = value?["after"]?.text, let span = try? Nanoseconds(written: after) {
      policy.after = span == .zero ? nil : span
    }
    if let condition = value?["when"]?.entries.first, let text = condition.value.text {
      policy.condition = ready(condition.key, text, at: condition.value.place)
    }
    return policy
  }

  mutating func timeout(from value: Value?) -> Nanoseconds {
    guard let value, let text = value.text, let timeout = try? Nanoseconds(written: text) else {
      return .seconds(60)
    }
    if timeout == .zero {
      findings.report(
        "invalid-value",
        "the timeout \(quoted(text)) leaves no time to start",
        at: value.place,
        remedy: "allow more time, such as 10s"
      )
    }
    return timeout
  }

  private mutating func environment(from value: Value) -> [String: String] {
    var environment: [String: String] = [:]
    for entry in value["env"]?.entries ?? [] {
      if let text = entry.value.text { environment[entry.key] = text }
      if entry.key.isEmpty || entry.key.contains("=") || entry.key.contains("\0") {
        findings.report(
          "invalid-value",
          "\(quoted(entry.key)) cannot be the name of a variable",
          at: entry.place,
          remedy: "use letters, digits and `_`"
        )
      }
      reportOwnVariable(entry, in: value)
      if entry.key == "HOME", value["home"] != nil || states.contains(.firstRun) {
        findings.report(
          "contradiction",
          "\"HOME\" contradicts the private home directory",
          at: entry.place,
          remedy: value["home"] == nil
            ? "remove the variable, or the state first-run" : "remove the variable, or `home:`"
        )
      }
    }
    return environment
  }

  /// Whether the target is going to be launched, and not only its nights shown.
  private var isLaunched: Bool { safety.judge != nil }

  /// The variables whose values are not in the file, each of which must have one.
  private mutating func secrets(from value: Value?) -> [String: SecretSource]? {
    var secrets: [String: SecretSource] = [:]
    for entry in value?.entries ?? [] {
      guard let written = entry.value.entries.first, let text = written.value.text else { continue }
      let place = written.value.place
      switch written.key {
      case "from_file":
        let path = existing(written.value, .regular, from: directory)
        secrets[entry.key] = .file(path: path)
        guard isLaunched, !findings.isReported(at: place) else { continue }
        reportProblem(of: entry.key, at: place) { () throws(SecretSource.Problem) in
          try Self.check(fileAt: path)
        }
      case "from_env":
        secrets[entry.key] = .variable(name: text)
        guard isLaunched else { continue }
        let environment = ProcessInfo.processInfo.environment
        reportProblem(of: entry.key, at: place) { () throws(SecretSource.Problem) in
          _ = try SecretSource.value(ofVariable: text, in: environment)
        }
      default: continue
      }
    }
    return secrets.isEmpty ? nil : secrets
  }

  private static func check(fileAt path: String) throws(SecretSource.Problem) {
    // A device such as /dev/zero has no end, and a terminal no content yet.
    guard FileKind(at: path) == .regular else { throw SecretSource.Problem("it is not a file") }
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw SecretSource.Problem("the file cannot be read")
    }
    defer { try? file.close() }
    let content = (try? file.read(upToCount: SecretSource.limit + 3)) ?? Data()
    _ = try SecretSource.value(ofContent: Array(content))
  }

  private mutating func reportProblem(
    of variable: String,
    at place: Place,
    _ check: () throws(SecretSource.Problem) -> Void
  ) {
    do throws(SecretSource.Problem) {
      try check()
    } catch {
      findings.report(
        "missing-secret",
        "the variable \(quoted(variable)) has no value: \(error.reason)",
        at: place,
        remedy: "name a file or a variable that holds the value"
      )
    }
  }

  /// Reports a variable that launchlab sets itself.
  private mutating func reportOwnVariable(_ entry: Value.Entry, in value: Value) {
    let setter: String? =
      switch entry.key {
      case "NOTIFY_SOCKET" where value["ready"]?.text == "notify": "`ready: notify`"
      case "LAUNCHLAB_EVENTS": "launchlab"
      default: nil
      }
    guard let setter else { return }
    findings.report(
      "contradiction",
      "\(quoted(entry.key)) is set by \(setter)",
      at: entry.place,
      remedy: "remove the variable"
    )
  }

  private mutating func counters(from value: Value?) -> [String] {
    var names: [String] = []
    for element in value?.elements ?? [] {
      guard let name = element.text else { continue }
      if names.contains(name) {
        findings.report(
          "contradiction",
          "the counter \(quoted(name)) is given twice",
          at: element.place,
          remedy: "keep one of them"
        )
      } else {
        names.append(name)
      }
    }
    return names
  }
}
