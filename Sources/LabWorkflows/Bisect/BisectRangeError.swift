import LabModel

/// Why there is nothing to bisect.
enum BisectRangeError: LabError, Hashable {
  /// A text is no range; the remedy is one that is.
  case notARange(String, remedy: String)

  /// The scenario does not say what is built.
  case noSource

  /// An end of the range may not be left out.
  case endSkipped(String)

  /// The directory of ready-made executables cannot be listed.
  case noArtifacts(directory: String)

  case tooFewArtifacts(directory: String, count: Int)

  /// An entry of the directory is, or holds, nothing that can be launched.
  case notExecutable(path: String)

  case unknownArtifact(String, directory: String, nearest: String?)

  case swappedArtifacts(good: String, bad: String)

  var diagnostics: [Diagnostic] { [diagnostic] }

  var exitCode: LabExitCode { .usage }

  private var diagnostic: Diagnostic {
    switch self {
    case .notARange(let text, let remedy):
      Self.error("\"\(text)\" is not a range of revisions", remedy: remedy)
    case .noSource:
      Self.error(
        "the scenario names no source that could be built",
        remedy: "add the section `source`, or use prebuilt executables with `--artifacts`"
      )
    case .endSkipped(let name):
      Self.error(
        "\"\(name)\" is an end of the range and cannot be skipped",
        remedy: "begin or end the range with another revision"
      )
    case .noArtifacts(let directory):
      Self.error(
        "the directory of executables cannot be read",
        place: directory,
        remedy: "give `--artifacts` a directory with one entry per version"
      )
    case .tooFewArtifacts(let directory, let count):
      Self.error(
        "two executables or more are compared, but there \(count == 1 ? "is 1" : "are \(count)")",
        place: directory,
        remedy: "put one entry per version into the directory"
      )
    case .notExecutable(let path):
      Self.error(
        "an entry of the directory of executables cannot be executed",
        place: path,
        remedy: "allow it with `chmod +x \(path)`, or take it away"
      )
    case .unknownArtifact(let name, let directory, let nearest):
      Self.error(
        "there is no executable \"\(name)\"",
        place: directory,
        remedy: nearest.map { "write `\($0)`" } ?? "list the names with `ls -v \(directory)`"
      )
    case .swappedArtifacts(let good, let bad):
      Self.error(
        "good \"\(good)\" does not come before bad \"\(bad)\"; swapped?",
        remedy: good == bad ? "name two versions" : "write `\(bad)..\(good)`"
      )
    }
  }

  private static func error(
    _ problem: String,
    place: String? = nil,
    remedy: String
  ) -> Diagnostic {
    Diagnostic(.error, id: "bisect-range", problem: problem, place: place, remedy: remedy)
  }
}
