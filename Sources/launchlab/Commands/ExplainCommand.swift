import ArgumentParser
import Bisection
import Comparison
import Explanation
import History
import LaunchCore
import LaunchHost
import Measuring

extension Launchlab {
  /// Says where the time of a launch goes, or why one program launches more slowly than another.
  struct Explain: AsyncParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
      commandName: "explain",
      abstract: "Explain where a launch spends its time, or why one is slower than another.",
      discussion: """
        Where the launch of one program spends its time, by function, file, wait and process:
          launchlab explain -- python3 -c pass

        Why some launches of one program take longer than the others, as by a lock, a missed \
        cache, a time-out or a retry:
          launchlab explain --slow -- ./app

        Why the second of two programs is slower. Each is one argument, split into words like in \
        a shell, but run without one:
          launchlab explain "./jq-old -n 1" "./jq-new -n 1"

        Why a revision is slower, built from the source of a scenario:
          launchlab explain --revisions v1.0..HEAD scenario.yml

        Why what nights or a bisection found is slower, from the builds that are kept. That of an \
        alert is also kept with it:
          launchlab explain --alert R-17
          launchlab explain --bisect last
          launchlab explain 20261120T0200 20261121T0200

        Launches of the last ten explanations are kept, as far as they take no more than 1 GiB. \
        Resume one that was interrupted, give it more time, or show one that has ended again, \
        such as for other files:
          launchlab explain --resume last
          launchlab explain --resume last --time 5m
          launchlab explain --resume last --svg why.svg

        Launches are traced and sampled beside plain ones, whose times the first line has. What \
        is named was found again in launches made after it was named. As root, or with the \
        capabilities CAP_BPF and CAP_PERFMON, the kernel records launches; without them they are \
        traced by ptrace.

        Exit codes: 0 explained, or no difference, or no slow launches; 125 a difference that is \
        not explained, or too few launches; 128 launches cannot be traced here.
        """
    )

    @Argument(
      help: ArgumentHelp(
        "The first of two commands in quotes or of two nights, or the scenario of --revisions.",
        valueName: "a"
      )
    )
    var first: String?

    @Argument(help: ArgumentHelp("The second command, in quotes, or night.", valueName: "b"))
    var second: String?

    @OptionGroup var scenario: ScenarioOption

    /// What comes before --.
    private var what: [String] {
      let words = [first, second, scenario.file].compactMap(\.self)
      return words.isEmpty && revisions != nil ? ["scenario.yml"] : words
    }

    @Flag(
      help: "Explain why some launches of one program are slow, if there are two kinds of launches."
    )
    var slow = false

    @Option(
      help: .init("Build and compare two revisions, such as HEAD~1..HEAD.", valueName: "a..b")
    )
    var revisions: String?

    @Option(help: .init("Explain an alert, such as R-17.", valueName: "alert"))
    var alert: String?

    @Option(
      help: .init(
        "Explain the culprit of this bisection; \"last\" is the newest one.",
        valueName: "id"
      )
    )
    var bisect: String?

    @Option(
      help: .init(
        "Go on with this explanation, or show it again; \"last\" is the newest one.",
        valueName: "id"
      )
    )
    var resume: String?

    @Option(
      file: """
        SQLite database of alerts, bisections and nights, beside which launches are kept (default: \
        .launchlab/launchlab.sqlite).
        """
    )
    var store: String?

    @Option(
      name: .customLong("target"),
      help: .init("The target of the scenario, if it has several.", valueName: "name")
    )
    var target: String?

    @Option(
      help: .init(
        "Launch state: reboot-cold, reinstall-cold, first-run or warm.",
        valueName: "state"
      ),
      completion: .list(LaunchState.allCases.map(\.rawValue))
    )
    var state: LaunchState = .warm

    @Option(
      name: .shortAndLong,
      help: .init(
        """
        Launches of each kind: plain, traced and sampled (default: 10 of one program; of two as \
        many as it takes, at most 64; with --slow 80, or more until 16 are slow).
        """,
        valueName: "number"
      )
    )
    var launches: Int?

    @Option(
      help: .init(
        "Time for the launches of two programs, such as 2m (default: 60s; with --slow 120s).",
        valueName: "duration"
      )
    )
    var time: String?

    @Flag(
      inversion: .prefixedNo,
      help: """
        Count the instructions and calls of each function of two programs by valgrind (default: \
        where that can say more, in a third of the time at most).
        """
    )
    var callgrind: Bool?

    @Option(
      help: .init(
        "What records launches: bpf, ptrace, or auto for the better one that works.",
        valueName: "name"
      ),
      completion: .list(["auto"] + TimelineCollector.allCases.map(\.rawValue))
    )
    var collector = "auto"

    @OptionGroup var launch: TargetOptions

    @OptionGroup var waiting: WaitOptions

    @Option(help: .init("Seed for the random order of launches.", valueName: "seed"))
    var seed: UInt64?

    @OptionGroup var output: ExplainOutputOptions

    static func isArgument(_ word: String, in words: TypedWords) -> Bool {
      let modes = ["--revisions", "--alert", "--bisect", "--resume"]
      if modes.contains(where: words.has) || word.namesYAML || StoredRuns.isName(word)
        || !words.arguments.isEmpty
      {
        return true
      }
      if words.has("--slow") { return false }
      // Two words are two commands, unless the second can only be an argument.
      guard let next = words.rest.first, !next.hasPrefix("-") else { return false }
      let after = words.rest.dropFirst().first
      guard after?.hasPrefix("-") ?? true else { return false }
      return next.contains(" ") || next.namesProgram
        || !next.namesFile && after.map(words.knows) ?? true
    }

    func validate() throws {
      let asked = [
        ("--revisions", revisions), ("--alert", alert), ("--bisect", bisect),
        ("--resume", resume),
      ].filter { $0.1 != nil }.map(\.0)
      if scenario.file != nil, revisions == nil {
        throw ValidationError("--scenario needs --revisions")
      }
      if !launch.command.isEmpty, !what.isEmpty || !asked.isEmpty {
        throw ValidationError("give one command after --, or two in quotes, not both")
      }
      if asked.count > 1 {
        throw ValidationError("\(asked[0]) and \(asked[1]) cannot be used together")
      }
      if let option = asked.first, option != "--revisions" {
        if !what.isEmpty {
          throw ValidationError("\(option) says what is explained; give no \(what[0])")
        }
        if target != nil { throw ValidationError("--target cannot be used with \(option)") }
        if resume != nil, let useless = givenForLaunches {
          throw ValidationError("\(useless) cannot be used with --resume")
        }
      } else if launch.command.isEmpty, what.count != (revisions == nil ? 2 : 1) {
        throw ValidationError(
          revisions == nil
            ? "missing what to explain; try `launchlab explain perl -e 0`"
            : "--revisions needs one scenario file"
        )
      }
      if let asked = asked.first ?? (areNights ? "nights" : nil),
        let option = launch.launch.firstForCommands
      {
        let remedy = asked == "--resume" ? "" : "; set it in the scenario"
        throw ValidationError("\(option) cannot be used with \(asked)\(remedy)")
      }
      if let first, let second, asked.isEmpty, !areNights, first.namesProgram,
        !second.contains(" "), !second.namesProgram
      {
        throw ValidationError(
          "\"\(second)\" is no program; try "
            + "`launchlab explain -- \(first.shellWord) \(second.shellWord)` if it is an argument"
        )
      }
      if target != nil, revisions == nil, !areNights {
        throw ValidationError("--target needs --revisions or two nights")
      }
      if slow, launch.command.isEmpty {
        throw ValidationError(
          "--slow needs one command; try `launchlab explain --slow -- perl -e 0`"
        )
      }
      if collector != "auto", TimelineCollector(rawValue: collector) == nil {
        throw ValidationError("--collector is \"\(collector)\"; expected auto, bpf or ptrace")
      }
    }

    /// The first option that says how launches are made, which a log says instead.
    private var givenForLaunches: String? {
      [
        ("--launches", launches != nil), ("--seed", seed != nil), ("--state", state != .warm),
        ("--collector", collector != "auto"), ("--slow", slow),
        (callgrind == true ? "--callgrind" : "--no-callgrind", callgrind != nil),
        ("--suppress", !launch.controls.suppression.ids.isEmpty),
      ].first(where: \.1)?.0
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let progress = ProgressDisplay(console: console)
      defer { progress.clear() }
      let context = WorkflowContext.live.telling { progress.show($0) }
      let (result, alert) = try await waiting.patiently(on: console) {
        var (workflow, request) = try await self.asked(in: context)
        workflow.comparesStages = true
        return (try await workflow.run(), request.alert)
      }
      progress.clear()
      try output.show(result, on: console)
      if let alert { try StoredPrograms(options, in: context).keep(result, ofAlert: alert) }
      if result.exitCode != .done { throw ExitCode(result.exitCode.rawValue) }
    }

    /// Whether what comes before -- are two nights.
    private var areNights: Bool {
      revisions == nil && what.count == 2 && what.allSatisfy(StoredRuns.isName)
    }

    /// What is launched, and what launches it.
    private func asked(
      in context: WorkflowContext
    ) async throws -> (ExplainWorkflow, ExplainRequest) {
      if let resume { return try options.resuming(resume, in: context) }
      let stored = StoredPrograms(options, in: context)
      let request =
        if let alert {
          try await stored.request(ofAlert: alert)
        } else if let bisect {
          try StoredCulprit(options, in: context).request(ofBisection: bisect)
        } else if areNights {
          try await stored.request(ofRuns: what)
        } else {
          try await options.request(in: context)
        }
      let location = try options.location(beside: request.scenario.directory)
      return (ExplainWorkflow(request, in: context, from: .kept(location)), request)
    }

    private var options: ExplainOptions {
      var comparison = CompareOptions(
        words: what,
        revisions: revisions,
        launching: launch.measuring(states: [state.rawValue], launches: 1),
        targets: target.map { [$0] } ?? [],
        seed: seed,
        store: store,
        suppressed: launch.controls.suppression.ids
      )
      comparison.files = output.files
      var options = ExplainOptions(
        command: launch.command,
        comparison: comparison,
        state: state,
        launches: launches,
        time: time,
        countsInstructions: callgrind
      )
      options.collector = collector
      options.slow = slow
      return options
    }
  }
}

