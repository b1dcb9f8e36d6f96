import ArgumentParser
import LabModel
import LabWorkflows

extension Launchlab {
  /// Measures one command, without a scenario file.
  struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Measures the launches of one command, without a scenario file.",
      discussion: """
        Warm, and after a reboot and a reinstall:
          launchlab measure --state reboot-cold --state reinstall-cold --state warm -- perl -e 0

        A server until its port accepts a connection:
          launchlab measure --ready tcp:127.0.0.1:7379 -- redis-server --port 7379

        With a new data directory for each launch:
          launchlab measure --prepare 'rm -rf data && mkdir data' -- ./app --data data

        The launches are kept in .launchlab/launchlab.sqlite of the working directory.
        """
    )

    @Option(
      name: .customLong("state"),
      help:
        "Launch in this <state>: reboot-cold, reinstall-cold, first-run or warm (default: warm).",
      completion: .list(LaunchState.allCases.map(\.rawValue))
    )
    var states: [String] = []

    @Option(name: .shortAndLong, help: "Launch this <number> of times per state.")
    var launches = 20

    @OptionGroup var target: TargetOptions

    @Option(
      help: "Count this <event> on launches of its own, such as page-faults.",
      completion: .list(CounterEvent.allCases.map(\.rawValue))
    )
    var counter: [String] = []

    @Option(help: "Run this shell <command> before each launch, measured or not; it is not timed.")
    var prepare: String?

    @Option(help: "Run this shell <command> after each launch, measured or not.")
    var conclude: String?

    @Option(help: "Run this shell <command> once, before the first launch.")
    var setup: String?

    @Option(help: "Run this shell <command> once, after the last launch.")
    var cleanup: String?

    @Flag(help: "Launch an empty program in the same blocks, as the floor.")
    var baseline = false

    @Option(help: "Draw the order of the blocks from this <seed>.")
    var seed: UInt64?

    @Flag(help: "Print the plan, and touch nothing.")
    var dryRun = false

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
      if target.command.isEmpty { throw ValidationError("give the command after --") }
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let request = try RunRequest(options: options, store: output.store, seed: seed)
      try await waiting.patiently(on: console) {
        try await output.execute(request, isDryRun: dryRun, on: console)
      }
    }

    private var options: MeasureOptions {
      var options = target.measuring(states: states, launches: launches)
      options.counters = counter
      options.prepare = prepare
      options.conclude = conclude
      options.setup = setup
      options.cleanup = cleanup
      options.includesEmptyBaseline = baseline
      return options
    }
  }
}
