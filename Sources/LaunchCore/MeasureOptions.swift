/// A scenario as it is asked for on the command line, in the words that were typed.
package struct MeasureOptions: Sendable {
  /// The program and its arguments.
  package var command: [String]

  /// The names of the target: none for that of its program, or one for each of several commands.
  package var names: [String] = []

  /// Which executable of the launch the stages and the memory are of; nil for the one that becomes ready.
  package var program: String?

  package var states: [String]
  package var launches: Int

  /// `exit`, `notify`, `mark`, or a kind and its value such as `tcp:127.0.0.1:80`; nil means `exit`.
  package var ready: String?

  /// The statuses that a target may exit with, such as `0,1`, or `any`; nil means 0.
  package var exitStatus: String?

  package var timeout: String?
  package var stopSignal: String?
  package var stopGrace: String?

  /// A kind and its value, as for `ready`.
  package var stopWhen: String?
  package var stopAfter: String?

  /// Pairs such as `LANG=C`, and names whose values are taken from the environment, and not stored.
  package var environment: [String]

  package var standardInput: String?
  package var isTTY: Bool

  /// The display of programs with windows, such as `x11:session`; nil means the default.
  package var display: String?

  package var files: [String]

  /// The rule for which files are the target's own; nil means the default.
  package var own: String?
  package var install: [String]
  package var home: String?
  package var stateDirectories: [String]
  package var counters: [String]
  package var includesEmptyBaseline: Bool

  /// Shell commands before and after each launch, and before the first and after the last one: one for
  /// all commands, or one for each of them.
  package var prepare: [String]
  package var conclude: [String]
  package var setup: [String]
  package var cleanup: [String]

  /// How launches are split into stages, if they are.
  package var stages: StagePlan?

  /// Controls as pairs of a key of the section `controls` and its YAML value, such as `cpus=[1]`.
  package var controls: [String]

  /// The absolute working directory, which relative paths are relative to.
  package var directory: String

  package init(
    command: [String],
    program: String? = nil,
    states: [String],
    launches: Int,
    ready: String? = nil,
    exitStatus: String? = nil,
    timeout: String? = nil,
    stopSignal: String? = nil,
    stopGrace: String? = nil,
    stopWhen: String? = nil,
    stopAfter: String? = nil,
    environment: [String] = [],
    standardInput: String? = nil,
    isTTY: Bool = false,
    display: String? = nil,
    files: [String] = [],
    own: String? = nil,
    install: [String] = [],
    home: String? = nil,
    stateDirectories: [String] = [],
    counters: [String] = [],
    includesEmptyBaseline: Bool = false,
    prepare: [String] = [],
    conclude: [String] = [],
    setup: [String] = [],
    cleanup: [String] = [],
    stages: StagePlan? = nil,
    controls: [String] = [],
    directory: String
  ) {
    self.command = command
    self.program = program
    self.states = states
    self.launches = launches
    self.ready = ready
    self.exitStatus = exitStatus
    self.timeout = timeout
    self.stopSignal = stopSignal
    self.stopGrace = stopGrace
    self.stopWhen = stopWhen
    self.stopAfter = stopAfter
    self.environment = environment
    self.standardInput = standardInput
    self.isTTY = isTTY
    self.display = display
    self.files = files
    self.own = own
    self.install = install
    self.home = home
    self.stateDirectories = stateDirectories
    self.counters = counters
    self.includesEmptyBaseline = includesEmptyBaseline
    self.prepare = prepare
    self.conclude = conclude
    self.setup = setup
    self.cleanup = cleanup
    self.stages = stages
    self.controls = controls
    self.directory = directory
  }
}

extension MeasureOptions {
  /// The same for one of several commands, with its own of what was given for each of them.
  package func launching(_ command: [String], at index: Int, of count: Int) -> Self {
    var options = self
    options.command = command
    for given in [\Self.names, \.prepare, \.conclude, \.setup, \.cleanup]
    where self[keyPath: given].count == count {
      options[keyPath: given] = [self[keyPath: given][index]]
    }
    return options
  }
}