extension LaunchState: ExpressibleByArgument {}

/// Where the result of `explain` goes.
struct ExplainOutputOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Show the whole tree, and what was not confirmed.")
  var verbose = false

  @Option(file: "Write the result as JSON; - is stdout.") var json: String?

  @Option(file: "Write the result as Markdown; - is stdout.") var markdown: String?

  @Option(file: "Write a flame graph as SVG; of two programs a differential one.") var svg: String?

  @Option(
    help: .init(
      """
      Write a traced and a sampled launch of each program, and mean times by function, as a trace \
      for Perfetto, speedscope and the Firefox Profiler.
      """,
      valueName: "file"
    ),
    completion: .file()
  )
  var trace: [String] = []

  private var places: [(option: String, file: String?)] {
    let results: [(option: String, file: String?)] = [
      ("--json", json), ("--markdown", markdown), ("--svg", svg),
    ]
    let traces: [(option: String, file: String?)] = trace.map { ("--trace", $0) }
    return results + traces
  }

  var files: CommandFiles {
    places.reduce(CommandFiles()) { $0.writing($1.file, as: $1.option) }
  }

  func validate() throws {
    guard places.count(where: { $0.file == "-" }) > 1 else { return }
    throw ValidationError("only one of --json, --markdown, --svg and --trace can use stdout")
  }

  /// Shows the text first, so that a file that cannot be written does not hide the result.
  func show(_ result: ExplanationResult, on console: Console) throws {
    var result = result
    result.files = places.compactMap(\.file).filter { $0 != "-" }
    let text = ExplanationText(result, style: console.resultStyle, isVerbose: verbose)
    if !places.contains(where: { $0.file == "-" }) { try console.write(text.rendered()) }
    console.show(result.diagnostics)
    if let markdown {
      try ResultFile(markdown).write { try $0(ExplanationMarkdown(result).rendered()) }
    }
    if let svg { try ResultFile(svg).write { try $0(FlameGraph(result).svg()) } }
    for file in trace {
      try ResultFile(file).write(ExplanationTrace(result))
    }
    if let json { try ResultFile(json).write(ExplanationJSON(result)) }
  }
}
