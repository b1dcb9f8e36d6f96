import Foundation
package import LaunchCore
import SystemPackage

/// An error of the machine that ends what was asked for.
///
/// Refusals before the first launch and failures of the lab itself are here; what a target does
/// is an ``Outcome``.
package enum HostError: LabError, Hashable {
  /// A system call failed; `operation` is a phrase such as `open the spawner`.
  case system(operation: String, path: String?, errno: Int32)

  case notARepository(path: String, message: String)

  case unknownRevision(String, repository: String)

  case git(operation: String, message: String)

  /// The commits of a range cannot be listed.
  case rangeRefused(RangeRefusal)

  /// The build of a source failed; `tail` is the end of its log.
  case buildFailed(BuildFailure, tail: [String])

  /// The machine kept a build from being made, so that it says nothing of what was built; the reason
  /// is a sentence without a full stop.
  case buildPrevented(reason: String, log: String)

  /// A directory that the scenario declares may not be written to.
  case directoryRefused(role: DeclaredDirectory.Role, path: String, DirectoryRefusal)

  /// A directory or file beside the store is not launchlab's own.
  case placeRefused(path: String, PlaceRefusal)

  /// A launch state cannot be brought about on this machine.
  case stateRefused(LaunchState, StateRefusal)

  /// A launch that can never be made as it was asked for.
  case launchRefused(LaunchRefusal)

  /// There is no display for windows.
  case display(DisplayProblem)

  /// The process that launches has ended; `status` says how, such as `signal 9`, and `times` how
  /// often in a row. It says nothing of the target, which can be launched again.
  case spawnerLost(status: String, times: Int = 1)

  /// Another lab holds the lock of this host; `waited` is how long its end was waited for, as it was
  /// asked for.
  case labBusy(lock: String, owner: LabLockOwner, waited: String? = nil)

  /// What stands where the lab lock belongs cannot be locked; `reason` is a sentence without a full
  /// stop.
  case lockUnusable(path: String, reason: String)

  /// Others can write to the directory of the journal; `reason` is a sentence without a full stop.
  case journalDirectory(path: String, reason: String)

  /// Controls that are required and cannot be had, each with the reason, which is a sentence
  /// without a full stop.
  case controlsRefused([ControlName: String])

  /// A machine change could not be made; `reason` is a sentence without a full stop.
  case changeFailed(Change, reason: String)

  /// The journal of changes cannot be kept; `operation` is a phrase such as `write to`.
  case journal(operation: String, path: String, errno: Int32)

  /// A command that a scenario wants beside its launches failed.
  case commandFailed(CommandFailure)

  /// A program that is needed is not installed; its Debian package has the same name, and `purpose`
  /// is a phrase such as `count instructions`.
  case toolMissing(name: String, purpose: String)

  /// A launch cannot be watched to learn its files; `reason` is a sentence without a full stop.
  case filesNotLearnt(reason: String)

  /// The value of a variable cannot be read; the reason is a sentence without a full stop.
  case secretMissing(variable: String, place: String, reason: String)

  /// Launches cannot be traced, or no more; why not in each way that was tried, the best one first.
  case tracing([TracingFailure])

  /// The kernel gives this process less of something than libraries need, which would end it or wait for
  /// ever; getrlimit(2).
  case lowLimit(id: String, problem: String, remedy: String)

  /// Several reasons not to begin, shown one after the other.
  case several([HostError])

  /// A signal asked launchlab to stop.
  case interrupted

  package var diagnostics: [Diagnostic] {
    switch self {
    case .several(let errors):
      errors.flatMap(\.diagnostics)
    case .launchRefused(let refusal):
      [refusal.diagnostic]
    case .display(let problem):
      [problem.diagnostic]
    case .spawnerLost(let status, let times):
      [Self.lossDiagnostic(status: status, times: times)]
    case .commandFailed(let failure):
      [failure.diagnostic]
    case .interrupted:
      [Diagnostic(.error, id: "interrupted", problem: "interrupted by a signal")]
    case .directoryRefused(let role, let path, let refusal):
      [refusal.diagnostic(role: role, path: path)]
    case .placeRefused(let path, let refusal):
      [refusal.diagnostic(at: path)]
    case .stateRefused(let state, let refusal):
      [refusal.diagnostic(of: state)]
    case .labBusy(let lock, let owner, let waited):
      [Self.busyDiagnostic(lock: lock, owner: owner, waited: waited)]
    case .lockUnusable(let path, let reason):
      [Self.lockDiagnostic(path: path, reason: reason)]
    case .journalDirectory(let path, let reason):
      [Self.directoryDiagnostic(path: path, reason: reason)]
    case .controlsRefused(let reasons):
      Self.refusedDiagnostics(reasons)
    case .changeFailed(let change, let reason):
      [Self.changeDiagnostic(change, reason: reason)]
    case .journal(let operation, let path, let errno):
      [Self.journalDiagnostic(operation: operation, path: path, errno: errno)]
    case .toolMissing(let name, let purpose):
      [
        Diagnostic(
          .error,
          id: "tool-missing",
          problem: "\(name) not found in PATH, needed to \(purpose)",
          place: "PATH",
          remedy: ["curl", "git", "valgrind"].contains(name)
            ? "install it with `apt-get install \(name)`" : "install it, or correct PATH"
        )
      ]
    case .tracing(let failures): [Self.tracingDiagnostic(failures)]
    case .lowLimit(let id, let problem, let remedy):
      [Diagnostic(.error, id: id, problem: problem, remedy: remedy)]
    case .secretMissing(let variable, let place, let reason):
      [
        Diagnostic(
          .error,
          id: "secret-missing",
          problem: "the variable \"\(variable)\" of a target has no value: \(reason)",
          place: place,
          remedy: "bring it back, or change `env` of the target"
        )
      ]
    case .filesNotLearnt(let reason):
      [
        Diagnostic(
          .error,
          id: "files-not-learnt",
          problem: "the files of the launch are unknown: \(reason)",
          remedy: "run the command by hand, and see whether it becomes ready"
        )
      ]
    case .notARepository(let path, let message):
      [
        Diagnostic(
          .error,
          id: "not-a-repository",
          problem: message.trimmedLine.hasPrefix("not a git repository")
            ? "not a git repository" : "git cannot read the repository: \(message.gitReason)",
          place: path,
          remedy: message.gitRemedy
            ?? "run in a git checkout, or name one with `repository` of the section `source`"
        )
      ]
    case .unknownRevision(let revision, let repository):
      [
        Diagnostic(
          .error,
          id: "unknown-revision",
          problem: "git knows no commit \"\(revision)\"",
          place: repository,
          remedy: "list the newest commits with `git log --oneline`"
        )
      ]
    case .git(let operation, let message):
      [
        Diagnostic(
          .error,
          id: "git",
          problem: "git cannot \(operation): \(message.gitReason)",
          remedy: message.gitRemedy
        )
      ]
    case .rangeRefused(let refusal):
      [refusal.diagnostic]
    case .buildFailed(let failure, let tail):
      [failure.diagnostic(tail: tail)]
    case .buildPrevented(let reason, let log):
      [
        Diagnostic(
          .error,
          id: "build-prevented",
          problem: "the machine keeps builds from being made: \(reason)",
          place: log,
          remedy:
            "make room, or bring back what is missing, and run the command again; a bisection "
            + "goes on with `--resume last`"
        )
      ]
    case .system(let operation, let path, let errno):
      [
        Diagnostic(
          .error,
          id: "system-call",
          problem: "cannot \(operation): \(errno.errorText)",
          place: path,
          remedy: Self.remedy(for: Errno(rawValue: errno))
        )
      ]
    }
  }

  package var exitCode: LabExitCode {
    switch self {
    case .interrupted: .interrupted
    case .rangeRefused(let refusal): refusal.exitCode
    default: .couldNotMeasure
    }
  }
}

