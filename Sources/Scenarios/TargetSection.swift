import Foundation
import LaunchCore

/// The keys of a target.
extension ScenarioKeys {
  static let targetSection = Form<Target>.section(
    target,
    of: Target(name: "", command: [], directory: "")
  )
  .refusing(
    "a film goes on until the window has settled, which launches do not wait for",
    remedy: "write `ready: settled`, or remove `film`",
    at: "film"
  ) { target, _, _ in target.isFilmed == true && !target.waitsUntilSettled }
  .refusing(
    "launches wait for another condition than the end of the program, whose status is not looked at",
    remedy: "remove the statuses, or write `ready: exit`",
    at: "exit"
  ) { target, _, _ in target.ready != .exit }
  .then { target, value, reading in
    var target = target
    target.writtenProgram = value["command"]?.elements.first?.text
      .flatMap { $0.contains("/") && !$0.hasPrefix("/") ? $0 : nil }
    if target.directory.isEmpty { target.directory = reading.programDirectory }
    for entry in value["env"]?.entries ?? [] { reading.checkVariable(entry, in: value) }
    reading.reportOverlaps(of: target, in: value)
    return target
  }

  static let target: [Field<Target>] = [
    Field("command", command, \.command, isRequired: true) {
      "The program and its arguments. No shell is involved. A program with a slash is relative "
        + "to the scenario file; one without is looked up in PATH."
    },
    Field("program", program, \.program) {
      "Which executable is the target, where the command is only a launcher: its file name, such "
        + "as soffice.bin, or its path. Stages are of the first process that runs it, peak memory "
        + "is of the largest one; the time is that of the whole launch. Default: the program that "
        + "becomes ready."
    },
    Field("ready", readiness, \.ready) {
      "When a launch is over: exit (the program ends, with status 0 or one of `exit`), notify "
        + "(sd_notify READY=1), mark (launch_ready of the launch marks), window (its first window is mapped), frame (that "
        + "window has content), settled (the content has not changed for 300ms), or one of the "
        + "conditions below. Default: exit."
    },
    Field("exit", exit, \.exitStatuses) {
      "The statuses with which the program may end where `ready` is exit. One that a signal ends "
        + "has failed all the same. Default: 0."
    },
    Field("stop", .section(stop, of: StopPolicy()), \.stop) {
      "How a program that is ready is stopped, untimed."
    },
    Field("timeout", timeout, \.timeout) {
      "How long a launch may take. What is not ready by then has no time. Default: 60s."
    },
    Field(
      "env",
      variables,
      summary:
        "Variables added to the environment. A value that must not be stored is a map with one of "
        + "the keys below."
    ) { $0.set($1) },
    Field("directory", .built(.directory), \.directory) {
      "The working directory. Default: the directory of the scenario file."
    },
    Field("stdin", .existing(.regular), \.standardInput) {
      "The file to read as standard input; no pipe. Default: the terminal with `tty`, else /dev/null."
    },
    Field("tty", .boolean, \.tty) {
      "Whether the program has a terminal of its own as stdin, stdout and stderr, with 80 columns "
        + "and 24 lines, which answers as xterm does. Default: false."
    },
    Field("files", .list(of: file), \.files) {
      "What else is the program's own: files, directories with all below them, and patterns with "
        + "*, ? and ** (any directories). A leading ! leaves out what follows it; the last entry "
        + "that matches a file decides."
    },
    Field("own", .word, \.own) {
      "Which opened files are the program's own, and evicted before cold launches: package (those "
        + "of its programs' packages, and those of no package outside the system's directories), "
        + "prefix (those below the directories that its programs are installed in), all, listed "
        + "(the executable, its libraries outside the system's directories, and files). `launchlab "
        + "files` shows them. Default: package."
    },
    Field("install", .list(of: install), \.install) {
      "Directories whose files are recreated before reinstall-cold and first-run launches."
    },
    Field("home", .existing(.directory), \.home) {
      "The directory that a private HOME is copied from. Default: your own HOME, or an empty one "
        + "in the state first-run."
    },
    Field("state", stateDirectories, \.state) {
      "Directories the program writes to. Before first-run launches their content is replaced by "
        + "that of the template, or by nothing. Outside the scenario's directory and temporary "
        + "ones, `launchlab allow` allows it."
    },
    Field(
      "counters",
      .list(of: Form<CounterEvent>.word.map { $0.rawValue }, each: "the counter"),
      \.counters
    ) {
      "Events to count, in 3 separate launches per target and state, spread evenly over the run."
    },
    Field("film", .boolean, \.isFilmed) {
      "Whether the window is filmed, in three separate launches per state. The target has to have "
        + "`ready: settled`. Default: false."
    },
    Field("prepare", commands, \.prepare) {
      "An untimed command before each launch, measured or not: a text for the shell, a list of a "
        + "program and its arguments, or a map. It runs before the state is created, and ends the "
        + "run when it fails."
    },
    Field("cleanup", commands, \.cleanup) {
      "A command after each launch, or a map; otherwise as `prepare`."
    },
  ]

  static let launchCommands: [Field<LaunchCommands>] = [
    Field("launch", sideCommand, \.launch) {
      "The command that goes with each launch, measured or not."
    },
    Field("block", sideCommand, \.block) {
      "The command that goes with each block of launches."
    },
    Field("run", sideCommand, \.run) {
      "The command that goes with the whole run."
    },
    Field("timeout", timeout, \.timeout) {
      "How long each of them may take. Default: 60s."
    },
  ]

  static let secret: [Field<SecretSource?>] = [
    Field("from_file", Form<String>.existing(.regular).map { .file(path: $0) }) {
      "The file that holds the value, without a line end at its end."
    },
    Field("from_env", Form<String>.text.map { .variable(name: $0) }) {
      "The variable of launchlab's own environment that holds the value."
    },
  ]

