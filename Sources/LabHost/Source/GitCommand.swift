import Subprocess
import SystemPackage

/// How git is called, so that it does the same whoever calls launchlab, and runs nothing of theirs.
struct GitCommand {
  let directory: FilePath

  /// Settings as for `git -c`.
  var settings: [String] = []

  /// Variables that are added to the environment.
  var variables: [String: String] = [:]

  /// Hooks, the monitor of files and recursion into submodules would act beyond one worktree; links
  /// with relative paths are noted in the settings that all worktrees share.
  private static let settings = [
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.sparseCheckout=false",
    "submodule.recurse=false", "gc.auto=0", "maintenance.auto=false", "advice.detachedHead=false",
    "worktree.useRelativePaths=false",
  ]

  /// Runs git in the directory, where it may print so many bytes.
  func run(_ arguments: [String], limit: Int = 4 << 20) async throws -> ExternalTool.Output {
    let environment = Environment.inherit.withoutRepository.updating(
      variables.merging(["GIT_TERMINAL_PROMPT": "0"]) { own, _ in own }
        .reduce(into: [:]) { $0[Environment.Key(stringLiteral: $1.key)] = $1.value }
    )
    let options = (Self.settings + settings).flatMap { ["-c", $0] }
    return try await ExternalTool(executable: .name("git"), environment: environment)
      .run(["-C", directory.string] + options + arguments, limit: limit)
  }

  /// Runs git, which must succeed.
  ///
  /// - Parameters:
  ///   - arguments: Those after the options of git itself.
  ///   - operation: What is done, as a phrase such as `list the commits`.
  ///   - limit: The most bytes that it may print.
  /// - Returns: What it printed.
  /// - Throws: ``HostError/git(operation:message:)``.
  func output(
    _ arguments: [String],
    to operation: String,
    limit: Int = 4 << 20
  ) async throws -> String {
    let output = try await run(arguments, limit: limit)
    guard output.isSuccess else {
      throw HostError.git(operation: operation, message: output.stderr)
    }
    return output.stdout
  }
}

extension Environment {
  /// The same environment without what names another repository, as in a git hook.
  ///
  /// Source: `git rev-parse --local-env-vars`, but for settings that were given for this call, and
  /// what changes how paths are understood; git(1).
  var withoutRepository: Self {
    let names: [Environment.Key] = [
      "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_DIR",
      "GIT_GLOB_PATHSPECS", "GIT_GRAFT_FILE", "GIT_ICASE_PATHSPECS", "GIT_IMPLICIT_WORK_TREE",
      "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_LITERAL_PATHSPECS", "GIT_NAMESPACE",
      "GIT_NOGLOB_PATHSPECS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH",
      "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
    ]
    return updating(names.reduce(into: [:]) { $0[$1] = .some(nil) })
  }
}
