import ArgumentParser
import LaunchCore
import Measuring

extension Launchlab {
  /// Measures one command, without a scenario file.
  struct Measure: AsyncParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
      commandName: "measure",
      abstract: "Measure how long one command takes to launch, without a scenario file.",
      discussion: """
        Warm, and after a reboot:
          launchlab measure --state reboot-cold --state warm -- perl -e 0

        A server, until its port accepts a connection:
          launchlab measure --ready tcp:127.0.0.1:7379 -- redis-server --port 7379

        With a new data directory for each launch:
          launchlab measure --prepare 'rm -rf data && mkdir data' -- ./app --data data

        The launches are stored in .launchlab/launchlab.sqlite in the working directory.
        """
    )

    @Option(
      name: .customLong("state"),
      help: .init(
        "Launch state: reboot-cold, reinstall-cold, first-run or warm; repeatable (default: warm).",
        valueName: "state"
      ),
      completion: .list(LaunchState.allCases.map(\.rawValue))
    )
    var states: [String] = []

    @Option(name: .shortAndLong, help: .init("Launches per state.", valueName: "number"))
    var launches = 20

    @OptionGroup var target: TargetOptions

    @Option(
      help: .init(
        "Count an event, such as page-faults, in separate launches; repeatable.",
        valueName: "event"
      ),
      completion: .list(CounterEvent.allCases.map(\.rawValue))
    )
    var counter: [String] = []

    @Flag(help: "Also launch an empty program, as the floor.")
    var baseline = false

    @Option(help: .init("Seed for the random order of launches.", valueName: "seed"))
    var seed: UInt64?

    @Flag(help: "Print the plan and exit.")
    var dryRun = false

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
      if target.command.isEmpty {
        throw ValidationError("missing the command; try `launchlab measure perl -e 0`")
      }
      if target.command.count == 1, target.command[0].namesYAML {
        let file = target.command[0]
        throw ValidationError("\(file) is no program; try `launchlab run \(file.shellWord)`")
      }
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
      options.includesEmptyBaseline = baseline
      return options
    }
  }
}
