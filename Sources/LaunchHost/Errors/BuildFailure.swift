import Foundation
import Glibc
package import LaunchCore
package import SystemPackage

/// Why a build of a source cannot be used.
package struct BuildFailure: Hashable, Codable, Sendable {
  package var cause: Cause

  /// The build command; empty when it was not run.
  package var command: String

  /// The path of what the build printed, where there is such a file.
  package var log: String?

  /// Whether it failed before, and was not tried again.
  package var isRemembered = false

  /// The submodules that the build command had to do without.
  package var missingSubmodules: [MissingSubmodule]?

  /// What went wrong.
  package enum Cause: Hashable, Codable, Sendable {
    /// The build command ended with a status other than 0, or by a signal.
    case status(Int32)
    case signal(Int32)

    /// The build command ended with the status 125: it asks to pass over this revision.
    case skipped

    /// The build command took longer than it may.
    case timedOut(seconds: Double)

    /// The revision has no such directory, in which the build command would be run.
    case missingDirectory(String)

    /// A submodule cannot be had; the reason is what git says.
    case submodule(path: String, reason: String)
  }

  package init(_ cause: Cause, command: String = "", log: String? = nil) {
    self.cause = cause
    self.command = command
    self.log = log
  }

  /// What happened, as a sentence without a full stop.
  package var reason: String {
    switch cause {
    case .status, .signal, .timedOut, .skipped: "the build command \(predicate)\(without)"
    case .missingDirectory(let path): "the revision has no directory \"\(path)\" to build in"
    case .submodule(let path, let reason): "the submodule \"\(path)\" is not available: \(reason)"
    }
  }

  /// Such as `, without the submodule "vendor/lib", which cannot be had: …`; often empty.
  private var without: String {
    guard let missing = missingSubmodules, let first = missing.first else { return "" }
    let more = missing.count > 1 ? " (and \(missing.count - 1) more)" : ""
    return ", without the submodule \"\(first.path)\"\(more), which is not available: "
      + first.reason
  }

  private var predicate: String {
    switch cause {
    case .status(let status): "exited with status \(status)"
    case .signal(let signal): "was killed by signal \(signal)"
    case .skipped: "asked to skip this revision with the exit status 125"
    case .timedOut(let seconds):
      "took longer than its time limit of "
        + "\(seconds == seconds.rounded() ? String(Int(clamping: seconds)) : String(seconds)) s"
    case .missingDirectory, .submodule: "was not run"
    }
  }

  /// What is shown to a person, with the last lines of the log.
  func diagnostic(tail: [String]) -> Diagnostic {
    let first = command.isEmpty ? reason : "the build \"\(command)\" \(predicate)\(without)"
    return Diagnostic(
      .error,
      id: "build-failed",
      problem: tail.isEmpty
        ? first : ([first + "; its last lines:"] + tail).joined(separator: "\n    | "),
      place: log,
      remedy: remedy
    )
  }

  private var remedy: String? {
    switch cause {
    case .submodule:
      "get it once with `git submodule update --init --recursive`, or build without it: "
        + "`submodules: try` in the section `source`"
    case .missingDirectory: "name a revision that has it"
    default: log.map { "read the whole log with `less \($0)`, and fix the build" }
    }
  }
}

// MARK: - Memory

extension BuildFailure {
  /// Whether the same build would fail again, as far as can be known; a network may be back.
  private var isLasting: Bool {
    if case .submodule = cause { false } else { missingSubmodules == nil }
  }

  /// Writes down that a build has failed, beside its log.
  package func remember(in room: FilePath) throws {
    guard isLasting else { return }
    try JSONEncoder().encode(self)
      .write(to: URL(filePath: Self.path(in: room).string), options: .atomic)
  }

  package static func forget(in room: FilePath) {
    try? FileManager.default.removeItem(atPath: path(in: room).string)
  }

