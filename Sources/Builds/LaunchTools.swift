import Foundation
import Glibc
package import LaunchCore
package import LaunchHost
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