  static let stateDirectory: [Field<StateDirectory>] = [
    Field("path", .path, \.path, isRequired: true) {
      "The directory whose content is replaced."
    },
    Field("template", .existing(.directory), \.template) {
      "The directory it is filled from. Default: it starts empty."
    },
  ]
}

// MARK: - How it is launched

extension ScenarioKeys {
  private static let command = Form<[String]>.list(of: .text).then { command, value, reading in
    guard let first = value.elements.first, !first.isNull, let program = first.text else {
      return command
    }
    if program.isEmpty {
      reading.report(
        "empty-value",
        "the program is an empty text",
        at: first.place,
        remedy: "write its path or its name"
      )
    } else if program.hasPrefix("~") {
      reading.report(
        "invalid-value",
        "the program \(quoted(program)) begins with a tilde, which is not expanded",
        at: first.place,
        remedy: "write the path out"
      )
    }
    guard program.contains("/") else { return command }
    return [PathSafety.absolute(program, from: reading.programDirectory)] + command.dropFirst()
  }

  private static let program = Form<String>.text
    .refusing(
      "the program {} has no file name",
      remedy: "write the name of the executable, such as node, or its path"
    ) { $0.isEmpty || $0.hasSuffix("/") }
    .then { program, _, reading in
      program.contains("/")
        ? PathSafety.absolute(program, from: reading.programDirectory) : program
    }

  private static let status = Form<Int>.whole(0...255)

  private static let exit = Form<[Int]>.choice([
    .scalar(
      "any, or a status from 0 to 255",
      ["anyOf": [["enum": ["any"]], ["type": "integer", "minimum": 0, "maximum": 255]]]
    ) { text, isPlain throws(FormProblem) in
      text == "any" ? [] : [try Int(written: text, in: 0...255, isPlain: isPlain)]
    },
    .list(of: status, each: "the status"),
  ])

  private static let timeout = Form<Nanoseconds>.duration.refusing(
    "the timeout {} leaves no time to start",
    remedy: "allow more time, such as 10s"
  ) { $0 == .zero }

  // MARK: - What is run beside it

  private static let commands = Form<LaunchCommands>.choice([
    shell.map { LaunchCommands(launch: $0) },
    command.map { LaunchCommands(launch: $0) },
    .section(launchCommands, of: LaunchCommands())
      .refusingEmpty("there is no command", besides: "timeout"),
  ])

  /// A text goes to the shell; a list is a program with its arguments, as in `command`.
  private static let sideCommand = Form<[String]>.choice([shell, command])

  private static let shell = Form<String>.text
    .refusing(
      "the command is empty",
      remedy: "write the command, or remove the key",
      id: "empty-value"
    ) { $0.allSatisfy(\.isWhitespace) }
    .map { LaunchCommands.shell + [$0] }
}

// MARK: - Variables

/// The value of a variable of a target.
private enum Variable {
  case text(String)
  case secret(SecretSource)
}

extension ScenarioKeys {
  private static let variables = Form<[(entry: Value.Entry, value: Variable)]>.named(
    variableName,
    .choice([
      Form<String>.text.map { .text($0) }, Form<SecretSource>.oneOf(secret).map { .secret($0) },
    ])
  ).then { variables, _, reading in
    for (entry, variable) in variables {
      if case .secret(let source) = variable { reading.check(source, of: entry) }
    }
    return variables
  }

  private static let variableName = Form<String>.text.refusing(
    "{} cannot be the name of a variable",
    remedy: "use letters, digits and `_`"
  ) { $0.isEmpty || $0.contains("=") || $0.contains("\0") }
}

extension Target {
  fileprivate mutating func set(_ variables: [(entry: Value.Entry, value: Variable)]) {
    for (entry, variable) in variables {
      switch variable {
      case .text(let text): environment[entry.key] = text
      case .secret(let source): secrets = (secrets ?? [:]).merging([entry.key: source]) { $1 }
      }
    }
  }
}

extension Reading {
  /// Reports a variable that launchlab sets itself.
  fileprivate mutating func checkVariable(_ entry: Value.Entry, in target: Value) {
    let setter: String? =
      switch entry.key {
      case "NOTIFY_SOCKET" where target["ready"]?.text == "notify": "`ready: notify`"
      case "LAUNCHLAB_EVENTS": "launchlab"
      default: nil
      }
    if let setter {
      report(
        "contradiction",
        "\(quoted(entry.key)) is set by \(setter)",
        at: entry.place,
        remedy: "remove the variable"
      )
    }
    guard entry.key == "HOME", target["home"] != nil || states.contains(.firstRun) else { return }
    report(
      "contradiction",
      "\"HOME\" contradicts the private home directory",
      at: entry.place,
      remedy: target["home"] == nil
        ? "remove the variable, or the state first-run" : "remove the variable, or `home:`"
    )
  }

  /// Reports a variable without a value, where its value is not in the file and it is going to be launched.
  fileprivate mutating func check(_ secret: SecretSource, of variable: Value.Entry) {
    guard isForLaunch, let place = variable.value.entries.first?.value.place,
      !findings.isReported(at: place)
    else { return }
    do throws(SecretSource.Problem) {
      switch secret {
      case .file(let path): try Self.check(fileAt: path)
      case .variable(let name):
        let environment = ProcessInfo.processInfo.environment
        _ = try SecretSource.value(ofVariable: name, in: environment)
      }
    } catch {
      report(
        "missing-secret",
        "\(quoted(variable.key)) has no value: \(error.reason)",
        at: place,
        remedy: "name a file or a variable that holds the value"
      )
    }
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
}
