import ArgumentParser
import Comparison
import Foundation
import LaunchCore
import Measuring
import Rendering

/// One target, as `measure` and `stages` take it from the command line.
struct TargetOptions: ParsableArguments {
  @OptionGroup var launch: LaunchOptions

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The program and its arguments, after all options.", valueName: "command")
  )
  var command: [String] = []

  var controls: ControlOptions { launch.controls }

  /// Splits a command that is one word in quotes, as of hyperfine.
  mutating func validate() throws {
    let quoted = command.filter { $0.contains(" ") && !FileManager.default.fileExists(atPath: $0) }
    guard quoted == command, let text = command.first else { return }
    guard command.count == 1 else {
      let commands = ShellQuoting.text(command)
      throw ValidationError("there are several commands; try `launchlab compare \(commands)`")
    }
    guard let words = try? CommandWords(text).words else {
      throw ValidationError("\(text.shellWord) needs a shell; try `sh -c \(text.shellWord)`")
    }
    command = words
  }

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
    name: [.customShort("n"), .customLong("command-name")],
    help: .init(
      "Name of the target (default: that of its program); repeat it for each of several commands.",
      valueName: "name"
    )
  )
  var names: [String] = []

  @Option(
    help: .init(
      """
      When the target is ready: exit, stdout:<pattern>, stderr:<pattern>, notify, mark, \
      mark:<name>, tcp:<host>:<port>, unix:<path>, http://<url>, file:<path>, or when its \
      window is mapped (window), has content (frame) or stops changing (settled, \
      settled:<duration>) (default: exit).
      """,
      valueName: "condition"
    )
  )
  var ready: String?

  @Option(
    help: .init(
      """
      Program to report stages and memory of, if the command is a launcher: a file name such \
      as soffice.bin, or a path (default: the program that becomes ready).
      """,
      valueName: "program"
    )
  )
  var program: String?

  @Option(
    help: .init(
      "Exit statuses that are no failure, such as 0,1, or any (default: 0).",
      valueName: "statuses"
    )
  )
  var exitStatus: String?

  @Flag(name: [.customShort("i"), .long], help: "Take any exit status, as --exit-status any does.")
  var ignoreExitStatus = false

  @Option(
    help: .init("Time limit for one launch, such as 10s (default: 60s).", valueName: "duration")
  )
  var timeout: String?

  @Option(help: .init("Signal that stops a ready target (default: TERM).", valueName: "signal"))
  var stopSignal: String?

  @Option(
    help: .init(
      "Kill a target that has not stopped after this time (default: 2s).",
      valueName: "duration"
    )
  )
  var stopGrace: String?

  @Option(
    help: .init(
      """
      Stop a ready target only once this holds: stdout:<pattern>, stderr:<pattern>, \
      tcp:<host>:<port>, unix:<path>, http://<url> or file:<path>.
      """,
      valueName: "condition"
    )
  )
  var stopWhen: String?

  @Option(
    help: .init(
      "Let a ready target run this long before it is stopped (default: 0s).",
      valueName: "duration"
    )
  )
  var stopAfter: String?

  @Option(
    name: .customLong("env"),
    help: .init(
      """
      Set an environment variable. With a name only, launchlab's own value is passed on, and \
      never stored or shown; repeatable.
      """,
      valueName: "name=value"
    )
  )
  var environment: [String] = []

  @Option(
    name: .customLong("stdin"),
    help: .init(
      "File to use as stdin, not a pipe; - is the file that is launchlab's own.",
      valueName: "file"
    ),
    completion: .file()
  )
  var standardInput: String?

  @Flag(help: "Run the target in a terminal of its own, which answers as xterm does.")
  var tty = false

  @Option(
    help: .init(
      """
      Display for programs with windows: x11 or wayland for a headless one of the run's own, \
      x11:session or wayland:session for the session (default: x11).
      """,
      valueName: "display"
    ),
    completion: .list(["x11", "wayland", "x11:session", "wayland:session"])
  )
  var display: String?

  @Option(
    help: .init(
      """
      Path to evict before cold launches: a file, a directory, a pattern with *, ? and **, or \
      an exclusion that begins with !; repeatable.
      """,
      valueName: "path"
    ),
    completion: .file()
  )
  var files: [String] = []

  @Option(
    help: .init(
      """
      Which of the files that the target opens are evicted before cold launches: package, \
      prefix, all or listed (default: package).
      """,
      valueName: "rule"
    ),
    completion: .list(OwnRule.allCases.map(\.rawValue))
  )
  var own: String?

  @Option(
    help: .init(
      "Recreate the files of this directory before cold launches; repeatable.",
      valueName: "directory"
    ),
    completion: .directory
  )
  var install: [String] = []

  @Option(
    help: .init("Directory to copy a private HOME from.", valueName: "directory"),
    completion: .directory
  )
  var home: String?

  @Option(
    help: .init("Directory to empty before a first run; repeatable.", valueName: "directory"),
    completion: .directory
  )
  var stateDirectory: [String] = []

  @Option(
    help: .init(
      """
      Shell command to run before each launch, outside the timing. This and the next three apply to \
      every command that is launched, or if repeated as often as there are commands, to one each.
      """,
      valueName: "command"
    )
  )
  var prepare: [String] = []

  @Option(help: .init("Shell command to run after each launch.", valueName: "command"))
  var conclude: [String] = []

  @Option(
    help: .init("Shell command to run once, before the first launch.", valueName: "command")
  )
  var setup: [String] = []

  @Option(help: .init("Shell command to run once, after the last launch.", valueName: "command"))
  var cleanup: [String] = []

  @OptionGroup var controls: ControlOptions

  func validate() throws {
    if ignoreExitStatus, exitStatus != nil {
      throw ValidationError("--exit-status and --ignore-exit-status cannot be used together")
    }
    if environment.contains("") {
      throw ValidationError("--env needs name=value or name, not \"\"")
    }
  }

  /// The first of the options that was given and that a scenario file would say, if any; `--suppress`
  /// is not one of them.
  var firstForCommands: String? {
    let given = [
      ("--command-name", !names.isEmpty), ("--ready", ready != nil),
      ("--exit-status", exitStatus != nil),
      ("--ignore-exit-status", ignoreExitStatus), ("--program", program != nil),
      ("--timeout", timeout != nil),
      ("--stop-signal", stopSignal != nil), ("--stop-grace", stopGrace != nil),
      ("--stop-when", stopWhen != nil), ("--stop-after", stopAfter != nil),
      ("--env", !environment.isEmpty),
      ("--stdin", standardInput != nil), ("--tty", tty),
      ("--display", display != nil),
      ("--files", !files.isEmpty), ("--own", own != nil), ("--install", !install.isEmpty),
      ("--home", home != nil),
      ("--state-directory", !stateDirectory.isEmpty),
      ("--prepare", !prepare.isEmpty), ("--conclude", !conclude.isEmpty),
      ("--setup", !setup.isEmpty), ("--cleanup", !cleanup.isEmpty),
      ("--control", !controls.controls.isEmpty),
    ]
    return given.first { $0.1 }?.0
  }

  /// The options of a measurement of a program.
  func measuring(command: [String], states: [String], launches: Int) -> MeasureOptions {
    var options = MeasureOptions(
      command: command,
      program: program,
      states: states,
      launches: launches,
      ready: ready,
      exitStatus: ignoreExitStatus ? "any" : exitStatus,
      timeout: timeout,
      stopSignal: stopSignal,
      stopGrace: stopGrace,
      stopWhen: stopWhen,
      stopAfter: stopAfter,
      environment: environment,
      standardInput: standardInput,
      isTTY: tty,
      display: display,
      files: files,
      own: own,
      install: install,
      home: home,
      stateDirectories: stateDirectory,
      prepare: prepare,
      conclude: conclude,
      setup: setup,
      cleanup: cleanup,
      controls: controls.pairs,
      directory: WorkflowContext.live.directory
    )
    options.names = names
    return options
  }
}

