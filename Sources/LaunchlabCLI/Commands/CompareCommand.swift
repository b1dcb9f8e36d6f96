import ArgumentParser
import LabAnalysis
import LabModel
import LabReport
import LabWorkflows

extension Launchlab {
  /// Launches two programs in the same blocks, and tells whether one is slower.
  struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Compares two programs, two revisions or two stored runs: is one slower?",
      discussion: """
        Two programs, launched in the same random blocks; each is one argument, split into words \
        like a shell does, but without a shell:
          launchlab compare "perl -e 0" "python3 -c pass"

        Two revisions, built with the source of a scenario:
          launchlab compare --revisions v1.0..HEAD scenario.yml

        Two stored runs, by the beginning of their ids, or by last, last~1 and so on. They are not \
        interleaved, so that many nights must tell how much runs differ by themselves:
          launchlab compare last~1 last

        Exit code 0 means the same or better, 1 a regression, 125 that nothing can be concluded.
        """
    )

    @Argument(
      help: ArgumentHelp(
        "Commands in quotes, two stored runs, or the scenario of --revisions.",
        valueName: "what"
      )
    )
    var what: [String]

    @Option(help: "Build and compare these two <revisions>, such as HEAD~1..HEAD.")
    var revisions: String?

    @Option(
      name: .customLong("state"),
      help: """
        Launch in this <state>: reboot-cold, reinstall-cold, first-run or warm (default: warm, or \
        those of the scenario).
        """,
      completion: .list(LaunchState.allCases.map(\.rawValue))
    )
    var states: [String] = []

    @Option(
      name: .customLong("target"),
      help: "Compare this <target> of the scenario or the runs only."
    )
    var targets: [String] = []

    @Option(
      name: .customLong("metric"),
      help: "Compare this <metric>, such as peak_rss (default: launch).",
      completion: .list(Metric.allCases.map(\.rawValue))
    )
    var metrics: [String] = []

    @Option(
      name: .shortAndLong,
      help: """
        Launch each this <number> of times per state, or <min..max> times until there is a verdict \
        (default: 50, or as the scenario says).
        """
    )
    var launches: String?

    @Option(
      help: "With <min..max> launches, an interval of this half-width is enough (default: 1%)."
    )
    var precision: String?

    @Option(help: "Call what changes by more than this <percentage> different (default: 2%).")
    var effect: String?

    @Option(help: "Be sure of a verdict by this <percentage> (default: 95%).")
    var confidence: String?

    @OptionGroup var launch: LaunchOptions

    @OptionGroup var waiting: WaitOptions

    @Option(help: "Draw the order of the blocks from this <seed>.")
    var seed: UInt64?

    @Option(
      help: "Keep or find launches in this SQLite <file> (default: .launchlab/launchlab.sqlite).",
      completion: .file()
    )
    var store: String?

    @Option(help: "Write the result as JSON to <file>; - means stdout.", completion: .file())
    var json: String?

    func validate() throws {
      if revisions == nil, what.count < 2 {
        throw ValidationError("give two commands in quotes, two stored runs, or --revisions A..B")
      }
      if revisions != nil, let option = launch.firstForCommands {
        throw ValidationError("\(option) is for commands; with --revisions the scenario says it")
      }
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let progress = ProgressDisplay(console: console)
      defer { progress.clear() }
      let answer = try await waiting.patiently(on: console) {
        try await ComparisonCommand(options).run { progress.show($0) }
      }
      progress.clear()
      try CompareOutput(json: json).show(answer, on: console)
      if answer.exitCode != .done { throw ExitCode(answer.exitCode.rawValue) }
    }

    private var options: CompareOptions {
      var options = CompareOptions(
        words: what,
        revisions: revisions,
        launching: launch.measuring(command: [], states: states, launches: 0),
        targets: targets,
        metrics: metrics,
        launches: launches,
        precision: precision,
        effect: effect,
        confidence: confidence,
        seed: seed,
        store: store,
        suppressed: launch.controls.suppression.ids
      )
      options.files = CommandFiles().writing(json, as: "--json")
      return options
    }
  }
}
