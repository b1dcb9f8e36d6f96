import Foundation
import Glibc
import LabModel
import SystemPackage

/// A git repository that sources are checked out from; the user's checkout is never touched.
package struct GitRepository: Sendable {
  /// The directory the scenario names, with symbolic links resolved by git.
  let directory: FilePath

  /// The path of `directory` below the top of the checkout, empty or ending in a slash.
  let prefix: String

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
