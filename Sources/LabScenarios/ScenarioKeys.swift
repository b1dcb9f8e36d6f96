import LabModel

/// Every key of a scenario file: the one truth that validator, schema and reference follow.
enum ScenarioKeys {
  static let defaultLaunches = 20
  static let defaultStates: [LaunchState] = [.reinstallCold, .warm]
  static let launchRange = 1...1_000_000

  static let top: [Key] = [
    Key(
      "scenario",
      .scalar(.name),
      isRequired: true,
      "The name of the scenario, under which its runs are stored and compared."
    ),
    Key(
      "targets",
      .named(.name, .map(target)),
      isRequired: true,
      "The programs to launch, by names of your own. They are measured in the same run, launched "
        + "in random order."
    ),
    Key(
      "states",
      .list(of: .scalar(.word(LaunchState.allCases.map(\.rawValue)))),
      "What is in memory before a launch. Each target is launched in each state.  "
        + "Default: [\(defaultStates.map(\.rawValue).joined(separator: ", "))]."
    ),
    Key(
      "launches",
      .choice([.scalar(.whole(launchRange)), .map(adaptive)]),
      "How many launches each target gets in each state: a number, or a map for as many as the "
        + "precision asks for. Default: \(defaultLaunches)."
    ),
    Key(
      "cold",
      .scalar(.trend(.share(1...100))),
      "How much of a program's own files, by size, must be out of the page cache before a cold "
        + "launch. One that finds more of them in it is not counted. Default: 95%."
    ),
    Key(
      "baseline",
      .map(baseline),
      "What is launched in the same blocks for comparison."
    ),
    Key(
      "source",
      .map(source),
      "What is built before the first launch. With it, relative paths in command, files, install "
        + "and directory lead into the built tree."
    ),
    Key(
      "controls",
      .map(controls),
      "How the machine is controlled and watched. Each run records what took effect."
    ),
    Key(
      "stages",
      .map(stages),
      "How launches are split into stages, in separate launches beside the plain ones."
    ),
    Key(
      "regression",
      .map(regression),
      "Which differences from earlier nights matter, and how a suspicion is settled."
    ),
    Key(
      "budgets",
      .list(of: .map(budget)),
      "Limits for the median of a night."
    ),
    Key(
      "notify",
      .list(of: .oneOf(notifier)),
      "Who is notified of alerts. Each change of an alert is sent once; what cannot be sent is tried "
        + "again the next night."
    ),
    Key(
      "releases",
      .named(.name, .scalar(.trend(.anchor))),
      "Further nights to compare with, by names of your own: a date, the id of a run, "
        + "or the first digits of a commit."
    ),
    Key(
      "artifacts",
      .scalar(.trend(.size)),
      "How much space builds and programs of former nights may take, for comparisons with the last "
        + "good one. Default: 2GiB."
    ),
    Key(
      "bisect",
      .choice([.scalar(.word(["auto", "off"])), .map(bisect)]),
      "auto: the commit that a confirmed regression comes from is looked for the same night, within "
        + "an hour; a map says for how long. It needs a source. Default: off."
    ),
  ]

