import Foundation
package import LaunchCore
package import SystemPackage

/// The commands beside the launches of a run: what was run so far, and what is still to be.
///
/// It is used from one thread. Commands that clean up are run also after an interruption, and their
/// failure is told when the launch before is safe.
final class TargetCommands {
  /// The commands of one target.
  struct Entry {
    let target: Target

    /// That of the target, but for what belongs to one launch.
    let environment: [String: String]
  }

  /// What could not be cleaned up at the end.
  private(set) var notes: [Diagnostic] = []

  private let entries: [Entry]
  private let redactor: Redactor
  private let interrupt: InterruptFlag?

  /// The targets whose command for the run was begun.
  private var begun: Set<String> = []

  private var isInBlock = false
  private var failure: CommandFailure?

  /// - Parameters:
  ///   - entries: In the order in which they are prepared.
  ///   - redactor: Takes secrets out of what the commands print.
  ///   - interrupt: Ends a command that prepares when it is set.
  init(_ entries: [Entry], redactor: Redactor, interrupt: InterruptFlag?) {
    self.entries = entries.filter { $0.target.prepare != nil || $0.target.cleanup != nil }
    self.redactor = redactor
    self.interrupt = interrupt
  }

  // MARK: - Blocks and launches

  /// - Throws: ``HostError/commandFailed(_:)`` and ``HostError/interrupted``.
  func beginBlock() throws(HostError) {
    try throwFailure()
    isInBlock = true
    for entry in entries {
      try beginRun(entry)
      try prepare(entry, .block, in: entry.environment)
    }
  }

  /// - Throws: ``HostError/commandFailed(_:)``.
  func endBlock() throws(HostError) {
    cleanUpBlock()
    try throwFailure()
  }

  /// Runs what goes before a launch of a target, in the environment of the launch.
  ///
  /// - Throws: ``HostError/commandFailed(_:)`` and ``HostError/interrupted``.
  func beginLaunch(of target: String, in environment: [String: String]) throws(HostError) {
    try throwFailure()
    guard let entry = entries.first(where: { $0.target.name == target }) else { return }
    try beginRun(entry)
    try prepare(entry, .launch, in: environment)
  }

  /// Runs what goes after a launch; a failure is thrown by what comes next.
  func endLaunch(of target: String, in environment: [String: String]) {
    guard let entry = entries.first(where: { $0.target.name == target }) else { return }
    cleanUp(entry, .launch, in: environment)
  }

  /// Runs what goes after the last launch, once.
  func end() {
    cleanUpBlock()
    for entry in entries where begun.remove(entry.target.name) != nil {
      cleanUp(entry, .run, in: entry.environment)
      if let failure = failure.take() { notes.append(failure.diagnostic) }
    }
  }

  // MARK: - One command

  private func beginRun(_ entry: Entry) throws(HostError) {
    guard begun.insert(entry.target.name).inserted else { return }
    try prepare(entry, .run, in: entry.environment)
  }

  private func prepare(
    _ entry: Entry,
    _ moment: LaunchCommands.Moment,
    in environment: [String: String]
  ) throws(HostError) {
    let failure = try run(entry.target, \.prepare, moment, in: environment, interrupt)
    if let failure { throw .commandFailed(failure) }
  }

  private func cleanUp(
    _ entry: Entry,
    _ moment: LaunchCommands.Moment,
    in environment: [String: String]
  ) {
    // It cannot be interrupted, so that it does not throw either.
    let found = try? run(entry.target, \.cleanup, moment, in: environment, nil)
    failure = failure ?? found
  }

  private func cleanUpBlock() {
    guard isInBlock else { return }
    isInBlock = false
    for entry in entries { cleanUp(entry, .block, in: entry.environment) }
  }

  private func throwFailure() throws(HostError) {
    if let failure = failure.take() { throw .commandFailed(failure) }
  }

