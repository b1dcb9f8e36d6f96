import ArgumentParser
import LabAnalysis
import LabModel
import LabReport
import LabWorkflows

extension Launchlab {
  /// Launches a program against itself, and tells what this host can tell apart.
  struct SelfTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "selftest",
      abstract: "Launches a program against itself: how small an effect can this host detect?",
      discussion: """
        One program is launched as A and as B in the same random blocks, as a comparison would do. \
        The result is the smallest effect that is detected in 80 of 100 comparisons, per state and \
        number of pairs, and how often A and B were called different, which is a false alarm. The \
        shorter a program, the larger is the share of noise: test with one like yours.

        With the program `true`, in every state this host can bring about:
          launchlab selftest

        With a program and the controls of your scenarios:
          launchlab selftest --launches 100 --state warm -- node -e 0

        Which of several hosts is the most stable one, from what each has written:
          launchlab selftest --json $(hostname).json
          launchlab selftest --compare host1.json host2.json

        Whether installed programs do the same with the probe of `launchlab stages` as without:
          launchlab selftest --probe /usr/bin /usr/sbin

        Exit code 125 means that A and B were called different, or that there were too few pairs.
        """
    )

    @Option(
      name: .customLong("state"),
      help: """
        Launch in this <state>: reboot-cold, reinstall-cold, first-run or warm (default: all but \
        first-run that this host can bring about).
        """,
      completion: .list(LaunchState.allCases.map(\.rawValue))
    )
    var states: [String] = []

    @Option(name: .shortAndLong, help: "Launch A and B this <number> of times each per state.")
    var launches = 60

    @OptionGroup var target: TargetOptions

    @OptionGroup var waiting: WaitOptions

    @Option(help: "Draw the order of the blocks from this <seed>.")
    var seed: UInt64?

    @Option(
      help: """
        Keep the launches and the noise in this SQLite <file> (default: \
        launchlab/launchlab.sqlite in $XDG_STATE_HOME or ~/.local/state).
        """,
      completion: .file()
    )
    var store: String?

    @Option(help: "Write the result as JSON to <file>; - means stdout.", completion: .file())
    var json: String?

    @Option(
      parsing: .upToNextOption,
      help: "Launch nothing, and rank the hosts that wrote these <files> with --json.",
      completion: .file(extensions: ["json"])
    )
    var compare: [String] = []

    @Option(
      parsing: .upToNextOption,
      help: """
        Measure nothing: run every program in these <directories> with --version or --help, with \
        the probe and without it, and exit with 1 if the probe makes a difference.
        """,
      completion: .directory
    )
    var probe: [String] = []

    func validate() throws {
      if launches < 5 {
        throw ValidationError("--launches must be at least 5, not \(launches): fewer say nothing")
      }
      if !probe.isEmpty,
        !states.isEmpty || !target.command.isEmpty || seed != nil || store != nil
          || !compare.isEmpty
      {
        throw ValidationError("--probe takes no command; of the other options it takes --json")
      }
      if !compare.isEmpty,
        !states.isEmpty || !target.command.isEmpty || seed != nil || store != nil
          || waiting.wait != nil
      {
        throw ValidationError(
          "--compare reads files and launches nothing; of the other options it takes --json"
        )
      }
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      guard compare.isEmpty else { return try rank(on: console) }
      guard probe.isEmpty else { return try await sweep(on: console) }
      var options = target.measuring(states: states, launches: launches)
      options.states = states
      let request = try SelfTestRequest(options: options, store: store, seed: seed)
      try request.files.writing(json, as: "--json").check()
      let progress = ProgressDisplay(console: console)
      defer { progress.clear() }
      let summary = try await waiting.patiently(on: console) {
        try await SelfTestWorkflow(request: request).run { progress.show($0) }
      }
      progress.clear()
      try show(summary, on: console)
      if summary.exitCode != .done { throw ExitCode(summary.exitCode.rawValue) }
    }

    /// Shows the text first, so that a file that cannot be written does not hide the result.
    private func show(_ summary: SelfTestSummary, on console: Console) throws {
      if json != "-" {
        try console.write(SelfTestText(summary, style: console.resultStyle).rendered())
      }
      console.show(summary.run.warnings)
      if let json { try ResultFile(json).write { try SelfTestJSON(summary).write(to: $0) } }
    }

    private func sweep(on console: Console) async throws {
      try CommandFiles().writing(json, as: "--json").check()
      let workflow = try ProbeSweepWorkflow(directories: probe)
      let progress = ProgressDisplay(console: console)
      defer { progress.clear() }
      let result = try await waiting.patiently(on: console) {
        try await workflow.run { program, number, count in
          progress.show(program: program, number, of: count)
        }
      }
      progress.clear()
      if json != "-" {
        let text = ProbeSweepText(result.programs, style: console.resultStyle)
        try console.write(text.rendered())
      }
      for note in result.notes { console.note("note: \(note)") }
      if let json {
        try ResultFile(json).write {
          try ProbeSweepJSON(result.programs, notes: result.notes).write(to: $0)
        }
      }
      if result.programs.contains(where: { $0.verdict == .differsWithProbe }) {
        throw ExitCode(LabExitCode.regression.rawValue)
      }
    }

    private func rank(on console: Console) throws {
      try compare.reduce(CommandFiles()) { $0.reading($1, as: "--compare") }
        .writing(json, as: "--json").check()
      let rankings = try StabilityWorkflow(paths: compare).rankings()
      if json != "-" {
        try console.write(StabilityText(rankings, style: console.resultStyle).rendered())
      }
      if let json { try ResultFile(json).write { try StabilityJSON(rankings).write(to: $0) } }
      if rankings.contains(where: { !$0.unranked.isEmpty }) {
        throw ExitCode(LabExitCode.inconclusive.rawValue)
      }
    }
  }
}
