import LaunchCore

/// The keys of when a program is ready, and of how it is stopped then.
extension ScenarioKeys {
  static let readiness = Form<Readiness>.choice([
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
    Field("file", Form<String>.absolute.map { .file(path: $0) }) {
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
}

// MARK: - Values

extension ScenarioKeys {
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

  private static let socket = Form<String>.absolute.then { path, value, reading -> Readiness? in
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
    Form<String>.text
      .refusing(
        "the pattern is empty",
        remedy: "write what the \(noun) contains",
        id: "empty-value"
      ) { $0.isEmpty }
      .then { pattern, value, reading in
        _ = reading.compiled(pattern, at: value.place, OutputPattern.init)
        return pattern
      }
  }

  private static let quiet = Form<Nanoseconds>.duration.refusing(
    "no window can be seen to have settled for {}",
    remedy: "wait longer, such as 300ms, or use `frame`"
  ) { $0 == .zero }

  /// The file of events has room for this many bytes of the name.
  private static let markLimit = 63

  private static let mark = Form<String>.text
    .refusing(
      "the name of the mark is empty",
      remedy: "write the name that the program gives to `launch_mark`",
      id: "empty-value"
    ) { $0.isEmpty }
    .refusing(
      "the name of the mark is longer than \(markLimit) bytes",
      remedy: "give the mark a shorter name, in the program too"
    ) { $0.utf8.count > markLimit }
    .map { Readiness.mark(name: $0) }
}
