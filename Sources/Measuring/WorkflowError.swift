package import Foundation
package import LaunchCore
import LaunchHost

/// An error of a use case that is none of the machine, the store or the scenario.
package enum WorkflowError: LabError, Hashable {
  case cannotWrite(path: String, reason: String)

  case cannotRead(path: String, reason: String)

  /// The working directory was removed, so that relative paths lead nowhere.
  case noWorkingDirectory

  /// Two files of a command, one of which is written, are the same; each by its role and path.
  case sameFile(String, String, path: String)

  /// An output lies where its scenario or its report has files of their own.
  case outputInside(String, String, path: String)

  /// An output would replace a database, such as the store of another scenario.
  case outputIsDatabase(String, path: String)

  /// Two options name stdout.
  case bothOnStdout(String, String)

  /// A run cannot be resumed.
  case cannotResume(id: String, reason: String)

  case fileExists(path: String)

  case nothingStored(store: String)

  /// Nothing tells this machine from others of its kind.
  case noIdentity

  case unknownRun(String)

  case ambiguousRun(String, candidates: [String])

  /// No store has an alert; the newest ones that there are.
  case noAlert(id: String, newest: [String])

  /// A file is not what `selftest --json` writes; the reason is a phrase.
  case notASelfTest(path: String, reason: String)

  /// No alert has the id; `open` are those that could be acknowledged.
  case unknownAlert(id: String, open: [String])

  case ambiguousAlert(id: String, stores: [String])

  /// An alert is already acknowledged, or has ended; `since` begins with a comma, or is empty.
  case cannotAcknowledge(id: String, state: Alert.State, since: String)

  /// A decision on an alert is to be taken back, and there is none.
  case notDecided(id: String, state: Alert.State)

  /// A run has the standing already that it should get; `since` begins with a comma, or is empty.
  case alreadyDecided(id: String, standing: RunDecision.Standing, since: String)

  /// A run is out of history, so that nothing can be concluded from it.
  case isLeftOut(LeftOutRun)

  /// A stored night begins after the present, as the clock has it.
  case nightInFuture(run: String, startedAt: Date, now: Date)

  case badOption(name: String, value: String, expected: String)

  /// A text that is no id of an alert.
  case notAnAlertID(String)

  /// A pattern of lines cannot be used; the problem is a sentence without a full stop.
  case badPattern(problem: String, remedy: String)

  /// Several files are imported, and nothing names their scenario.
  case missingScenario(files: Int)

  /// The extension of a file does not say its format.
  case unknownFormat(path: String)

  /// What is exported holds lists, and the format is a table.
  case notTabular(what: String, format: String)

  /// A text is no command line; the reason is a phrase.
  case badCommandLine(String, reason: String, remedy: String)

  /// The probe does not work on this host; the reason is a sentence without a full stop.
  case noProbe(reason: String)

  /// Two runs or revisions cannot be compared; the reason is a phrase.
  case cannotCompare(reason: String, remedy: String)

  /// Nothing can be bisected; the reason is a phrase.
  case cannotBisect(reason: String, remedy: String)

  /// Nothing can be launched to be explained; the reason is a phrase.
  case cannotExplain(reason: String, remedy: String)

  /// No such log, or more than one, is meant; the problem is a phrase.
  case unknownLog(LoggedWork, id: String, problem: String, newest: String)

  /// Something cannot go on as it began; the reason is a phrase.
  case cannotGoOn(LoggedWork, id: String, reason: String)

  /// Another process goes on with the same work.
  case logInUse(LoggedWork, path: String)

  /// A log was written by other rules of deciding.
  case otherRules(LoggedWork, path: String, rules: Int, known: Int, version: String)

  /// A line of a log cannot be used; the reason is a phrase.
  case badLog(LoggedWork, path: String, line: Int, reason: String)

  /// The events of a log do not follow from each other.
  case otherDecision(path: String, line: Int, reason: String)

  /// A file that cannot be read, with the cause in the words of the system.
  package static func cannotRead(_ path: String, because error: any Error) -> Self {
    .cannotRead(path: path, reason: HostError.reason(of: error, at: path))
  }

  package var diagnostics: [Diagnostic] { [diagnostic] }

  package var exitCode: LabExitCode {
    switch self {
    case .cannotResume, .fileExists, .badOption, .notAnAlertID, .badPattern, .unknownRun,
      .ambiguousRun,
      .cannotRead, .notASelfTest, .alreadyDecided, .isLeftOut, .unknownAlert, .ambiguousAlert,
      .cannotAcknowledge, .notDecided, .noAlert,
      .missingScenario, .unknownFormat, .notTabular, .badCommandLine, .cannotCompare,
      .cannotBisect, .cannotExplain, .unknownLog, .badLog, .otherRules, .sameFile,
      .outputInside,
      .outputIsDatabase,
      .bothOnStdout:
      .usage
    case .cannotWrite, .noWorkingDirectory, .nothingStored, .noIdentity, .otherDecision,
      .cannotGoOn, .logInUse, .nightInFuture, .noProbe:
      .couldNotMeasure
    }
  }

  private var diagnostic: Diagnostic {
    switch self {
    case .cannotWrite("-", let reason):
      Diagnostic(
        .error,
        id: "cannot-write",
        problem: "cannot write to stdout: \(reason)",
        remedy: "check where stdout is redirected to"
      )
    case .cannotWrite(let path, let reason):
      Diagnostic(
        .error,
        id: "cannot-write",
        problem: "cannot write \"\(path)\": \(reason)",
        remedy: "give a path in a directory that exists, may be written to and has room"
      )
    case .noWorkingDirectory:
      Diagnostic(
        .error,
        id: "no-working-directory",
        problem: "the working directory does not exist any more",
        remedy: "change to another one with `cd`"
      )
    case .cannotRead(let path, let reason):
      Diagnostic(
        .error,
        id: "cannot-read",
        problem: "cannot read \"\(path)\": \(reason)",
        remedy: "give a file that exists and may be read, or - for stdin"
      )
    case .sameFile(let first, let second, let path):
      Diagnostic(
        .error,
        id: "same-file",
        problem: "\(first) and \(second) are the same file",
        place: path,
        remedy: "give one of them another path"
      )
    case .outputInside(let output, let directory, let path):
      Diagnostic(
        .error,
        id: "same-file",
        problem: "\(output) is one of the files of \(directory)",
        place: path,
        remedy: "give a path outside that directory"
      )
    case .outputIsDatabase(let output, let path):
      Diagnostic(
        .error,
        id: "same-file",
        problem: "\(output) would replace an SQLite database, which may be a store of launches",
        place: path,
        remedy: "give another path, or remove that file first"
      )
    case .bothOnStdout(let first, let second):
      Diagnostic(
        .error,
        id: "same-file",
        problem: "\(first) and \(second) cannot both be written to stdout",
        remedy: "give one of them a file"
      )
    case .cannotResume(let id, let reason):
      Diagnostic(
        .error,
        id: "cannot-resume",
        problem: "cannot resume run \"\(id)\": \(reason)",
        remedy: "list the runs with `launchlab history`, or start a new one without --resume"
      )
    case .fileExists(let path):
      Diagnostic(
        .error,
        id: "file-exists",
        problem: "\"\(path)\" exists already",
        place: path,
        remedy: "give another path with --output, or replace it with --force"
      )
    case .nothingStored(let store):
      Diagnostic(
        .error,
        id: "nothing-stored",
        problem: "no run is stored",
        place: store,
        remedy: "make one with `launchlab run scenario.yml`, or name its store with --store"
      )
    case .noIdentity:
      Diagnostic(
        .error,
        id: "no-identity",
        problem: "this machine has no ID: /etc/machine-id is missing or empty",
        place: "/etc/machine-id",
        remedy:
          "make one with `systemd-machine-id-setup`, or name the machine by LAUNCHLAB_HOST_NAME"
      )
    case .unknownRun(let id):
      Diagnostic(
        .error,
        id: "unknown-run",
        problem: "no stored run begins with \"\(id)\"",
        remedy: "list the runs with `launchlab history`"
      )
    case .ambiguousRun(let id, let candidates):
      Diagnostic(
        .error,
        id: "ambiguous-run",
        problem: "\(candidates.count) runs begin with \"\(id)\"",
        remedy: "give more of the id, such as \(candidates.prefix(3).joined(separator: ", "))"
      )
    case .noAlert(let id, let newest):
      Diagnostic(
        .error,
        id: "no-alert",
        problem: "there is no alert \"\(id)\"",
        remedy: newest.isEmpty
          ? "no alert is stored yet; name another store with --store"
          : "give one that is stored; the newest are \(newest.joined(separator: ", "))"
      )
    case .notASelfTest(let path, let reason):
      Diagnostic(
        .error,
        id: "not-a-selftest",
        problem: "\"\(path)\" is not the result of a self-test: \(reason)",
        place: path,
        remedy: "make one with `launchlab selftest --json FILE`"
      )
    case .unknownAlert(let id, let open):
      Diagnostic(
        .error,
        id: "unknown-alert",
        problem: "there is no alert \"\(id)\"",
        remedy: open.isEmpty
          ? "there is no open alert in this store; name another with --store"
          : "give one of the open ones: \(open.joined(separator: ", "))"
      )
    case .ambiguousAlert(let id, let stores):
      Diagnostic(
        .error,
        id: "ambiguous-alert",
        problem: "\(stores.count) stores have an alert \"\(id)\"",
        place: stores.joined(separator: ", "),
        remedy: "name one of them with --store"
      )
    case .cannotAcknowledge(let id, let state, let since):
      Diagnostic(
        .error,
        id: "cannot-acknowledge",
        problem: state == .acknowledged
          ? "\(id) is already acknowledged\(since)"
          : "\(id) is not open: it is \(state.rawValue)\(since)",
        remedy: "see what became of it with `launchlab why \(id)`"
      )
    case .notDecided(let id, let state):
      Diagnostic(
        .error,
        id: "not-decided",
        problem: "\(id) is \(state.rawValue), and nobody has acknowledged or dismissed it",
        remedy: "see what became of it with `launchlab why \(id)`"
      )
    case .alreadyDecided(let id, let standing, let since):
      Diagnostic(
        .error,
        id: "already-decided",
        problem: "run \(id) is already \(standing.rawValue)\(since)",
        remedy: "list the runs with `launchlab history --all`"
      )
    case .isLeftOut(let gone):
      Diagnostic(
        .error,
        id: "run-left-out",
        problem: "run \(gone.run) is \(gone.decision.standing.rawValue) from history: "
          + gone.decision.reason,
        remedy: "put it back with `launchlab runs include \(gone.run)`, or name another run"
      )
    case .nightInFuture(let run, let start, let now):
      Diagnostic(
        .error,
        id: "night-in-future",
        problem: "run \(run) began at \(start.formatted(.iso8601)), but the clock of this machine "
          + "says \(now.formatted(.iso8601))",
        remedy: "set the clock; or, where it was wrong then, leave that run out with "
          + "`launchlab runs remove \(run) --reason clock`"
      )
    case .badOption(let name, let value, let expected):
      Diagnostic(
        .error,
        id: "bad-option",
        problem: value.isEmpty ? "missing \(name)" : "invalid value \"\(value)\" for \(name)",
        remedy: "give \(expected)"
      )
    case .notAnAlertID(let text):
      Diagnostic(
        .error,
        id: "bad-option",
        problem: "\"\(text)\" is not an alert ID (such as R-17)",
        remedy: "see the alerts with `launchlab report`"
      )
    case .noProbe(let reason):
      Diagnostic(
        .error,
        id: "no-probe",
        problem: "the probe cannot be used on this host: \(reason)",
        remedy: "use another collector, such as `--collect breakpoints`"
      )
    case .missingScenario(let files):
      Diagnostic(
        .error,
        id: "missing-scenario",
        problem: "importing \(files) files needs the name of their scenario",
        remedy: "name it with `--scenario NAME`"
      )
    case .unknownFormat(let path):
      Diagnostic(
        .error,
        id: "unknown-format",
        problem: "cannot tell the format of \"\(path)\" from its name",
        place: path,
        remedy: "name it with `--format hyperfine` or `--format csv`"
      )
    case .notTabular(let what, let format):
      Diagnostic(
        .error,
        id: "not-tabular",
        problem: "\(what) cannot be written as \(format), because they hold lists",
        remedy: "write them as JSON lines with `--format jsonl`"
      )
    case .badCommandLine(let text, let reason, let remedy):
      Diagnostic(
        .error,
        id: "bad-command-line",
        problem: "the command \"\(text)\" cannot be read: \(reason)",
        remedy: remedy
      )
    case .cannotCompare(let reason, let remedy):
      Diagnostic(
        .error,
        id: "cannot-compare",
        problem: "cannot compare: \(reason)",
        remedy: remedy
      )
    case .cannotBisect(let reason, let remedy):
      Diagnostic(
        .error,
        id: "cannot-bisect",
        problem: "cannot bisect: \(reason)",
        remedy: remedy
      )
    case .cannotExplain(let reason, let remedy):
      Diagnostic(
        .error,
        id: "cannot-explain",
        problem: "cannot explain: \(reason)",
        remedy: remedy
      )
    case .unknownLog(let work, let id, let problem, let newest):
      Diagnostic(
        .error,
        id: "unknown-\(work.rawValue)",
        problem: "no \(work.rawValue) \"\(id)\": \(problem)",
        remedy: newest.isEmpty
          ? "name the store it was made with, with --store" : "give one of: \(newest), last"
      )
    case .cannotGoOn(let work, let id, let reason):
      Diagnostic(
        .error,
        id: "cannot-go-on",
        problem: "the \(work.rawValue) \(id) cannot go on: \(reason)",
        remedy: work == .bisection
          ? "bring back what it was built with, or start a new bisection of the range"
          : "start a new one"
      )
    case .logInUse(let work, let path):
      Diagnostic(
        .error,
        id: "\(work.rawValue)-in-use",
        problem: "another launchlab is at work on this \(work.rawValue)",
        place: path,
        remedy: "let it end, or stop it with Ctrl-C, and then go on with `--resume`"
      )
    case .otherRules(let work, let path, let rules, let known, let version):
      Diagnostic(
        .error,
        id: "other-rules",
        problem: "the log was written by the rules \(rules) of launchlab \(version), and this "
          + "launchlab has the rules \(known)",
        place: path,
        remedy: work == .bisection
          ? "use that version, or read the report.md beside the log"
          : "use that version, or start a new one"
      )
    case .badLog(let work, let path, let line, let reason):
      Diagnostic(
        .error,
        id: "bad-\(work.rawValue)",
        problem: "the log of \(work.withArticle) cannot be read: \(reason)",
        place: "\(path):\(line)",
        remedy: "give a log that `launchlab \(work.command)` wrote and nobody changed"
      )
    case .otherDecision(let path, let line, let reason):
      Diagnostic(
        .error,
        id: "other-decision",
        problem: "the log contradicts itself: \(reason)",
        place: "\(path):\(line)",
        remedy: "it was changed; start a new bisection"
      )
    case .badPattern(let problem, let remedy):
      Diagnostic(
        .error,
        id: "bad-pattern",
        problem: problem,
        place: "--pattern",
        remedy: remedy
      )
    }
  }
}
