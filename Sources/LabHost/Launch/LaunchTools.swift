import Foundation
import Glibc
package import LabModel
import Subprocess
import SystemPackage

/// What of a machine a run needs beside its targets; looking at it changes nothing.
package enum LaunchTools {
  /// Refuses when there is no such program in the PATH of this process.
  ///
  /// - Parameters:
  ///   - program: Its name.
  ///   - purpose: A phrase such as `check out the source`.
  /// - Throws: ``HostError/toolMissing(name:purpose:)``.
  static func need(_ program: String, to purpose: String) throws(HostError) {
    let path = ProcessInfo.processInfo.environment["PATH"]
    let found = try? ExecutableLookup.resolve(command: program, path: path, directory: "/")
    if found == nil { throw .toolMissing(name: program, purpose: purpose) }
  }

  /// Why the states of a plan cannot be brought about at all.
  package static func refusals(of plan: Plan) -> [HostError] {
    CapabilityCheck().refusals(of: plan.arms.map(\.state), for: [])
  }

  /// Looks for a revision of a source, and whether its build command can be run.
  ///
  /// The shell reads the command, and runs nothing of it.
  ///
  /// - Throws: ``HostError``, as a build would.
  package static func check(_ source: Source, revision: String) async throws {
    try need("git", to: "check out the source")
    _ = try await GitRepository(containing: source.repository).commit(revision)
    try need("/bin/sh", to: "run the build command")
    let shell = ExternalTool(executable: .path("/bin/sh"))
    let read = try await shell.run(["-n", "-c", source.build])
    guard read.isSuccess else {
      let failure = BuildFailure(.status(2), command: source.build)
      throw HostError.buildFailed(failure, tail: [String(read.stderr.trimmedLine)])
    }
    if let program = firstProgram(of: source.build) {
      try need(program, to: "build the source")
    }
  }

  /// The program that a build command begins with, where nothing but a name in PATH can be meant.
  ///
  /// - Returns: Nil for a path, a built-in or a keyword of the shell, an assignment, and anything
  ///   that the shell expands.
  static func firstProgram(of command: String) -> String? {
    let words = command.split(whereSeparator: \.isWhitespace)
    guard let first = words.first, words.dropFirst().first?.hasPrefix("(") != true,
      first.utf8.allSatisfy({ $0 < 0x80 }),
      first.allSatisfy({ $0.isLetter || $0.isNumber || "-_.+".contains($0) }),
      !shellWords.contains(String(first))
    else { return nil }
    return String(first)
  }

  /// The built-ins and reserved words of POSIX shells; XCU 2.4 and 2.14.
  private static let shellWords: Set<String> = [
    ".", "alias", "bg", "break", "case", "cd", "command", "continue", "do", "done", "echo", "elif",
    "else", "esac", "eval", "exec", "exit", "export", "false", "fc", "fg", "fi", "for", "function",
    "getopts", "hash", "if", "in", "jobs", "kill", "local", "printf", "pwd", "read", "readonly",
    "return", "select", "set", "shift", "source", "test", "then", "time", "times", "trap", "true",
    "type", "ulimit", "umask", "unalias", "unset", "until", "wait", "while",
  ]
}

/// Finds the program that a command names, as the shell does.
package enum ExecutableLookup {
  /// Finds a program.
  ///
  /// - Parameters:
  ///   - command: A path when it has a slash, else a name that is looked up in `path`.
  ///   - path: The PATH of the target, not of launchlab; an empty element is `directory`, and
  ///     nil the usual system directories.
  ///   - directory: What relative paths are relative to; absolute.
  /// - Returns: An absolute path. Symbolic links in it are not resolved, since programs such as
  ///   busybox look at the name they are called by.
  /// - Throws: ``HostError/launchRefused(_:)`` when there is no such program, or what is there is
  ///   a directory or not executable.
  package static func resolve(
    command: String,
    path: String?,
    directory: String
  ) throws(HostError) -> String {
    guard !command.contains("\0") else { throw .launchRefused(.containsNUL(command)) }
    if command.contains("/") {
      let program = absolute(command, in: directory)
      if let refusal = refusal(of: program) { throw .launchRefused(refusal) }
      return program
    }
    let path = path ?? "/usr/local/bin:/usr/bin:/bin"
    var nearMiss: LaunchRefusal?
    for element in path.split(separator: ":", omittingEmptySubsequences: false) {
      let program = absolute("\(element.isEmpty ? "." : element)/\(command)", in: directory)
      guard let refusal = refusal(of: program) else { return program }
      if case .programNotExecutable = refusal { nearMiss = nearMiss ?? refusal }
    }
    throw .launchRefused(nearMiss ?? .programNotFound(command: command, path: path))
  }

  /// Finds the program of a target, which has the PATH of this process unless it has one of its own.
  ///
  /// - Throws: As ``resolve(command:path:directory:)``.
  package static func program(of target: Target) throws(HostError) -> String {
    try resolve(
      command: target.command[0],
      path: target.environment["PATH"] ?? ProcessInfo.processInfo.environment["PATH"],
      directory: target.directory
    )
  }

  private static func absolute(_ path: String, in directory: String) -> String {
    FilePath(directory).pushing(FilePath(path)).lexicallyNormalized().string
  }

  private static func refusal(of program: String) -> LaunchRefusal? {
    var status = stat()
    guard unsafe stat(program, &status) == 0 else {
      return errno == EACCES
        ? .programNotExecutable(program) : .programNotFound(command: program, path: nil)
    }
    if status.st_mode & S_IFMT == S_IFDIR { return .programIsDirectory(program) }
    // The effective user counts, and root may execute only what somebody may.
    let isExecutable = unsafe faccessat(AT_FDCWD, program, X_OK, AT_EACCESS) == 0
    return isExecutable ? nil : .programNotExecutable(program)
  }
}

extension Target {
  /// All of `argv`: the program is named as it was written where that leads to it.
  ///
  /// The length of the first argument is a part of what a program works on: that of a build below a
  /// cache would be in every count of its instructions.
  package var words: [String] {
    guard let written = writtenProgram, let program = command.first,
      FilePath(directory).pushing(FilePath(written)).lexicallyNormalized().string == program
    else { return command }
    return [written] + command.dropFirst()
  }
}
