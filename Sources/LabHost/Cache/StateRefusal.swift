import LabModel

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
