import Foundation
import Glibc
import LaunchHost
import Subprocess
import SystemPackage

/// A git repository that sources are checked out from; the user's checkout is never touched.
package struct GitRepository: Sendable {
  /// The directory the scenario names, with symbolic links resolved by git.
  let directory: FilePath

  /// The path of `directory` below the top of the checkout, empty or ending in a slash.
  package let prefix: String

  var command: GitCommand { GitCommand(directory: directory) }

  /// Finds the repository that contains a directory.
  ///
  /// - Throws: ``HostError/notARepository(path:message:)``.
  package init(containing path: String) async throws {
    directory = FilePath(path)
    let found = try await GitCommand(directory: directory).run(["rev-parse", "--show-prefix"])
    guard found.isSuccess else {
      throw HostError.notARepository(path: path, message: found.stderr)
    }
    prefix = found.stdout.split(separator: "\n").first.map(String.init) ?? ""
  }

  /// Resolves a revision such as `HEAD` or a tag to its commit.
  ///
  /// - Throws: ``HostError/unknownRevision(_:repository:)``, or ``HostError/rangeRefused(_:)`` when
  ///   its history cannot be read, or it may be unknown because the clone is shallow.
  package func commit(_ revision: String) async throws -> GitCommit {
    // git takes ranges and options for revisions here, which name more than one commit.
    guard !revision.contains(".."), !revision.hasPrefix("^"), !revision.hasPrefix("-") else {
      throw HostError.unknownRevision(revision, repository: directory.string)
    }
    let output = try await command.run([
      "rev-list", "--no-walk", "--max-count=1", GitCommit.format, "--end-of-options", revision,
      "--",
    ])
    guard output.isSuccess, let commit = GitCommit.list(output.stdout).first else {
      if try await isShallow {
        throw HostError.rangeRefused(.shallow(repository: directory.string))
      }
      let name = ["rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"]
      guard try await !command.run(name).isSuccess else {
        throw HostError.rangeRefused(.unreadable(message: output.stderr))
      }
      throw HostError.unknownRevision(revision, repository: directory.string)
    }
    return commit
  }

  /// An absolute path below the top of the checkout; nil for one that is not there.
  package func pathBelowTop(_ path: String) -> String? {
    guard let real = DeclaredDirectory.realPath(of: FilePath(path))?.string,
      let own = DeclaredDirectory.realPath(of: directory)?.string
    else { return nil }
    let top = "\(own)/".dropLast(prefix.count)
    return real.hasPrefix(top) ? String(real.dropFirst(top.count)) : nil
  }

  /// Whether the history is cut off somewhere.
  var isShallow: Bool {
    get async throws {
      try await command.run(["rev-parse", "--is-shallow-repository"]).stdout.hasPrefix("true")
    }
  }

  /// Checks a commit out into a linked worktree, without its submodules.
  ///
  /// Nothing of the repository is changed but its list of worktrees. That list is not locked by git:
  /// of several worktrees that are added and removed at a time, git 2.39 fails to add one in 450
  /// ("Invalid path", because another took its directory away), so a failure is tried again.
  func addWorktree(at path: FilePath, of commit: String) async throws {
    for isLast in [false, false, true] {
      do {
        _ = try await command.output(
          ["worktree", "add", "--force", "--detach", path.string, commit],
          to: "check out \(commit)"
        )
        return
      } catch {
        if isLast || FileManager.default.fileExists(atPath: path.string) { throw error }
      }
    }
  }

  /// Cuts the link between the repository and one worktree, whose files stay.
  ///
  /// Other worktrees are left alone, even those that seem gone, such as on a disk that is not
  /// mounted. Source: gitrepository-layout(5), `worktrees/<id>/gitdir`.
  static func unlinkWorktree(at path: FilePath) throws {
    let link = path.appending(".git").string
    guard let text = try? String(contentsOfFile: link, encoding: .utf8),
      text.hasPrefix("gitdir: ")
    else { return }
    // With worktree.useRelativePaths, each is relative to the directory that it stands in.
    let entry = path.pushing(FilePath(text.dropFirst(8).trimmingCharacters(in: .newlines)))
    let back = try? String(contentsOfFile: entry.appending("gitdir").string, encoding: .utf8)
    let target = entry.pushing(FilePath((back ?? "").trimmingCharacters(in: .newlines)))
    if DeclaredDirectory.realPath(of: target) == DeclaredDirectory.realPath(of: FilePath(link)),
      let real = DeclaredDirectory.realPath(of: entry)
    {
      OwnedDirectory.made(at: real) { isWorktreeEntry($0) }?.remove()
    }
    guard unsafe unlink(link) == 0 else {
      throw HostError.system(operation: "remove the link", path: link, errno: errno)
    }
  }

  /// Whether a directory is one that git has made for a worktree; what it says of itself could be
  /// written by whatever is built there.
  private static func isWorktreeEntry(_ directory: borrowing ConfinedDirectory) -> Bool {
    guard directory.path.removingLastComponent().lastComponent == "worktrees" else { return false }
    for name: FilePath.Component in ["HEAD", "commondir", "gitdir"] {
      guard let status = try? directory.status(of: name), status.isRegular else { return false }
    }
    return true
  }
}

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
