import Foundation
import LabModel
import Subprocess
import SystemPackage

/// A git repository that sources are checked out from; the user's checkout is never touched.
struct GitRepository {
  /// The directory the scenario names, with symbolic links resolved by git.
  let directory: FilePath

  /// The path of `directory` below the top of the checkout, empty or ending in a slash.
  let prefix: String

  /// Finds the repository that contains a directory.
  ///
  /// - Throws: ``HostError/notARepository(path:message:)``.
  init(containing path: String) async throws {
    let git = ExternalTool(executable: .name("git"), directory: nil)
    let found = try await Self.output(
      of: git,
      ["-C", path, "rev-parse", "--show-prefix"],
      orFailAt: path
    )
    directory = FilePath(path)
    prefix = found
  }

  /// A commit, and what its tree is.
  struct Commit {
    let id: String
    let tree: String
    let subject: String
  }

  /// Resolves a revision such as `HEAD` or a tag to its commit.
  ///
  /// - Throws: ``HostError/unknownRevision(_:repository:)``.
  func commit(_ revision: String) async throws -> Commit {
    // Where signatures are shown, they stand before the format.
    let output = try await git([
      "log", "-1", "--no-show-signature", "--format=%H%n%T%n%s", "--end-of-options", revision,
    ])
    guard output.isSuccess else {
      throw HostError.unknownRevision(revision, repository: directory.string)
    }
    let lines = output.stdout.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 3 else {
      throw HostError.unknownRevision(revision, repository: directory.string)
    }
    return Commit(id: String(lines[0]), tree: String(lines[1]), subject: String(lines[2]))
  }

  /// Checks a commit out into a linked worktree.
  func addWorktree(at path: FilePath, of commit: String) async throws {
    let output = try await git([
      "worktree", "add", "--force", "--detach", path.string, commit,
    ])
    guard output.isSuccess else {
      throw HostError.git(operation: "check out \(commit)", message: output.stderr)
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
    if DeclaredDirectory.realPath(of: target) == DeclaredDirectory.realPath(of: FilePath(link)) {
      try FileManager.default.removeItem(atPath: entry.string)
    }
    try FileManager.default.removeItem(atPath: link)
  }

  private func git(_ arguments: [String]) async throws -> ExternalTool.Output {
    try await ExternalTool(executable: .name("git"), directory: nil)
      .run(["-C", directory.string] + arguments)
  }

  private static func output(
    of tool: ExternalTool,
    _ arguments: [String],
    orFailAt path: String
  ) async throws -> String {
    let output = try await tool.run(arguments)
    guard output.isSuccess else {
      throw HostError.notARepository(path: path, message: output.stderr)
    }
    return output.stdout.split(separator: "\n").first.map(String.init) ?? ""
  }
}