extension HostError {
  /// Why a file cannot be read or written, or a stream where there is no path, as a phrase.
  package static func reason(of error: any Error, at path: String? = nil) -> String {
    var isDirectory: ObjCBool = false
    if let path, unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
      isDirectory.boolValue
    {
      return "it is a directory"
    }
    let code = errno(of: error)
    if code == .noSuchFileOrDirectory { return "there is no such file" }
    return code?.rawValue.errorText ?? (error as NSError).localizedDescription
  }

  /// The error number that an error of Foundation or of the system stands for.
  private static func errno(of error: any Error) -> Errno? {
    if let error = error as? Errno { return error }
    let error = error as NSError
    let causes = [error, error.userInfo[NSUnderlyingErrorKey] as? NSError].compactMap(\.self)
    if let cause = causes.first(where: { $0.domain == NSPOSIXErrorDomain }) {
      return Errno(rawValue: CInt(truncatingIfNeeded: cause.code))
    }
    return (error as? CocoaError)?.code == .fileReadNoSuchFile ? .noSuchFileOrDirectory : nil
  }

  private static func remedy(for error: Errno) -> String? {
    switch error {
    case .permissionDenied, .notPermitted, .readOnlyFileSystem:
      "give another path, or run as a user who may write there"
    case .noSuchFileOrDirectory, .notDirectory, .isDirectory: "check the path"
    case .noSpace, .diskQuotaExceeded: "free some space"
    default: nil
    }
  }
}

/// What git says when it fails.
extension String {
  /// The first line that is no progress, without the prefix that git gives its messages.
  package var trimmedLine: Substring {
    let line = gitLines.first ?? ""
    return line.hasPrefix("fatal: ") ? line.dropFirst(7) : line
  }

  /// The last lines, which name the cause where a filter or a hook failed; without the remedy.
  var gitReason: String {
    let lines = gitLines.prefix { $0.first != "\t" && !$0.hasSuffix(", call:") }
    return lines.count > 1 ? lines.suffix(4).joined(separator: "; ") : String(trimmedLine)
  }

  /// The command that git advises, which stands in a line of its own after a tab.
  var gitRemedy: String? {
    gitLines.first { $0.hasPrefix("\tgit ") }.map { "run `\($0.dropFirst())`, as git advises" }
  }

  private var gitLines: [Substring] {
    let progress = ["Preparing worktree ", "Cloning into ", "HEAD is now at "]
    return split(whereSeparator: \.isNewline).filter { line in
      !progress.contains(where: line.hasPrefix)
    }
  }
}

/// Why a launch state cannot be brought about on this machine.
package enum StateRefusal: Hashable, Sendable {
  /// The page cache may not be dropped.
  case cannotDropCaches(path: String)

  /// A file of the target lies in memory, so that it is never cold.
  case inMemory(file: String, fileSystem: String)

  func diagnostic(of state: LaunchState) -> Diagnostic {
    switch self {
    case .cannotDropCaches(let path):
      Diagnostic(
        .error,
        id: "cannot-drop-caches",
        problem: "cannot reach the state \"\(state.rawValue)\" without the right to drop caches",
        place: path,
        remedy: "run as root (a container takes `--privileged`), or use the state `reinstall-cold`"
      )
    case .inMemory(let file, let fileSystem):
      Diagnostic(
        .error,
        id: "never-cold",
        problem:
          "\"\(file)\" lies on \(fileSystem), in memory, and has no state \"\(state.rawValue)\"",
        place: file,
        remedy: "copy it to a disk and name the copy, or use the state `warm`"
      )
    }
  }
}