/// How the machine is kept the same, as `measure` and `stages` take it from the command line.
struct ControlOptions: ParsableArguments {
  @Option(
    name: .customLong("control"),
    help: ArgumentHelp(
      "Control or watch the machine, as a key of the scenario's section controls; repeatable.",
      discussion: """
        The value is YAML, such as cpus=[1], network=none, aslr=off, governor=performance, \
        services=timers, steal=on, "settle={cpu_idle: 90%, within: 10s}", or require=all to \
        fail if a control is not available (default: only reported).
        """,
      valueName: "key=value"
    ),
    completion: .list((ControlName.allCases.map(\.rawValue) + ["require"]).map { "\($0)=" })
  )
  var controls: [String] = []

  @OptionGroup var suppression: SuppressionOptions

  /// Pairs of a key and its value, as ``MeasureOptions`` takes them.
  var pairs: [String] { controls + suppression.ids.map { "suppress=\($0)" } }

  func validate() throws {
    if let odd = controls.first(where: { !$0.contains("=") }) {
      throw ValidationError("--control needs key=value, such as network=none, not \"\(odd)\"")
    }
  }
}

/// Which findings of doctor are known, as every command takes them that launches.
struct SuppressionOptions: ParsableArguments {
  @Option(
    name: .customLong("suppress"),
    help: .init(
      """
      Do not warn about this finding of `launchlab doctor`, such as virtual-host; repeatable. \
      The run is labelled with it.
      """,
      valueName: "finding"
    )
  )
  var ids: [String] = []
}