  static let target: [Key] = [
    Key(
      "command",
      .list(of: .scalar(.text)),
      isRequired: true,
      "The program and its arguments. No shell is involved. A program with a slash is relative "
        + "to the scenario file; one without is looked up in PATH."
    ),
    Key(
      "program",
      .scalar(.text),
      "Which executable of the launch is the target, where the command is only a launcher: its file "
        + "name, such as soffice.bin, cc1 or node, or its path. Stages are of the first process that "
        + "runs it, peak memory is of the largest one; the time is still that of the whole launch. "
        + "Default: the program that becomes ready."
    ),
    Key(
      "ready",
      .choice([.scalar(.word(["exit", "notify", "mark"])), .oneOf(conditions)]),
      "When a launch is over: exit (the program ends with status 0), notify (sd_notify READY=1), "
        + "mark (launch_ready of the launch marks), or one of the conditions below. Default: exit."
    ),
    Key(
      "stop",
      .map(stop),
      "How a program that is ready is stopped. It is not part of the time."
    ),
    Key(
      "timeout",
      .scalar(.duration),
      "How long a launch may take. What is not ready by then has no time. Default: 60s."
    ),
    Key(
      "env",
      .named(.text, .choice([.scalar(.text), .oneOf(secret)])),
      "Variables added to the environment. Values are taken as they are written; one that must not "
        + "be stored is a map with one of the keys below."
    ),
    Key(
      "directory",
      .scalar(.path),
      "The working directory. Default: the directory of the scenario file."
    ),
    Key("stdin", .scalar(.path), "The file to read as standard input. Default: /dev/null."),
    Key(
      "tty",
      .scalar(.boolean),
      "Whether stdout and stderr are a terminal, for programs that buffer their output otherwise. "
        + "Default: false."
    ),
    Key(
      "files",
      .list(of: .scalar(.path)),
      "What else is the program's own, and evicted before cold launches: files, directories with all "
        + "below them, and patterns with *, ? and ** (any directories). A leading ! leaves out what "
        + "follows it; the last entry that matches a file decides."
    ),
    Key(
      "own",
      .scalar(.word(OwnRule.allCases.map(\.rawValue))),
      "Which of the files that a launch opens are the program's own, and evicted before cold "
        + "launches: package (those of the packages that its programs are from, and those of no "
        + "package outside the system's directories), prefix (those below the directories that its "
        + "programs are installed in), all, listed (the executable, its libraries outside the "
        + "system's directories, and files). `launchlab files` shows them. Default: package."
    ),
    Key(
      "install",
      .list(of: .scalar(.path)),
      "Directories whose files are recreated before reinstall-cold and first-run launches."
    ),
    Key(
      "home",
      .scalar(.path),
      "The directory that a private HOME is copied from. Default: your own HOME, or an empty one "
        + "in the state first-run."
    ),
    Key(
      "state",
      .list(of: .choice([.scalar(.path), .map(stateDirectory)])),
      "Directories the program writes to. Their whole content is replaced before first-run "
        + "launches: by that of the template, or by nothing. Outside the scenario's directory and "
        + "temporary ones, `launchlab allow` has to allow it once."
    ),
    Key(
      "counters",
      .list(of: .scalar(.word(CounterEvent.allCases.map(\.rawValue)))),
      "Events to count, in separate launches, because counting takes time."
    ),
    Key(
      "prepare",
      commands,
      "A command to run before each launch, measured or not: a text for the shell, a list of a program "
        + "and its arguments, or a map for commands before launches, blocks and the run. It runs "
        + "before the state is created, is not part of the time, and ends the run when it fails."
    ),
    Key(
      "cleanup",
      commands,
      "A command to run after each launch, or a map for commands after launches, blocks and the run; "
        + "otherwise as `prepare`."
    ),
  ]

  static let command = Shape.choice([.scalar(.text), .list(of: .scalar(.text))])

  static let commands = Shape.choice([
    .scalar(.text), .list(of: .scalar(.text)), .map(launchCommands),
  ])

  static let launchCommands: [Key] = [
    Key("launch", command, "The command that goes with each launch, measured or not."),
    Key("block", command, "The command that goes with each block of launches."),
    Key("run", command, "The command that goes with the whole run."),
    Key("timeout", .scalar(.duration), "How long each of them may take. Default: 60s."),
  ]

  static let secret: [Key] = [
    Key(
      "from_file",
      .scalar(.path),
      "The file that holds the value; a line end at its end is no part of it."
    ),
    Key(
      "from_env",
      .scalar(.text),
      "The variable of launchlab's own environment that holds the value."
    ),
  ]

  static let conditions: [Key] =
    outerConditions + [
      Key(
        "mark",
        .scalar(.text),
        "The program makes the launch mark of this name; one made with launch_ready is \"ready\"."
      )
    ]

