import ArgumentParser
import LabModel
import LabWorkflows

/// One target, as `measure` and `stages` take it from the command line.
struct TargetOptions: ParsableArguments {
  @Option(
    help: """
      The launch ends at: exit, stdout:<pattern>, stderr:<pattern>, notify, mark, mark:<name>, \
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

  @OptionGroup var controls: ControlOptions

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The program and its arguments, after --.", valueName: "command")
  )
  var command: [String] = []

  func validate() throws {
    if let odd = environment.first(where: { !$0.contains("=") }) {
      throw ValidationError("--env takes VARIABLE=VALUE, not \"\(odd)\"")
    }
  }

  /// The options of a measurement of the target.
  func measuring(states: [String], launches: Int) -> MeasureOptions {
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
      controls: controls.pairs,
      directory: WorkingDirectory.path
    )
  }
}
