import Foundation
package import LaunchCore
import SystemPackage

/// Why a launch can never be made as it was asked for.
package enum LaunchRefusal: Hashable, Sendable {
  /// No such program; `path` is the PATH that was searched, nil when the command has a slash.
  case programNotFound(command: String, path: String?)

  case programIsDirectory(String)

  case programNotExecutable(String)

  /// The regular expression cannot be used.
  case badPattern(String, reason: String, remedy: String)

  case unknownCounter(String)

  /// No process of a launch ran the program that is chosen; `seen` are those that were run.
  case programNotRun(String, seen: [String])

  /// A number that no processor can have.
  case unknownProcessor(Int)

  /// A host name has no address; `reason` is the resolver's.
  case unknownHost(String, reason: String)

  /// A text holds a NUL byte, which ends every string that is given to a program.
  case containsNUL(String)

  /// The arguments and the environment are together larger than any program can be given.
  case tooLarge(bytes: Int)

  /// The target's environment has a variable that a collector of stages needs for itself.
  case variableTaken(String, collector: StageCollector)

  var diagnostic: Diagnostic {
    switch self {
    case .programNotFound(let command, nil):
      Diagnostic(
        .error,
        id: "program-not-found",
        problem: "there is no program \"\(command)\"",
        remedy: "check the path"
      )
    case .programNotFound(let command, let path?):
      Diagnostic(
        .error,
        id: "program-not-found",
        problem: "\"\(command)\" not found in PATH",
        remedy: Self.remedy(forMissing: command, in: path)
      )
    case .programNotRun(let name, let seen):
      Diagnostic(
        .error,
        id: "program-not-run",
        problem: "no process of the launch ran \"\(name)\"; it ran "
          + seen.prefix(8).joined(separator: ", ") + (seen.count > 8 ? " and others" : ""),
        remedy: "give one of these as `program`, by its file name or its path"
      )
    case .programIsDirectory(let path):
      Diagnostic(
        .error,
        id: "program-is-directory",
        problem: "\"\(path)\" is a directory, not a program",
        remedy: "name a program in it"
      )
    case .programNotExecutable(let path) where ProgramFile(at: FilePath(path)) == .pointer:
      Diagnostic(
        .error,
        id: "program-not-executable",
        problem: "\"\(path)\" is \(ProgramFile.pointerReason)",
        remedy: ProgramFile.pointerRemedy
      )
    case .programNotExecutable(let path):
      Diagnostic(
        .error,
        id: "program-not-executable",
        problem: "\"\(path)\" is not executable",
        remedy: "make it executable with `chmod +x '\(path)'`, or give its interpreter first"
      )
    case .badPattern(let pattern, let reason, let remedy):
      Diagnostic(
        .error,
        id: "bad-pattern",
        problem: "the pattern \"\(pattern)\" cannot be used: \(reason)",
        remedy: "\(remedy); it is a POSIX extended regular expression, such as `^[Rr]eady`"
      )
    case .unknownCounter(let name):
      Diagnostic(
        .error,
        id: "unknown-counter",
        problem: "there is no counter \"\(name)\"",
        remedy: "choose among \(CounterEvent.allCases.map(\.rawValue).joined(separator: ", "))"
      )
    case .unknownProcessor(let number):
      Diagnostic(
        .error,
        id: "unknown-processor",
        problem: "there is no processor \(number)",
        remedy: "choose among those that `cat /sys/devices/system/cpu/online` lists"
      )
    case .unknownHost(let host, let reason):
      Diagnostic(
        .error,
        id: "unknown-host",
        problem: "the host \"\(host)\" has no address: \(reason)",
        remedy: "give a numeric address, such as 127.0.0.1"
      )
    case .containsNUL(let text):
      Diagnostic(
        .error,
        id: "contains-nul",
        problem: "\"\(text.replacing("\0", with: "\\0"))\" contains a NUL byte",
        remedy: "remove the NUL byte"
      )
    case .variableTaken(let variable, let collector):
      Diagnostic(
        .error,
        id: "variable-taken",
        problem: "the target's environment sets \(variable), which the collector"
          + " \"\(collector.rawValue)\" needs for itself",
        remedy: "take \(variable) out of the target's environment, or choose another collector"
      )
    case .tooLarge(let bytes):
      Diagnostic(
        .error,
        id: "arguments-too-large",
        problem: "the arguments and the environment have \(bytes) bytes",
        remedy: "shorten them to less than 6 MiB"
      )
    }
  }

  /// What to do about a name that is not in PATH: it may be misspelt, or be more than a name.
  private static func remedy(forMissing command: String, in path: String) -> String {
    if command.contains(" ") { return "give the program and each argument as a word of its own" }
    let directories = path.split(separator: ":").map(String.init)
    let names = directories.flatMap {
      (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? []
    }
    let likely = names.filter { $0.first == command.first }.sorted()
    if command.count > 2, let name = nearestWord(to: command, in: likely) {
      return "did you mean `\(name)`? else give its path, or install it"
    }
    return "give its path, such as ./\(command), or install it"
  }
}
