import ArgumentParser
import LabModel
import LabWorkflows

/// One target, as `measure` and `stages` take it from the command line.
struct TargetOptions: ParsableArguments {
  @OptionGroup var launch: LaunchOptions

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The program and its arguments, after --.", valueName: "command")
  )
  var command: [String] = []

  var controls: ControlOptions { launch.controls }

  /// The options of a measurement of the target.
  func measuring(states: [String], launches: Int) -> MeasureOptions {
    launch.measuring(
      command: command,
      states: states.isEmpty ? [LaunchState.warm.rawValue] : states,
      launches: launches
    )
  }
}

/// How a program is launched, whatever it is.
struct LaunchOptions: ParsableArguments {
  @Option(
    help: """
      The launch ends at: exit, stdout:<pattern>, stderr:<pattern>, notify, mark, mark:<name>, \
      tcp:<host>:<port>, unix:<path>, http://<url> or file:<path> (default: exit).
      """
  )
  var ready: String?

  @Option(
    help: """
      Take stages and memory of this <executable> of the launch, where the command is a launcher: \
      its file name, such as soffice.bin, or its path (default: the program that becomes ready).
      """
  )
  var program: String?

  @Option(help: "Give up a launch after this <duration>, such as 10s (default: 60s).")
  var timeout: String?

  @Option(help: "Stop a ready target with this <signal> (default: TERM).")
  var stopSignal: String?

  @Option(help: "Kill a target that has not stopped after this <duration> (default: 2s).")
  var stopGrace: String?

  @Option(
    help: """
      Stop a ready target only when this <condition> holds too: stdout:<pattern>, stderr:<pattern>, \
      tcp:<host>:<port>, unix:<path>, http://<url> or file:<path>.
      """
  )
  var stopWhen: String?

  @Option(help: "Let a ready target go on for this <duration> before it is stopped (default: 0s).")
  var stopAfter: String?

  @Option(
    name: .customLong("env"),
    help: """
      Set <variable=value>, or give only a name to pass launchlab's own value, which is never \
      stored or shown.
      """
  )
  var environment: [String] = []

  @Option(name: .customLong("stdin"), help: "Give this <file> as input.", completion: .file())
  var standardInput: String?

  @Flag(help: "Give the target a pseudo-terminal.")
  var tty = false

  @Option(
    help: """
      Count this <path> as the target's own, and evict it when cold: a file, a directory, a pattern \
      with *, ? and **, or an exclusion that begins with !.
      """,
    completion: .file()
  )
  var files: [String] = []

  @Option(
    help: """
      Evict by this <rule> when cold, of the files that the target opens: package, prefix, all or \
      listed (default: package).
      """,
    completion: .list(OwnRule.allCases.map(\.rawValue))
  )
  var own: String?

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

  func validate() throws {
    if environment.contains("") {
      throw ValidationError("--env takes VARIABLE=VALUE or VARIABLE, not \"\"")
    }
  }

  /// The first of the options that was given and that a scenario file would say, if any; `--suppress`
  /// is not one of them.
  var firstForCommands: String? {
    let given = [
      ("--ready", ready != nil), ("--program", program != nil), ("--timeout", timeout != nil),
      ("--stop-signal", stopSignal != nil), ("--stop-grace", stopGrace != nil),
      ("--stop-when", stopWhen != nil), ("--stop-after", stopAfter != nil),
      ("--env", !environment.isEmpty),
      ("--stdin", standardInput != nil), ("--tty", tty),
      ("--files", !files.isEmpty), ("--own", own != nil), ("--install", !install.isEmpty),
      ("--home", home != nil),
      ("--state-directory", !stateDirectory.isEmpty),
      ("--control", !controls.controls.isEmpty),
    ]
    return given.first { $0.1 }?.0
  }

  /// The options of a measurement of a program.
  func measuring(command: [String], states: [String], launches: Int) -> MeasureOptions {
    MeasureOptions(
      command: command,
      program: program,
      states: states,
      launches: launches,
      ready: ready,
      timeout: timeout,
      stopSignal: stopSignal,
      stopGrace: stopGrace,
      stopWhen: stopWhen,
      stopAfter: stopAfter,
      environment: environment,
      standardInput: standardInput,
      isTTY: tty,
      files: files,
      own: own,
      install: install,
      home: home,
      stateDirectories: stateDirectory,
      controls: controls.pairs,
      directory: WorkingDirectory.path
    )
  }
}