  private func run(
    _ target: Target,
    _ key: KeyPath<Target, LaunchCommands?>,
    _ moment: LaunchCommands.Moment,
    in environment: [String: String],
    _ interrupt: InterruptFlag?
  ) throws(HostError) -> CommandFailure? {
    guard let commands = target[keyPath: key], let command = commands[moment] else { return nil }
    var variables = environment
    // What it leaves running is not a target that the next lab has to end.
    variables[MarkedProcesses.variable] = nil
    let failure = try SideCommand(
      command: command,
      environment: variables,
      directory: target.directory,
      limit: commands.timeout,
      interrupt: interrupt
    ).run()
    return failure.map {
      CommandFailure(
        key: key == \.prepare ? "prepare" : "cleanup",
        moment: moment,
        target: target,
        command: command,
        fate: redactor.redacted($0.fate),
        tail: $0.tail.map { redactor.redacted($0) }
      )
    }
  }
}

/// A command beside the launches that failed, so that the run cannot go on.
package struct CommandFailure: Hashable, Sendable {
  var key: String
  var moment: LaunchCommands.Moment
  var target: Target
  var command: [String]

  /// Such as `exited with status 3`.
  var fate: String

  /// The last lines that it printed.
  var tail: [String]

  package var diagnostic: Diagnostic {
    let when =
      "\(key == "prepare" ? "before" : "after") \(moment == .run ? "the run" : "a \(moment)")"
    let said = tail.isEmpty ? ["it printed nothing"] : tail.map { "| \($0)" }
    return Diagnostic(
      .error,
      id: "command-failed",
      problem: (["the command of `\(key)` \(when) \(fate)"] + said).joined(separator: "\n    "),
      place: "target \"\(target.name)\"",
      remedy: "run it by hand in \(target.directory): \(LaunchCommands.text(of: command))"
    )
  }
}

/// The environment that a target is launched in.
package struct TargetVariables {
  package let policy: TargetEnvironment

  /// By which `restore` finds what was launched; nil where a cgroup holds it.
  package let mark: String?

  /// The directory for temporary files of each launch; nil leaves the variable alone.
  var temporary: FilePath?

  /// The values that the scenario does not hold itself.
  var secrets = SecretValues.none

  /// What leads targets to the display of the run; nil takes a variable away.
  var display: [String: String?] = [:]

  package init(
    policy: TargetEnvironment,
    mark: String?,
    temporary: FilePath? = nil,
    secrets: SecretValues = .none
  ) {
    self.policy = policy
    self.mark = mark
    self.temporary = temporary
    self.secrets = secrets
  }

  /// Where programs are looked up in a pinned environment; that of Debian's login shells of root.
  static let pinnedPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  /// The variables of a target, with those that the scenario adds.
  ///
  /// The XDG directories follow a private HOME, because a cache elsewhere would survive its reset.
  package func variables(of target: Target, home: FilePath?) -> [String: String] {
    var variables = base
    variables["PWD"] = target.directory
    if let home {
      for name in ["CACHE", "CONFIG", "DATA", "STATE"] { variables["XDG_\(name)_HOME"] = nil }
      variables["HOME"] = home.string
    }
    variables[MarkedProcesses.variable] = mark
    if let temporary { variables["TMPDIR"] = temporary.string }
    if target.tty {
      for name in Self.terminalNames { variables[name] = nil }
      variables["TERM"] = "xterm-256color"
    }
    for (name, value) in display { variables[name] = value }
    return variables.merging(target.environment) { $1 }
      .merging(secrets.variables(of: target)) { $1 }
  }

  /// What the terminal that launchlab runs in tells programs of itself.
  private static let terminalNames = [
    "COLORTERM", "COLUMNS", "LINES", "STY", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX",
    "TMUX_PANE", "VTE_VERSION",
  ]

  private var base: [String: String] {
    switch policy {
    case .pinned:
      return ["PATH": Self.pinnedPath, "HOME": "/", "LANG": "C.UTF-8", "TZ": "UTC"]
    case .inherited:
      var variables = ProcessInfo.processInfo.environment
      // What launchlab was told by what has started it is not meant for the target.
      for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LAUNCHLAB_EVENTS"] {
        variables[name] = nil
      }
      variables["LD_AUDIT"] = StageProbe.removed(from: variables["LD_AUDIT"])
      variables["GLIBC_TUNABLES"] = StageProbe.removedTunable(from: variables["GLIBC_TUNABLES"])
      return variables
    }
  }
}
