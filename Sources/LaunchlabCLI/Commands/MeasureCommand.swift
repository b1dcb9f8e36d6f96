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

    @Option(
      help: """
        The launch ends at: exit, stdout:<pattern>, stderr:<pattern>, notify, \
        tcp:<host>:<port>, unix:<path>, http://<url> or file:<path> (default: exit).
        """
    )
    var ready: String?

    @Option(help: "Give up a launch after this <duration>, such as 10s (default: 60s).")
    var timeout: String?

    @Option(help: "Stop a ready target with this <signal> (default: TERM).")
    var stopSignal: String?

    @Option(help: "Kill a target that has not stopped after this <duration> (default: 2s).")
    var stopGrace: String?

    @Option(name: .customLong("env"), help: "Set a <variable=value> for the target.")
    var environment: [String] = []

    @Option(name: .customLong("stdin"), help: "Give this <file> as input.", completion: .file())
    var standardInput: String?

    @Flag(help: "Give the target a pseudo-terminal.")
    var tty = false

    @Option(
      help: "Count this <path> as the target's own, and evict it when cold.",
      completion: .file()
    )
    var files: [String] = []

    @Option(help: "Make the files of this <directory> anew when cold.", completion: .directory)
    var install: [String] = []

    @Option(help: "Copy a private HOME from this <directory>.", completion: .directory)
    var home: String?

    @Option(
      help: "Empty this <directory> of the target before a first run.",
      completion: .directory
    )
    var stateDirectory: [String] = []

    @Option(
      help: "Count this <event> on launches of its own, such as page-faults.",
      completion: .list(CounterEvent.allCases.map(\.rawValue))
    )
    var counter: [String] = []

    @Flag(help: "Launch an empty program in the same blocks, as the floor.")
    var baseline = false

    @Option(help: "Draw the order of the blocks from this <seed>.")
    var seed: UInt64?

    @Flag(help: "Print the plan, and touch nothing.")
    var dryRun = false

    @OptionGroup var output: OutputOptions

    @Argument(
      parsing: .postTerminator,
      help: ArgumentHelp("The program and its arguments, after --.", valueName: "command")
    )
    var command: [String] = []

    func validate() throws {
      if command.isEmpty { throw ValidationError("give the command after --") }
      if let odd = environment.first(where: { !$0.contains("=") }) {
        throw ValidationError("--env takes VARIABLE=VALUE, not \"\(odd)\"")
      }
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let request = try RunRequest(options: options, store: output.store, seed: seed)
      try await output.execute(request, isDryRun: dryRun, on: console)
    }

    private var options: MeasureOptions {
      MeasureOptions(
        command: command,
        states: states.isEmpty ? [LaunchState.warm.rawValue] : states,
        launches: launches,
        ready: ready,
        timeout: timeout,
        stopSignal: stopSignal,
        stopGrace: stopGrace,
        environment: environment,
        standardInput: standardInput,
        isTTY: tty,
        files: files,
        install: install,
        home: home,
        stateDirectories: stateDirectory,
        counters: counter,
        includesEmptyBaseline: baseline,
        directory: WorkingDirectory.path
      )
    }
  }
}
