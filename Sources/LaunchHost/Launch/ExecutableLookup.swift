import Foundation
import Glibc
package import LaunchCore
import Subprocess
import SystemPackage

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
