/// One executable with its arguments, environment, readiness condition and files.
///
/// Paths are absolute, but for `command[0]`, which may be a bare name that is looked up in `PATH`.
package struct Target: Hashable, Codable, Sendable {
  package var name: String

  /// The program and its arguments, at least one element.
  package var command: [String]

  /// The program as it was written, such as `./app`, where that is a relative path; it is the first
  /// argument of launches as long as it leads to the program from ``directory``.
  package var writtenProgram: String?

  /// The executable of the launch that the stages and the memory are of, by the last component of its
  /// path or by an absolute path; nil for the one that becomes ready.
  package var program: String?

  package var ready: Readiness

  package var stop: StopPolicy

  /// How long a launch may take until it is ready.
  package var timeout: Nanoseconds

  /// Variables added to, or replacing those of, the environment of launchlab itself.
  package var environment: [String: String]

  /// Variables whose values are read for each run, and never stored; nil without any.
  package var secrets: [String: SecretSource]?

  /// The working directory of the target.
  package var directory: String

  /// The file given as standard input; nil means `/dev/null`.
  package var standardInput: String?

  /// Whether stdout and stderr are a pseudo-terminal.
  package var tty: Bool

  /// What else counts as the target's own and is evicted before cold launches, or does not: the
  /// texts of ``FilePattern``.
  package var files: [String]

  /// Which of the files that it opens are its own; nil means ``OwnRule/package``.
  package var own: OwnRule?

  /// Directories whose regular files are made anew before `reinstall-cold` and `first-run`.
  package var install: [String]

  /// The directory a private HOME is copied from; nil means the HOME of launchlab itself,
  /// or, in the state `first-run`, an empty one.
  package var home: String?

  /// Directories of the target that `first-run` resets.
  package var state: [StateDirectory]

  /// Events counted on launches of their own, such as `instructions` and `page-faults`.
  package var counters: [String]

  /// What is run before launches, if anything.
  package var prepare: LaunchCommands?

  /// What is run after launches, if anything.
  package var cleanup: LaunchCommands?

  package init(
    name: String,
    command: [String],
    writtenProgram: String? = nil,
    program: String? = nil,
    ready: Readiness = .exit,
    stop: StopPolicy = StopPolicy(),
    timeout: Nanoseconds = .seconds(60),
    environment: [String: String] = [:],
    secrets: [String: SecretSource]? = nil,
    directory: String,
    standardInput: String? = nil,
    tty: Bool = false,
    files: [String] = [],
    own: OwnRule? = nil,
    install: [String] = [],
    home: String? = nil,
    state: [StateDirectory] = [],
    counters: [String] = [],
    prepare: LaunchCommands? = nil,
    cleanup: LaunchCommands? = nil
  ) {
    self.name = name
    self.command = command
    self.writtenProgram = writtenProgram
    self.program = program
    self.ready = ready
    self.stop = stop
    self.timeout = timeout
    self.environment = environment
    self.secrets = secrets
    self.directory = directory
    self.standardInput = standardInput
    self.tty = tty
    self.files = files
    self.own = own
    self.install = install
    self.home = home
    self.state = state
    self.counters = counters
    self.prepare = prepare
    self.cleanup = cleanup
  }
}

/// A directory the target writes to, and what it holds before a first run.
package struct StateDirectory: Hashable, Codable, Sendable {
  /// The directory whose whole content is replaced.
  package var path: String

  /// The directory it is filled from; nil means it starts empty.
  package var template: String?

  package init(path: String, template: String? = nil) {
    self.path = path
    self.template = template
  }
}
