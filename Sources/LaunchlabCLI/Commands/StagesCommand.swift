import ArgumentParser
import LabAnalysis
import LabModel
import LabWorkflows

extension Launchlab {
  /// Splits launches of a command into stages, or reads the stages that a program printed.
  struct Stages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
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
        How stages are collected: auto (the probe, and the start-up log of Python, Node, Java \
        or Go), probe, breakpoints, statistics, text or marks; repeatable (default: probe, or \
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

    @OptionGroup var text: StageTextOptionGroup

    func validate() throws {
      if text.parse == nil, target.command.isEmpty {
        throw ValidationError("missing a command; try `launchlab stages -- perl -e 0`")
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
      let workflow = try StagesWorkflow(options: options)
      try output.check(workflow.files)
      let progress = ProgressDisplay(console: console)
      defer { progress.clear() }
      let isLong = launches > 1
      let result = try await waiting.patiently(on: console) {
        try await workflow.run { event in
          if isLong { progress.show(event) }
        }
      }
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
