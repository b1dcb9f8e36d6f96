import ArgumentParser
import LabChecks
import LaunchCore
import Measuring

extension Launchlab {
  /// Launches a program against itself, and tells what this host can tell apart.
  struct SelfTest: AsyncParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
      commandName: "selftest",
      abstract: "Launch a program against itself to find the smallest detectable effect.",
      discussion: """
        The same program is launched as A and as B, interleaved in random order as in a \
        comparison. The result is the smallest effect detected in 80 of 100 comparisons, per \
        state and number of pairs, and the rate of false alarms. The shorter a program runs, the \
        larger its relative noise, so test with one like yours.

        With the program `true`, in the states reinstall-cold and warm:
          launchlab selftest

        With the program and controls of your scenarios:
          launchlab selftest --launches 100 --state warm -- node -e 0

        Which of several hosts is the quietest:
          launchlab selftest --json $(hostname).json
          launchlab selftest --compare host1.json host2.json

        Whether installed programs behave the same with the probe of `launchlab stages`:
          launchlab selftest --probe /usr/bin /usr/sbin

        Exit code 125 means that A and B were called different, or that there were too few pairs.
        """
    )

    @Option(
      name: .customLong("state"),
      help: .init(
        """
        Launch state: reboot-cold, reinstall-cold, first-run or warm; repeatable (default: \
        reinstall-cold and warm; reboot-cold drops the page cache of the whole host).
        """,
        valueName: "state"
      ),
      completion: .list(LaunchState.allCases.map(\.rawValue))
    )
    var states: [String] = []

    @Option(
      name: .shortAndLong,
      help: .init("Launches of A and of B per state.", valueName: "number")
    )
    var launches = 60

    @OptionGroup var target: TargetOptions

    @OptionGroup var waiting: WaitOptions

    @Option(help: .init("Seed for the random order of launches.", valueName: "seed"))
    var seed: UInt64?

    @Option(
      file: """
        SQLite database that keeps the launches and the noise (default: \
        launchlab/launchlab.sqlite in $XDG_STATE_HOME or ~/.local/state).
        """
    )
    var store: String?

    @Option(file: "Write the result as JSON; - is stdout.") var json: String?

    @Option(
      parsing: .upToNextOption,
      help: .init(
        "Rank the hosts that wrote these files with --json; launches nothing.",
        valueName: "files"
      ),
      completion: .file(extensions: ["json"])
    )
    var compare: [String] = []

    @Option(
      parsing: .upToNextOption,
      help: .init(
        """
        Check the probe instead: run every program in these directories with --version or \
        --help, with and without the probe, and exit with 1 if they behave differently.
        """,
        valueName: "directories"
      ),
      completion: .directory
    )
    var probe: [String] = []

    func validate() throws {
      if launches < 5 {
        throw ValidationError("--launches must be at least 5, not \(launches)")
      }
      if !probe.isEmpty,
        !states.isEmpty || !target.command.isEmpty || seed != nil || store != nil
          || !compare.isEmpty
      {
        throw ValidationError("--probe takes no command, and no option but --json")
      }
      if !compare.isEmpty,
        !states.isEmpty || !target.command.isEmpty || seed != nil || store != nil
          || waiting.wait != nil
      {
        throw ValidationError(
          "--compare takes no command, and no option but --json"
        )
      }
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      guard compare.isEmpty else { return try rank(on: console) }
      guard probe.isEmpty else { return try await sweep(on: console) }
      var options = target.measuring(states: states, launches: launches)
      options.states = states
      let request = try SelfTestRequest(options: options, store: store, seed: seed, in: .live)
      try request.files.writing(json, as: "--json").check()
      let progress = ProgressDisplay(console: console)
      defer { progress.clear() }
      let summary = try await waiting.patiently(on: console) {
        try await SelfTestWorkflow(request, in: .live.telling { progress.show($0) }).run()
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
      if let json { try ResultFile(json).write(SelfTestJSON(summary)) }
    }

    private func sweep(on console: Console) async throws {
      try CommandFiles().writing(json, as: "--json").check()
      let workflow = try ProbeSweepWorkflow(directories: probe, in: .live)
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
        try ResultFile(json).write(ProbeSweepJSON(result.programs, notes: result.notes))
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
      if let json { try ResultFile(json).write(StabilityJSON(rankings)) }
      if rankings.contains(where: { !$0.unranked.isEmpty }) {
        throw ExitCode(LabExitCode.inconclusive.rawValue)
      }
    }
  }
}