  /// Those that a program needs no knowledge of launchlab for.
  static let outerConditions: [Key] = [
    Key(
      "stdout",
      .scalar(.text),
      "A line of standard output matches this POSIX extended regular expression."
    ),
    Key(
      "stderr",
      .scalar(.text),
      "A line of standard error matches this POSIX extended regular expression."
    ),
    Key("tcp", .scalar(.endpoint), "A TCP port accepts connections, such as 127.0.0.1:7379."),
    Key("unix", .scalar(.path), "A Unix stream socket accepts connections."),
    Key("http", .scalar(.url), "An HTTP GET is answered with a status 2xx."),
    Key("file", .scalar(.path), "A file exists."),
  ]

  static let stop: [Key] = [
    Key("signal", .scalar(.signal), "The signal sent first, by name or number. Default: TERM."),
    Key(
      "grace",
      .scalar(.duration),
      "How long the program may take to end before its whole tree is killed. Default: 2s."
    ),
    Key(
      "when",
      .oneOf(outerConditions),
      "What a program that is ready has to do before it is stopped, such as stderr: \"recovery "
        + "done\", for as long as `timeout`. It is not part of the time. Default: nothing."
    ),
    Key(
      "after",
      .scalar(.duration),
      "How long it goes on after that, such as 200ms, for servers that lose a signal while they are "
        + "still starting. It is not part of the time. Default: 0s."
    ),
  ]

  static let stateDirectory: [Key] = [
    Key("path", .scalar(.path), isRequired: true, "The directory whose content is replaced."),
    Key("template", .scalar(.path), "The directory it is filled from. Default: it starts empty."),
  ]

  static let source: [Key] = [
    Key(
      "repository",
      .scalar(.path),
      isRequired: true,
      "A git repository, or a directory inside one."
    ),
    Key(
      "build",
      .scalar(.text),
      isRequired: true,
      "The build command, run by sh in the same directory of a worktree of its own."
    ),
    Key(
      "env",
      .list(of: .scalar(.text)),
      "Variables of the environment that the build depends on: with another value it is built again. "
        + "What the command names, such as $CF, and what compilers and build tools read, such as CC "
        + "and CFLAGS, count without being listed, and so do the compilers that PATH leads to."
    ),
    Key(
      "submodules",
      .scalar(.word(Source.Submodules.allCases.map(\.rawValue))),
      "What to do about a submodule that cannot be fetched: required (the build fails), try (a "
        + "warning; the build command decides whether it can do without), off (no submodule is "
        + "checked out). Default: try."
    ),
  ]

  static let baseline: [Key] = [
    Key(
      "empty",
      .scalar(.boolean),
      "Whether an empty program is launched too, as the floor. Default: false."
    ),
    Key(
      "control",
      .choice([.list(of: .scalar(.text)), .map(control)]),
      "A program that does not change, launched too: when it changes like the others, the machine "
        + "did. A command as in a target, but never from the built tree; or a revision of the source."
    ),
  ]
}

// MARK: - Stages

extension ScenarioKeys {
  static let stages: [Key] = [
    Key(
      "collect",
      .list(of: .scalar(.word(StageCollector.allCases.map(\.rawValue)))),
      "What sees how launches are spent: auto (the probe, and what Python, Node, Java or Go prints "
        + "of its own start), probe (every stage, library and initializer of dynamic glibc "
        + "programs), breakpoints (exec, entry and main of any program), statistics "
        + "(LD_DEBUG=statistics), text (what the program prints itself), marks (what it says with "
        + "launch marks). Default: [probe]."
    ),
    Key(
      "launches",
      .scalar(.whole(launchRange)),
      "How many launches each collector gets, per target and state, at most one per block. "
        + "Default: \(StagePlan.defaultLaunches)."
    ),
    Key(
      "probe_hidden",
      .scalar(.boolean),
      "Whether the probe takes LD_AUDIT out of the environment, so that the program cannot see it; "
        + "programs that it executes are then not followed. Default: false."
    ),
    Key(
      "env",
      .named(.text, .scalar(.text)),
      "Variables added for the collector text only, such as GODEBUG: inittrace=1."
    ),
    Key(
      "patterns",
      .list(of: .scalar(.text)),
      "Regular expressions for the collector text, with the named groups stage, value and unit."
    ),
  ]
}
