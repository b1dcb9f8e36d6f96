import ArgumentParser
import Comparison
import LaunchCore
import Measuring

extension Launchlab {
  /// Launches two programs in the same blocks, and tells whether one is slower.
  struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "compare",
      abstract: "Compare two programs, two revisions or two stored runs.",
      discussion: """
        Two programs, interleaved in random order. Each is one argument, split into words like in \
        a shell, but run without one:
          launchlab compare "perl -e 0" "python3 -c pass"

        Two revisions, built from the source of a scenario:
          launchlab compare --revisions v1.0..HEAD scenario.yml

        Two stored runs, by the start of their ids, or last, last~1 and so on. They were not \
        interleaved, so the scatter between many earlier runs decides whether they differ:
          launchlab compare last~1 last

        Exit codes: 0 the same or faster, 1 slower, 125 inconclusive.
        """
    )

    @Argument(
      help: ArgumentHelp(
        "Commands in quotes, two stored runs, or the scenario of --revisions.",
        valueName: "what"
      )
    )
    var what: [String] = []

    @OptionGroup var scenario: ScenarioOption

    @Option(
      help: .init("Build and compare two revisions, such as HEAD~1..HEAD.", valueName: "a..b")
    )
    var revisions: String?

    @Option(
      name: .customLong("state"),
      help: .init(
        """
        Launch state: reboot-cold, reinstall-cold, first-run or warm; repeatable (default: \
        warm, or those of the scenario).
        """,
        valueName: "state"
      ),
      completion: .list(LaunchState.allCases.map(\.rawValue))
    )
    var states: [String] = []

    @Option(
      name: .customLong("target"),
      help: .init("Compare only this target; repeatable.", valueName: "name")
    )
    var targets: [String] = []

    @Option(
      name: .customLong("metric"),
      help: .init(
        "Metric to compare, such as peak_rss; repeatable (default: launch).",
        valueName: "metric"
      ),
      completion: .list(Metric.judged.map(\.rawValue))
    )
    var metrics: [String] = []

    @Option(
      name: .shortAndLong,
      help: .init(
        """
        Launches of each per state: a number, or min..max to stop as soon as there is a \
        verdict (default: as many as a verdict takes, or as in the scenario).
        """,
        valueName: "number"
      )
    )
    var launches: String?

    @Option(
      help: .init(
        "Stop without a verdict after this time, such as 2m (default: 30s).",
        valueName: "duration"
      )
    )
    var maxTime: String?

    @Option(
      help: .init(
        """
        With --launches min..max, also stop when the interval is this narrow, as its \
        half-width (default: 1%).
        """,
        valueName: "percentage"
      )
    )
    var precision: String?

    @Option(help: .init("Smallest difference that matters (default: 2%).", valueName: "percentage"))
    var effect: String?

    @Option(help: .init("Confidence level of the verdict (default: 95%).", valueName: "percentage"))
    var confidence: String?

    @Option(
      help: .init(
        """
        How many more launches may be slow for A and B to be the same; off judges only the typical \
        launch (default: 10%).
        """,
        valueName: "percentage|off"
      )
    )
    var tail: String?

    @OptionGroup var launch: LaunchOptions

    @OptionGroup var waiting: WaitOptions

    @Option(help: .init("Seed for the random order of launches.", valueName: "seed"))
    var seed: UInt64?

    @Option(file: "SQLite database that keeps the launches (default: .launchlab/launchlab.sqlite).")
    var store: String?

    @Option(file: "Write the result as JSON; - is stdout.") var json: String?

    @Option(file: "Write the result as Markdown, for a comment on a pull request; - is stdout.")
    var markdown: String?

    @Option(file: "Write the result in hyperfine's JSON format.") var exportHyperfine: String?

    @Flag(name: .shortAndLong, help: "Also draw how the launches of both sides are distributed.")
    var verbose = false

    func validate() throws {
      if [json, markdown, exportHyperfine].count(where: { $0 == "-" }) > 1 {
        throw ValidationError(
          "only one of --json, --markdown and --export-hyperfine can use stdout"
        )
      }
      if exportHyperfine != nil, revisions == nil, what.contains(where: StoredRuns.isName) {
        throw ValidationError("--export-hyperfine needs launches, not stored runs")
      }
      if revisions == nil, what.count < 2 {
        throw ValidationError(
          "missing something to compare; try `launchlab compare \"perl -e 0\" \"python3 -c 0\"`"
        )
      }
      if revisions == nil, scenario.file != nil {
        throw ValidationError("--scenario needs --revisions")
      }
      if what.count < 2 { _ = try scenario.only(what.first) }
      if revisions != nil, let option = launch.firstForCommands {
        throw ValidationError("\(option) cannot be used with --revisions; set it in the scenario")
      }
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let progress = ProgressDisplay(console: console)
      defer { progress.clear() }
      let answer = try await waiting.patiently(on: console) {
        try await ComparisonCommand(options, in: .live.telling { progress.show($0) }).run()
      }
      progress.clear()
      let output = CompareOutput(
        json: json,
        markdown: markdown,
        exportHyperfine: exportHyperfine,
        isVerbose: verbose
      )
      try output.show(answer, on: console)
      if answer.exitCode != .done { throw ExitCode(answer.exitCode.rawValue) }
    }

    private var options: CompareOptions {
      var options = CompareOptions(
        words: what.isEmpty ? [scenario.file ?? "scenario.yml"] : what,
        revisions: revisions,
        launching: launch.measuring(command: [], states: states, launches: 0),
        targets: targets,
        metrics: metrics,
        launches: launches,
        maxTime: maxTime,
        precision: precision,
        effect: effect,
        confidence: confidence,
        seed: seed,
        store: store,
        suppressed: launch.controls.suppression.ids
      )
      options.tail = tail
      options.readsLaunches = verbose || markdown != nil
      options.files = CommandFiles().writing(json, as: "--json")
        .writing(markdown, as: "--markdown").writing(exportHyperfine, as: "--export-hyperfine")
      return options
    }
  }
}

/// Where the result of `compare` goes.
struct CompareOutput {
  /// The file for JSON; `-` means stdout, and nil none.
  let json: String?

  /// The file for Markdown, likewise.
  let markdown: String?

  /// The file for hyperfine's format, likewise.
  let exportHyperfine: String?

  /// Whether the text shows how launches are distributed.
  let isVerbose: Bool

  /// Shows the text first, so that a file that cannot be written does not hide the result.
  func show(_ answer: ComparisonCommand.Answer, on console: Console) throws {
    let text: ComparisonText
    let document: ComparisonJSON
    let warnings: [Diagnostic]
    switch answer {
    case .interleaved(let summary):
      text = ComparisonText(summary, style: console.resultStyle, isVerbose: isVerbose)
      document = ComparisonJSON(summary)
      warnings = summary.run.warnings
    case .stored(let comparison):
      text = ComparisonText(comparison, style: console.resultStyle, isVerbose: isVerbose)
      document = ComparisonJSON(comparison)
      warnings = comparison.warnings
    }
    if ![json, markdown, exportHyperfine].contains("-") { try console.write(text.rendered()) }
    console.show(warnings)
    if let markdown { try ResultFile(markdown).write { try $0(text.markdown()) } }
    if let exportHyperfine, case .interleaved(let summary) = answer {
      try ResultFile(exportHyperfine).write(HyperfineJSON(summary.run))
    }
    if let json { try ResultFile(json).write(document) }
  }
}
