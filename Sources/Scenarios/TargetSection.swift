import Foundation
import LaunchCore

/// The keys of a target.
extension ScenarioKeys {
  static let targetSection = Form<Target>.section(
    target,
    of: Target(name: "", command: [], directory: "")
  )
  .then { target, value, reading in
    var target = target
    target.writtenProgram = value["command"]?.elements.first?.text
      .flatMap { $0.contains("/") && !$0.hasPrefix("/") ? $0 : nil }
    if target.directory.isEmpty { target.directory = reading.programDirectory }
    reading.checkFilm(of: target, in: value)
    reading.checkExit(of: target, in: value)
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

  static let conditions: [Field<Readiness?>] =
    outerConditions + [
      Field("mark", mark) {
        "The program makes the launch mark of this name; one made with launch_ready is \"ready\"."
      },
      Field("window", chosenWindow.map { .window($0) }) {
        "One of its windows is mapped: which one, where it is not the first. Menus, tooltips and "
          + "splash screens do not count unless a title or class is given."
      },
      Field("frame", chosenWindow.map { .window($0.waiting(for: .frame)) }) {
        "That window has content: it shows more than its background."
      },
      Field("settled", settled.map { .window($0) }) {
        "That window has content, of which no more than 1 % has changed for this long; the time is "
          + "that of the last change. A map for another window than the first."
      },
    ]

  private static let chosenWindow = Form<WindowCondition>.section(
    windowTraits,
    of: WindowCondition(.window)
  )

  static let windowTraits: [Field<WindowCondition>] = [
    Field("title", windowPattern, \.title) {
      "Its title matches this POSIX extended regular expression."
    },
    Field("class", windowPattern, \.windowClass) {
      "Its class (WM_CLASS, or the app id of Wayland) matches this POSIX extended regular expression."
    },
    Field("nth", .whole(1...1_000), \.number) {
      "Which of those windows it is, in the order in which they are mapped. Default: 1."
    },
  ]

  private static let settled = Form<WindowCondition>.choice([
    quiet.map { WindowCondition(.settled(quiet: $0)) },
    .section(settledWindow, of: WindowCondition(.settled(quiet: WindowCondition.defaultQuiet))),
  ])

  static let settledWindow: [Field<WindowCondition>] =
    [
      Field("for", quiet, summary: "How long it does not change. Default: 300ms.") {
        $0.moment = .settled(quiet: $1)
      }
    ] + windowTraits

  /// Those that a program needs no knowledge of launchlab for.
  static let outerConditions: [Field<Readiness?>] = [
    Field("stdout", pattern(of: .stdout)) {
      "A line of standard output matches this POSIX extended regular expression."
    },
    Field("stderr", pattern(of: .stderr)) {
      "A line of standard error matches this POSIX extended regular expression."
    },
    Field("tcp", endpoint) {
      "A TCP port accepts connections, such as 127.0.0.1:7379."
    },
    Field("unix", socket) {
      "A Unix stream socket accepts connections."
    },
    Field("http", address) {
      "An HTTP GET is answered with a status 2xx."
    },
    Field(
      "file",
      Form<String>.path.then { path, _, reading in .file(path: reading.absolute(path)) }
    ) {
      "A file exists."
    },
  ]

  static let stop: [Field<StopPolicy>] = [
    Field("signal", .signal, \.signal) {
      "The signal sent first, by name or number. Default: TERM."
    },
    Field("grace", .duration, \.grace) {
      "How long the program may take to end before its whole tree is killed. Default: 2s."
    },
    Field("when", .oneOf(outerConditions), \.condition) {
      "What a program that is ready has to do before it is stopped, such as stderr: \"recovery "
        + "done\", for as long as `timeout`. Default: nothing."
    },
    Field("after", Form<Nanoseconds>.duration.map { $0 == .zero ? nil : $0 }, \.after) {
      "How long it goes on after that, for servers that lose a signal while they are still "
        + "starting. Default: 0s."
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

  private static let program = Form<String>.text.then { program, value, reading in
    if program.isEmpty || program.hasSuffix("/") {
      reading.report(
        "invalid-value",
        "the program \(quoted(program)) has no file name",
        at: value.place,
        remedy: "write the name of the executable, such as node, or its path"
      )
    }
    guard program.contains("/") else { return program }
    return PathSafety.absolute(program, from: reading.programDirectory)
  }

  private static let readiness = Form<Readiness>.choice([
    Form<String>.words(["exit", "notify", "mark", "window", "frame", "settled"]).map { word in
      switch word {
      case "notify": .notify
      case "mark": .mark(name: "ready")
      case "window": .window(WindowCondition(.window))
      case "frame": .window(WindowCondition(.frame))
      case "settled":
        .window(WindowCondition(.settled(quiet: WindowCondition.defaultQuiet)))
      default: .exit
      }
    },
    .oneOf(conditions),
  ])

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

  private static let endpoint = Form<Endpoint>.scalar(
    "a host and a port such as 127.0.0.1:7379",
    .string("^(\\[[^\\]]+\\]|[^:\\[\\]]+):[0-9]{1,5}$"),
    Endpoint.init(written:)
  ).map { Readiness.tcp(host: $0.host, port: $0.port) }

  private static let address = Form<WebAddress>.scalar(
    "a URL such as http://127.0.0.1:8080/health",
    .string("^[hH][tT][tT][pP]://"),
    WebAddress.init(written:)
  ).map { Readiness.http(host: $0.endpoint.host, port: $0.endpoint.port, path: $0.path) }

  private static let socket = Form<String>.path.then { written, value, reading -> Readiness? in
    let path = reading.absolute(written)
    if path.utf8.count > 107 {
      reading.report(
        "invalid-value",
        "the socket path \(quoted(path)) is longer than 107 bytes",
        at: value.place,
        remedy: "use a shorter path, because the kernel allows no more"
      )
    }
    return .unix(path: path)
  }

  private static func pattern(of stream: LaunchCore.OutputStream) -> Form<Readiness> {
    pattern("line").map { .output(stream: stream, pattern: $0) }
  }

  private static let windowPattern = pattern("title or class")

  /// A regular expression; the noun is what it matches.
  private static func pattern(_ noun: String) -> Form<String> {
    Form<String>.text.then { pattern, value, reading in
      if pattern.isEmpty {
        reading.report(
          "empty-value",
          "the pattern is empty",
          at: value.place,
          remedy: "write what the \(noun) contains"
        )
      }
      do throws(PatternError) {
        _ = try OutputPattern(pattern)
      } catch {
        reading.report(
          "invalid-value",
          "the pattern \(quoted(pattern)) cannot be used: \(error.problem)",
          at: value.place,
          remedy: error.remedy
        )
      }
      return pattern
    }
  }

  private static let quiet = Form<Nanoseconds>.duration.then { quiet, value, reading in
    if quiet == .zero {
      reading.report(
        "invalid-value",
        "no window can be seen to have settled for \(value.phrase)",
        at: value.place,
        remedy: "wait longer, such as 300ms, or use `frame`"
      )
    }
    return quiet
  }

  /// The file of events has room for this many bytes of the name.
  private static let markLimit = 63

  private static let mark = Form<String>.text.then { name, value, reading -> Readiness? in
    if name.isEmpty {
      reading.report(
        "empty-value",
        "the name of the mark is empty",
        at: value.place,
        remedy: "write the name that the program gives to `launch_mark`"
      )
    } else if name.utf8.count > markLimit {
      reading.report(
        "invalid-value",
        "the name of the mark is longer than \(markLimit) bytes",
        at: value.place,
        remedy: "give the mark a shorter name, in the program too"
      )
    }
    return .mark(name: name)
  }

  private static let timeout = Form<Nanoseconds>.duration.then { timeout, value, reading in
    if timeout == .zero {
      reading.report(
        "invalid-value",
        "the timeout \(value.phrase) leaves no time to start",
        at: value.place,
        remedy: "allow more time, such as 10s"
      )
    }
    return timeout
  }

  // MARK: - What is run beside it

  private static let commands = Form<LaunchCommands>.choice([
    shell.map { LaunchCommands(launch: $0) },
    command.map { LaunchCommands(launch: $0) },
    .section(launchCommands, of: LaunchCommands()).then { commands, value, reading in
      if !value.entries.contains(where: { $0.key != "timeout" }) {
        let moments = LaunchCommands.Moment.allCases.map(\.rawValue).joined(separator: ", ")
        reading.report(
          "empty-value",
          "there is no command",
          at: value.place,
          remedy: "give at least one of \(moments)"
        )
      }
      return commands
    },
  ])

  /// A text goes to the shell; a list is a program with its arguments, as in `command`.
  private static let sideCommand = Form<[String]>.choice([shell, command])

  private static let shell = Form<String>.text.then { text, value, reading in
    if text.allSatisfy(\.isWhitespace) {
      reading.report(
        "empty-value",
        "the command is empty",
        at: value.place,
        remedy: "write the command, or remove the key"
      )
    }
    return LaunchCommands.shell + [text]
  }
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

  private static let variableName = Form<String>.text.then { name, value, reading in
    if name.isEmpty || name.contains("=") || name.contains("\0") {
      reading.report(
        "invalid-value",
        "\(quoted(name)) cannot be the name of a variable",
        at: value.place,
        remedy: "use letters, digits and `_`"
      )
    }
    return name
  }
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

  /// Reports statuses of launches that do not wait for one.
  fileprivate mutating func checkExit(of target: Target, in value: Value) {
    guard target.ready != .exit, let exit = value["exit"] else { return }
    report(
      "contradiction",
      "launches wait for another condition than the end of the program, whose status is not looked at",
      at: exit.place,
      remedy: "remove the statuses, or write `ready: exit`"
    )
  }

  /// Reports a film of launches that are over before all is there.
  fileprivate mutating func checkFilm(of target: Target, in value: Value) {
    guard target.isFilmed == true, !target.waitsUntilSettled, let film = value["film"] else {
      return
    }
    report(
      "contradiction",
      "a film goes on until the window has settled, which launches do not wait for",
      at: film.place,
      remedy: "write `ready: settled`, or remove `film`"
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
