import Foundation
import SystemPackage

/// Fills the submodules of a worktree with the commits that are pinned.
///
/// `git submodule` would write to the settings that all worktrees of the user share. Here each
/// submodule is a clone of its own, which borrows the objects of the user's where the commit is there.
struct SubmoduleCheckout {
  let repository: GitRepository

  /// More settings as for `git -c`, for clones from other places.
  var settings: [String] = []

  /// One submodule of one commit.
  private struct Submodule {
    let name: String
    let path: String
    let url: String
    let commit: String
  }

  /// Where submodules of a checkout may come from.
  private struct Origin {
    /// The git directory that may hold them in `modules`; nil for a fresh clone.
    var gitDirectory: FilePath?

    /// What relative addresses are relative to.
    var url: String
  }

  /// Fills the submodules of a worktree, and those in them.
  ///
  /// Submodules with `update = none` stay empty, as with git.
  ///
  /// - Throws: ``HostError/buildFailed(_:tail:)`` when one cannot be had.
  func fill(_ worktree: FilePath, of commit: String) async throws {
    guard FileManager.default.fileExists(atPath: worktree.appending(".gitmodules").string) else {
      return
    }
    let common = try await repository.command.output(
      ["rev-parse", "--path-format=absolute", "--git-common-dir"],
      to: "find its directory"
    )
    let remote = try await setting("remote.origin.url", of: repository.directory)
    let top = try await repository.command.output(
      ["rev-parse", "--show-toplevel"],
      to: "find the top of the checkout"
    )
    let origin = Origin(
      gitDirectory: FilePath(common.trimmingCharacters(in: .newlines)),
      url: remote ?? top.trimmingCharacters(in: .newlines)
    )
    try await fill(worktree, of: commit, from: origin)
  }

  private func fill(_ worktree: FilePath, of commit: String, from origin: Origin) async throws {
    for submodule in try await submodules(of: worktree, commit: commit) {
      let target = worktree.pushing(FilePath(submodule.path))
      do {
        let next = try await clone(submodule, to: target, from: origin)
        try await fill(target, of: submodule.commit, from: next)
      } catch HostError.git(_, let message) {
        throw HostError.buildFailed(
          BuildFailure(.submodule(path: submodule.path, reason: String(message.trimmedLine))),
          tail: []
        )
      }
    }
  }

  // MARK: - Clones

  /// Clones a submodule, and says where those in it may come from.
  private func clone(
    _ submodule: Submodule,
    to target: FilePath,
    from origin: Origin
  ) async throws -> Origin {
    let kept = origin.gitDirectory?.appending("modules").pushing(FilePath(submodule.name))
    let url = try await address(of: submodule, from: origin)
    if let kept, await holds(kept, submodule.commit) {
      // This place is the user's own, which no commit has named.
      let local = GitCommand(directory: "/", settings: ["protocol.file.allow=always"])
      try await clone(submodule, ["--shared", "--", kept.string], to: target, by: local)
      return Origin(gitDirectory: kept, url: url)
    }
    // The address is a commit's choice: git then allows no more than for its own submodules.
    let remote = GitCommand(
      directory: "/",
      settings: settings,
      variables: ["GIT_PROTOCOL_FROM_USER": "0"]
    )
    try await clone(submodule, ["--", url], to: target, by: remote)
    return Origin(gitDirectory: nil, url: url)
  }

  private func clone(
    _ submodule: Submodule,
    _ source: [String],
    to target: FilePath,
    by git: GitCommand
  ) async throws {
    _ = try await git.output(
      ["clone", "--quiet", "--no-checkout", "--template="] + source + [target.string],
      to: "clone a submodule"
    )
    let own = GitCommand(directory: target, settings: git.settings, variables: git.variables)
    if await !holds(target, submodule.commit) {
      _ = try await own.output(
        ["fetch", "--quiet", "origin", submodule.commit],
        to: "fetch a submodule"
      )
    }
    _ = try await own.output(
      ["checkout", "--quiet", "--detach", submodule.commit],
      to: "check out a submodule"
    )
  }

  private func holds(_ directory: FilePath, _ commit: String) async -> Bool {
    guard DiskUse.status(of: directory)?.isDirectory == true else { return false }
    let git = GitCommand(directory: directory, variables: ["GIT_NO_LAZY_FETCH": "1"])
    let output = try? await git.run(["cat-file", "-e", commit + "^{commit}"])
    return output?.isSuccess == true
  }

  // MARK: - What is pinned

  private func submodules(of worktree: FilePath, commit: String) async throws -> [Submodule] {
    let git = GitCommand(directory: worktree)
    let listed = try await git.run([
      "config", "--null", "--file", ".gitmodules", "--get-regexp", #"^submodule\..*\..*$"#,
    ])
    var settings: [String: [String: String]] = [:]
    for line in listed.stdout.split(separator: "\0") {
      let parts = line.split(separator: "\n", maxSplits: 1).map(String.init)
      guard parts.count == 2, let dot = parts[0].lastIndex(of: ".") else { continue }
      let name = String(parts[0][..<dot].dropFirst("submodule.".count))
      settings[name, default: [:]][String(parts[0][dot...].dropFirst())] = parts[1]
    }
    var found: [Submodule] = []
    for (name, values) in settings.sorted(by: { $0.key < $1.key }) {
      guard let path = values["path"], values["update"] != "none", isSafe(name), isSafe(path),
        let commit = try await pinned(path, in: commit, git)
      else { continue }
      found.append(
        Submodule(name: name, path: path, url: values["url"] ?? "", commit: commit)
      )
    }
    return found
  }

  /// Names become paths, which may not lead elsewhere; gitmodules(5).
  private func isSafe(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix("/") && !name.hasPrefix("-")
      && !name.split(separator: "/").contains("..")
  }

  /// The commit of a submodule; nil when there is none at the path.
  private func pinned(
    _ path: String,
    in commit: String,
    _ git: GitCommand
  ) async throws -> String? {
    let line = try await git.output(
      ["--literal-pathspecs", "ls-tree", commit, "--", path],
      to: "read the submodules"
    )
    let fields = line.split(maxSplits: 3, whereSeparator: \.isWhitespace)
    guard fields.count == 4, fields[0] == "160000" else { return nil }
    return String(fields[2])
  }

  /// The address of a submodule: the one that the user has set, or that of the commit.
  private func address(of submodule: Submodule, from origin: Origin) async throws -> String {
    if let directory = origin.gitDirectory,
      let own = try await setting("submodule.\(submodule.name).url", of: directory)
    {
      return own
    }
    return Self.joined(submodule.url, to: origin.url)
  }

  /// Joins an address to the one that it is relative to, if it is; git-submodule(1), `add`.
  static func joined(_ url: String, to base: String) -> String {
    guard url.hasPrefix("./") || url.hasPrefix("../") else { return url }
    var (base, rest, separator) = (Substring(base), Substring(url), "/")
    while base.hasSuffix("/") { base.removeLast() }
    while rest.hasPrefix("./") || rest.hasPrefix("../") {
      if rest.hasPrefix("../") {
        let cut = base.lastIndex(of: "/") ?? base.lastIndex(of: ":") ?? base.startIndex
        separator = base[cut...].first == ":" ? ":" : "/"
        base = base[..<cut]
      }
      rest = rest.drop { $0 == "." }.dropFirst()
    }
    return base + separator + rest
  }

  private func setting(_ name: String, of directory: FilePath) async throws -> String? {
    let output = try await GitCommand(directory: directory).run(["config", "--get", name])
    return output.isSuccess ? output.stdout.trimmingCharacters(in: .newlines) : nil
  }
}