  /// What is known of a build that has failed, unless it was ended by a lower time limit.
  package static func remembered(in room: FilePath, timeLimit: Duration?) -> Self? {
    guard let data = try? Data(contentsOf: URL(filePath: path(in: room).string)),
      var failure = try? JSONDecoder().decode(Self.self, from: data)
    else { return nil }
    if case .timedOut(let seconds) = failure.cause {
      guard let timeLimit, timeLimit <= .seconds(seconds) else { return nil }
    }
    failure.isRemembered = true
    return failure
  }

  private static func path(in room: FilePath) -> FilePath { room.appending("failed") }
}

// MARK: - The host

/// Failures of builds that say nothing of what was built.
package enum HostTrouble {
  /// What programs print when the machine fails them.
  private static let signs = [
    "No space left on device", "Disk quota exceeded", "Read-only file system",
    "git-lfs: command not found", "git-lfs: not found", "git: 'lfs' is not a git command",
  ]

  /// The least room that builds can be made with, in bytes.
  private static let leastRoom: UInt64 = 1 << 20

  /// Why a build failed that the machine is to blame for.
  ///
  /// - Parameters:
  ///   - log: The path of what the build printed.
  ///   - directory: Where it was made.
  /// - Returns: A sentence without a full stop; nil for any other failure.
  package static func reason(log: String, on directory: FilePath) -> String? {
    if let line = LogTail.lines(of: log, most: 1_000).last(where: { line in
      signs.contains(where: line.contains)
    }) {
      return line
    }
    var status = statvfs()
    guard unsafe statvfs(directory.string, &status) == 0,
      UInt64(status.f_bavail) * UInt64(status.f_frsize) < leastRoom
    else { return nil }
    return "there is no space left in \(directory)"
  }
}

/// Why the commits between a good and a bad one cannot be listed.
package enum RangeRefusal: Hashable, Sendable {
  case sameCommit(good: String, bad: String, id: String)

  /// The bad one is an ancestor of the good one.
  case swapped(good: String, bad: String)

  case unrelated(good: String, bad: String)

  /// Two names stand for commits that hold the same files.
  case sameTree(good: String, bad: String)

  /// The history is cut off inside the range, or before a commit that is named.
  case shallow(repository: String)

  /// Git cannot read a commit of the range.
  case unreadable(message: String)

  var exitCode: LabExitCode {
    switch self {
    case .sameCommit, .swapped, .unrelated, .sameTree: .usage
    case .shallow, .unreadable: .couldNotMeasure
    }
  }

  var diagnostic: Diagnostic {
    switch self {
    case .sameCommit(let good, let bad, let id):
      Self.diagnostic(
        "good \"\(good)\" and bad \"\(bad)\" are the same commit \(id.prefix(12))",
        remedy: "name a commit that was good and a later one that is bad, such as `v1.0..HEAD`"
      )
    case .swapped(let good, let bad):
      Self.diagnostic(
        "bad \"\(bad)\" is an ancestor of good \"\(good)\"; swapped?",
        remedy: "write `\(bad)..\(good)`; the later commit is the second one, also in a search "
          + "for an improvement"
      )
    case .unrelated(let good, let bad):
      Self.diagnostic(
        "good \"\(good)\" and bad \"\(bad)\" have no commit in common",
        remedy: "name a good commit that bad descends from, found with `git log \(bad)`"
      )
    case .sameTree(let good, let bad):
      Self.diagnostic(
        "good \"\(good)\" and bad \"\(bad)\" have the same files",
        remedy: "look at what lies between them with `git log --stat \(good)..\(bad)`"
      )
    case .shallow(let repository):
      Self.diagnostic(
        "this clone is shallow, and its history does not reach the commits asked for",
        place: repository,
        remedy: "fetch the rest with `git fetch --unshallow`"
      )
    case .unreadable(let message):
      Self.diagnostic(
        "git cannot list the commits: \(message.gitReason)",
        remedy: message.gitRemedy
          ?? "look for missing commits with `git fsck`, and get them with `git fetch`"
      )
    }
  }

  private static func diagnostic(
    _ problem: String,
    place: String? = nil,
    remedy: String
  ) -> Diagnostic {
    Diagnostic(.error, id: "range-refused", problem: problem, place: place, remedy: remedy)
  }
}
