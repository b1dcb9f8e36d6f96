import ArgumentParser
import LaunchCore
import Measuring
import Rendering
import Stages

extension Launchlab {
  /// Splits launches of a command into stages, or reads the stages that a program printed.
  struct Stages: AsyncParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
      commandName: "stages",
      abstract: "Break a launch into stages, like dyld statistics, for Linux programs.",
      discussion: """
        Any unmodified program, launched once:
          launchlab stages -- node -e 0

        Medians of ten launches after a reinstall, with the overhead of the probe:
          launchlab stages --launches 10 --state reinstall-cold -- git --version

        A log with statistics of dyld, glibc, Go, Python and others:
          launchlab stages --parse app.log
        """
    )

    @Option(name: .shortAndLong, help: .init("Number of launches.", valueName: "number"))
    var launches = 1

    @Option(
      help: .init(
        "Launch state: reboot-cold, reinstall-cold, first-run or warm.",
        valueName: "state"
      ),
      completion: .list(LaunchState.allCases.map(\.rawValue))
    )
    var state = LaunchState.warm.rawValue

    @Option(
      help: .init(
        """
        How stages are collected: auto (the probe, the start-up log of Python, Node, Java or Go, \
        and as root what main to ready is spent on), probe, breakpoints, statistics, text or marks; repeatable (default: probe, or \
        breakpoints where the probe cannot be used).
        """,
        valueName: "collector"
      )
    )
    var collect: [StageCollector] = []

    @Flag(help: "Hide LD_AUDIT from the program. Programs that it executes are not followed.")
    var probeHidden = false

    @OptionGroup var target: TargetOptions

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var output: StagesOutputOptions

    @OptionGroup var text: LoaderLogOptionGroup

    func validate() throws {
      if text.parse == nil, target.command.isEmpty {
        throw ValidationError("missing the command; try `launchlab stages perl -e 0`")
      }
      if text.parse != nil, !target.command.isEmpty {
        throw ValidationError("--parse takes no command")
      }
      if text.parse == nil, let option = text.optionsOfParse.first {
        throw ValidationError("\(option) needs --parse")
      }
      if text.parse != nil, output.isForLaunches || isForLaunches {
        throw ValidationError(
          "options of launches cannot be used with --parse"
        )
      }
    }

    /// Whether an option is given that only launches have.
    private var isForLaunches: Bool {
      launches != 1 || state != LaunchState.warm.rawValue || !collect.isEmpty || probeHidden
        || waiting.wait != nil
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      if let file = text.parse {
        try output.check(CommandFiles().reading(file, as: "--parse"))
        return try text.read(file, json: output.json, on: console)
      }
      var options = target.measuring(states: [state], launches: launches)
      options.stages = plan
      let progress = ProgressDisplay(console: console)
      defer { progress.clear() }
      let isLong = launches > 1
      let context = WorkflowContext.live.telling { if isLong { progress.show($0) } }
      let workflow = try StagesWorkflow(options: options, in: context)
      try output.check(workflow.files)
      let result = try await waiting.patiently(on: console) { try await workflow.run() }
      progress.clear()
      try output.show(result, command: target.command, on: console)
      let code = result.summary.exitCode
      if code != .done { throw ExitCode(code.rawValue) }
    }

    private var plan: StagePlan {
      StagePlan(
        collectors: collect.isEmpty ? [.probe] : collect,
        launches: launches,
        isProbeHidden: probeHidden,
        patterns: text.pattern
      )
    }
  }
}

extension StageCollector: ExpressibleByArgument {}

/// How `stages --parse` reads a text.
struct LoaderLogOptionGroup: ParsableArguments {
  @Option(file: "Read stages from a log; - is stdin.") var parse: String?

  @Flag(help: "Fail on lines that no loader prints and on incomplete blocks.")
  var strict = false

  @Option(
    help: .init("Version of the glibc that wrote the log, such as 2.36.", valueName: "version")
  )
  var glibc: String?

  @Option(help: .init("Frequency of the cycles in the log, in hertz.", valueName: "hertz"))
  var cyclesPerSecond: Double?

  @Option(
    help: .init(
      "Regular expression that finds stages, with the groups stage, value and unit; repeatable.",
      valueName: "regex"
    )
  )
  var pattern: [String] = []

  /// The options given that mean nothing without a text to read.
  var optionsOfParse: [String] {
    [
      strict ? "--strict" : nil, glibc == nil ? nil : "--glibc",
      cyclesPerSecond == nil ? nil : "--cycles-per-second",
    ].compactMap(\.self)
  }

  /// Reads the text, and shows what it says of stages; ends with its exit code.
  func read(_ path: String, json: String?, on console: Console) throws {
    let workflow = try LoaderLogWorkflow(
      path: path,
      isStrict: strict,
      glibc: glibc,
      cyclesPerSecond: cyclesPerSecond,
      patterns: pattern
    )
    let result = try workflow.run()
    if json != "-" {
      let text = LoaderLogText(result, includesDiagnostics: false)
      try console.write(text.rendered(style: console.resultStyle))
    }
    console.show(result.diagnostics)
    if let json { try ResultFile(json).write(LoaderLogJSON(result)) }
    let code = workflow.exitCode(of: result)
    if code != .done { throw ExitCode(code.rawValue) }
  }
}

/// Where the result of `stages` goes.
struct StagesOutputOptions: ParsableArguments {
  @Flag(help: "Show all libraries and initializers, not only the slowest.")
  var all = false

  @Option(file: "Write the result as JSON; - is stdout.") var json: String?

  @Option(
    help: .init(
      "Write the stages as a trace for Perfetto, speedscope and the Firefox Profiler.",
      valueName: "file"
    ),
    completion: .file()
  )
  var trace: [String] = []

  /// Whether an option is given that only launches have.
  var isForLaunches: Bool { all || !trace.isEmpty }

  private var usesStdout: Bool { json == "-" || trace.contains("-") }

  func validate() throws {
    guard trace.count(where: { $0 == "-" }) + (json == "-" ? 1 : 0) > 1 else { return }
    throw ValidationError("only one of --json and --trace can use stdout")
  }

  /// Compares the files that are written with each other and with those of the launches.
  func check(_ files: CommandFiles) throws {
    try trace.reduce(files.writing(json, as: "--json")) { $0.writing($1, as: "--trace") }.check()
  }

  /// Shows the text first, so that a file that cannot be written does not hide the result.
  func show(_ result: StagesResult, command: [String], on console: Console) throws {
    let summaries = result.arms.flatMap(\.stages)
    if !usesStdout {
      for (index, summary) in summaries.enumerated() {
        let text = StagesText(
          summary,
          command: command,
          style: console.resultStyle,
          showsAll: all
        )
        try console.write((index > 0 ? "\n" : "") + text.rendered())
      }
      // Every collector sees the same pages come in.
      if let pageIns = result.arms.compactMap(\.pageIns).first {
        let lines = PageInText(pageIns, showsAll: all).lines(style: console.resultStyle)
        try console.write(([""] + lines).joinedLines(console.resultStyle))
      }
    }
    console.show(result.summary.warnings)
    for note in result.notes { console.note("note: \(note)") }
    let launches = result.launches.map(\.stages)
    for file in trace {
      try ResultFile(file).write(ChromeTrace(launches, command: command))
    }
    if let json {
      try ResultFile(json).write(
        StagesJSON(command: command, launches: launches, summaries: summaries)
      )
    }
  }
}
