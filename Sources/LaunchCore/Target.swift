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

  /// The statuses that ``Readiness/exit`` takes, from 0 to 255; empty means any, and nil only 0.
  package var exitStatuses: [Int]?

  package var stop: StopPolicy

  /// How long a launch may take until it is ready.
  package var timeout: Nanoseconds

  /// Variables added to, or replacing those of, the environment of launchlab itself.
  package var environment: [String: String]

  /// Variables whose values are read for each run, and never stored; nil without any.
  package var secrets: [String: SecretSource]?

  /// The working directory of the target.
  package var directory: String

  /// The file given as standard input; nil means `/dev/null`, or the terminal with ``tty``.
  package var standardInput: String?

  /// Whether it has a pseudo-terminal, which all streams are but for a ``standardInput``.
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

  /// Whether separate launches are filmed; nil for no.
  package var isFilmed: Bool?

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
    exitStatuses: [Int]? = nil,
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
    self.exitStatuses = exitStatuses
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

extension Target {
  /// The same, with no launches that count events or are filmed.
  package var withPlainLaunchesOnly: Self {
    var target = self
    target.counters = []
    target.isFilmed = nil
    return target
  }

  /// Whether a launch goes on until all that its window is to show is there.
  package var waitsUntilSettled: Bool {
    if case .settled? = ready.window?.moment { true } else { false }
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

/// Which of the files that a launch opens are the target's own.
package enum OwnRule: String, Codable, CaseIterable, Sendable {
  /// Those of the packages that its programs are from, and those of no package outside the system.
  case package

  /// Those below the directories that its programs are installed in.
  case prefix

  /// Every one.
  case all

  /// The executable, its libraries outside the system's directories, and what `files:` lists.
  case listed
}

/// One file that a launch opens, maps or executes.
package struct LaunchFile: Hashable, Sendable {
  /// Absolute, with symbolic links resolved.
  package var path: String

  package var bytes: Int64

  /// Whether it is the target's own, and so is evicted before a cold launch.
  package var isOwn: Bool

  /// Whether a process of the launch executed it.
  package var isProgram: Bool

  /// The package that it was installed with; nil for none.
  package var package: String?

  /// Why it is its own or not, as a short phrase.
  package var reason: String

  package init(
    path: String,
    bytes: Int64,
    isOwn: Bool,
    isProgram: Bool = false,
    package: String? = nil,
    reason: String
  ) {
    self.path = path
    self.bytes = bytes
    self.isOwn = isOwn
    self.isProgram = isProgram
    self.package = package
    self.reason = reason
  }
}

/// The files that the launches of a target open.
package struct FileSet: Sendable {
  package var target: Target

  package var files: [LaunchFile]

  /// What a reader must know of them.
  package var notes: [Diagnostic]

  package init(target: Target, files: [LaunchFile], notes: [Diagnostic] = []) {
    self.target = target
    self.files = files
    self.notes = notes
  }

  /// The rule that sorted the files.
  package var rule: OwnRule { target.own ?? .package }

  /// How many own or shared files there are, and their size.
  package func total(own isOwn: Bool) -> (files: Int, bytes: Int64) {
    let some = files.filter { $0.isOwn == isOwn }
    return (some.count, some.reduce(0) { $0 + $1.bytes })
  }
}

/// Commands that are run before, or after, the launches of a target; never part of a time.
package struct LaunchCommands: Hashable, Codable, Sendable {
  /// The program and its arguments that go with each launch, measured or not.
  package var launch: [String]?

  /// The ones that go with each block.
  package var block: [String]?

  /// The ones that go with the whole run.
  package var run: [String]?

  /// How long each of them may take.
  package var timeout: Nanoseconds

  package init(
    launch: [String]? = nil,
    block: [String]? = nil,
    run: [String]? = nil,
    timeout: Nanoseconds = .seconds(60)
  ) {
    self.launch = launch
    self.block = block
    self.run = run
    self.timeout = timeout
  }

  /// What a command goes with.
  package enum Moment: String, CaseIterable, Sendable {
    case launch
    case block
    case run
  }

  /// The command of a moment; nil where there is none.
  package subscript(_ moment: Moment) -> [String]? {
    switch moment {
    case .launch: launch
    case .block: block
    case .run: run
    }
  }

  /// The program that the shell texts of scenarios are given to.
  package static let shell = ["/bin/sh", "-c"]

  /// A command as a person would type it, as far as no argument needs quotes.
  package static func text(of command: [String]) -> String {
    Array(command.prefix(2)) == shell && command.count == 3
      ? command[2] : command.joined(separator: " ")
  }
}

/// The condition that ends a launch.
package enum Readiness: Hashable, Codable, Sendable {
  /// The target's process exits with status 0, or one of ``Target/exitStatuses``.
  case exit

  /// A line of a stream matches a POSIX extended regular expression.
  case output(stream: OutputStream, pattern: String)

  /// The target sends `READY=1` to the socket named by `NOTIFY_SOCKET`.
  case notify

  /// The target makes a launch mark of this name; one made with `launch_ready` is `ready`.
  case mark(name: String)

  /// A TCP port accepts a connection; `host` is a name or a numeric address.
  case tcp(host: String, port: Int)

  /// A Unix stream socket at a path accepts a connection.
  case unix(path: String)

  /// An HTTP GET is answered with a 2xx status; `path` starts with a slash.
  case http(host: String, port: Int, path: String)

  /// A file exists.
  case file(path: String)

  /// A window of the target is mapped, has content, or has settled.
  case window(WindowCondition)
}

extension Readiness {
  /// The window that is waited for, if one is.
  package var window: WindowCondition? {
    if case .window(let condition) = self { return condition }
    return nil
  }
}

/// One of the two output streams of a target.
package enum OutputStream: String, Codable, CaseIterable, Sendable {
  case stdout
  case stderr
}

extension Readiness: CustomStringConvertible {
  /// The condition as a phrase for people, such as `tcp 127.0.0.1:7379`.
  package var description: String {
    switch self {
    case .exit: "exit"
    case .output(let stream, let pattern): "\(stream.rawValue) matching \"\(pattern)\""
    case .notify: "sd_notify READY=1"
    case .mark(let name): "the launch mark \"\(name)\""
    case .tcp(let host, let port): "tcp \(Self.authority(host: host, port: port))"
    case .unix(let path): "unix socket \(path)"
    case .http(let host, let port, let path):
      "http://\(Self.authority(host: host, port: port))\(path)"
    case .file(let path): "file \(path)"
    case .window(let condition): "\(condition)"
    }
  }

  private static func authority(host: String, port: Int) -> String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
