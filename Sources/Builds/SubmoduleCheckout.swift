import Foundation
import LaunchCore
import LaunchHost
import Synchronization
import SystemPackage

/// Fills the submodules of a worktree with the commits that are pinned.
///
/// `git submodule` would write to the settings that all worktrees of the user share. Here each
/// submodule is a clone of its own, which borrows the objects of the user's where the commit is there.
struct SubmoduleCheckout {
  let repository: GitRepository

  /// What becomes of a submodule that cannot be had.
  var policy = Source.Submodules.required

  /// What could not be had before, where that is known.
  var unavailable: UnavailableSubmodules?

  /// Ends the work when it is set.
  var interrupt: InterruptFlag?

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

    /// The checkout of the user, where the git directory of a submodule may still be in its place.
    var checkout: FilePath?

    /// What relative addresses are relative to.
    var url: String
  }

  /// Fills the submodules of a worktree, and those in them.
  ///
  /// Submodules with `update = none` stay empty, as with git.
  ///
  /// - Returns: Those that cannot be had, whose directories are empty.
  /// - Throws: ``HostError/buildFailed(_:tail:)`` when one that is required cannot be had, and
  ///   ``HostError/interrupted``.
  @discardableResult
  func fill(_ worktree: FilePath, of commit: String) async throws -> [MissingSubmodule] {
    guard policy != .off,
      FileManager.default.fileExists(atPath: worktree.appending(".gitmodules").string)
    else { return [] }
    let common = try await repository.command.output(
      ["rev-parse", "--path-format=absolute", "--git-common-dir"],
      to: "find its directory"
    )
    let remote = try await setting("remote.origin.url", of: repository.directory)
    let top = try await repository.command.output(
      ["rev-parse", "--show-toplevel"],
      to: "find the top of the checkout"
    ).trimmingCharacters(in: .newlines)
    let origin = Origin(
      gitDirectory: FilePath(common.trimmingCharacters(in: .newlines)),
      checkout: FilePath(top),
      url: remote ?? top
    )
    return try await fill(worktree, below: "", of: commit, from: origin)
  }

  private func fill(
    _ worktree: FilePath,
    below prefix: String,
    of commit: String,
    from origin: Origin
  ) async throws -> [MissingSubmodule] {
    var missing: [MissingSubmodule] = []
    for submodule in try await submodules(of: worktree, commit: commit) {
      let target = worktree.pushing(FilePath(submodule.path))
      let path = prefix + submodule.path
      do {
        let next = try await clone(submodule, to: target, from: origin)
        missing += try await fill(target, below: path + "/", of: submodule.commit, from: next)
      } catch HostError.git(_, let message) {
        // What was ended with launchlab says nothing of the submodule.
        if Task.isCancelled || interrupt?.heedIfSet() == true { throw HostError.interrupted }
        let reason = Self.reason(message)
        guard policy == .tried else {
          throw HostError.buildFailed(
            BuildFailure(.submodule(path: path, reason: reason)),
            tail: []
          )
        }
        try Self.empty(target)
        missing.append(
          MissingSubmodule(
            path: path,
            commit: submodule.commit,
            directories: places(of: submodule, in: origin).map(\.string),
            addresses: try await addresses(of: submodule, from: origin),
            reason: reason
          )
        )
      }
    }
    return missing
  }

  /// The first line of what git says, without the name and password of an address.
  private static func reason(_ message: String) -> String {
    String(message.trimmedLine).replacing(#/://[^/@\s']*@/#, with: "://…@")
  }

  /// Leaves a submodule as git leaves one that is not initialised.
  private static func empty(_ target: FilePath) throws {
    if DiskUse.status(of: target) != nil {
      try FileManager.default.removeItem(atPath: target.string)
    }
    try FileManager.default.createDirectory(
      atPath: target.string,
      withIntermediateDirectories: true
    )
  }

  // MARK: - Clones

  /// Clones a submodule, and says where those in it may come from.
  private func clone(
    _ submodule: Submodule,
    to target: FilePath,
    from origin: Origin
  ) async throws -> Origin {
    let urls = try await addresses(of: submodule, from: origin)
    for kept in places(of: submodule, in: origin) where await holds(kept, submodule.commit) {
      // This place is the user's own, which no commit has named.
      let local = GitCommand(directory: "/", settings: ["protocol.file.allow=always"])
      try await clone(["--shared", "--", kept.string], to: target, by: local)
      try await checkOut(submodule.commit, in: target, by: local)
      let checkout = kept.lastComponent?.string == ".git" ? kept.removingLastComponent() : nil
      return Origin(gitDirectory: kept, checkout: checkout, url: urls[0])
    }
    var failure = HostError.git(operation: "clone a submodule", message: "it has no address")
    for url in urls {
      do {
        try await fetch(submodule.commit, from: url, to: target)
        return Origin(url: url)
      } catch let error as HostError {
        failure = error
        try Self.empty(target)
      }
    }
    throw failure
  }

  /// Clones a submodule from its address, unless that has failed before.
  private func fetch(_ commit: String, from url: String, to target: FilePath) async throws {
    for known in [url, "\(url) \(commit)"] {
      guard let message = unavailable?.reason(for: known) else { continue }
      throw HostError.git(operation: "fetch a submodule", message: message)
    }
    var step = url
    do {
      try await clone(["--", url], to: target, by: remote)
      step = "\(url) \(commit)"
      try await checkOut(commit, in: target, by: remote)
    } catch let error as HostError {
      remember(error, of: step)
      throw error
    }
  }

  private func remember(_ error: HostError, of place: String) {
    guard case .git(_, let message) = error, !Task.isCancelled, interrupt?.isSet != true else {
      return
    }
    unavailable?.note(message, for: place)
  }

  /// How git is called for an address.
  ///
  /// The address is a commit's choice: git then allows no more than for its own submodules. A
  /// transfer that stands still is given up.
  private var remote: GitCommand {
    GitCommand(
      directory: "/",
      settings: ["http.lowSpeedLimit=1", "http.lowSpeedTime=60"] + settings,
      variables: ["GIT_PROTOCOL_FROM_USER": "0"]
    )
  }

  private func clone(
    _ source: [String],
    to target: FilePath,
    by git: GitCommand
  ) async throws {
    _ = try await git.output(
      ["clone", "--quiet", "--no-checkout", "--template="] + source + [target.string],
      to: "clone a submodule"
    )
  }

  private func checkOut(_ commit: String, in target: FilePath, by git: GitCommand) async throws {
    let own = GitCommand(directory: target, settings: git.settings, variables: git.variables)
    if await !holds(target, commit) {
      _ = try await own.output(
        ["fetch", "--quiet", "origin", commit],
        to: "fetch a submodule"
      )
    }
    _ = try await own.output(
      ["checkout", "--quiet", "--detach", commit],
      to: "check out a submodule"
    )
  }

  /// Whether one of the submodules that a build was made without can be had by now.
  ///
  /// - Parameters:
  ///   - missing: What was noted then.
  ///   - probe: A directory that is made, and removed again.
  /// - Returns: Whether a build would have more of them now.
  /// - Throws: ``HostError/interrupted``, or ``HostError`` when the probe cannot be made.
  func canHave(anyOf missing: [MissingSubmodule], in probe: FilePath) async throws -> Bool {
    for submodule in missing {
      for directory in submodule.directories
      where await holds(FilePath(directory), submodule.commit) { return true }
      for url in submodule.addresses {
        let known = [url, "\(url) \(submodule.commit)"]
        if known.contains(where: { unavailable?.reason(for: $0) != nil }) { continue }
        if try await canFetch(submodule.commit, from: url, in: probe) { return true }
      }
    }
    return false
  }

  private func canFetch(
    _ commit: String,
    from url: String,
    in probe: FilePath
  ) async throws -> Bool {
    try Self.empty(probe)
    defer { try? FileManager.default.removeItem(atPath: probe.string) }
    let git = GitCommand(directory: probe, settings: remote.settings, variables: remote.variables)
    do {
      _ = try await git.output(["init", "--quiet", "--bare", "--template="], to: "make a probe")
      _ = try await git.output(
        ["fetch", "--quiet", "--depth=1", "--", url, commit],
        to: "fetch a submodule"
      )
      return true
    } catch let error as HostError {
      if Task.isCancelled || interrupt?.heedIfSet() == true { throw HostError.interrupted }
      remember(error, of: "\(url) \(commit)")
      return false
    }
  }

  /// The git directories of the user that may hold a submodule, by its name and by its path.
  private func places(of submodule: Submodule, in origin: Origin) -> [FilePath] {
    let modules = origin.gitDirectory?.appending("modules")
    let names = [submodule.name] + (submodule.path == submodule.name ? [] : [submodule.path])
    let inPlace = origin.checkout?.pushing(FilePath(submodule.path)).appending(".git")
    return names.compactMap { modules?.pushing(FilePath($0)) } + [inPlace].compactMap(\.self)
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

  /// The addresses of a submodule: the one that the user has set, and that of the commit, which may
  /// have been another one then.
  private func addresses(of submodule: Submodule, from origin: Origin) async throws -> [String] {
    let written = Self.joined(submodule.url, to: origin.url)
    guard let directory = origin.gitDirectory,
      let own = try await setting("submodule.\(submodule.name).url", of: directory), own != written
    else { return [written] }
    return [own, written]
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

/// The submodules that one process could not have, so that it waits for none of them twice.
final class UnavailableSubmodules: Sendable {
  private let reasons = Mutex<[String: String]>([:])

  /// What git said of an address, or of an address and a commit with a space between them.
  func reason(for place: String) -> String? { reasons.withLock { $0[place] } }

  func note(_ reason: String, for place: String) { reasons.withLock { $0[place] = reason } }
}

extension MissingSubmodule {
  /// The same for others than the build itself: an address may hold a password.
  var withoutOrigins: Self { MissingSubmodule(path: path, commit: commit, reason: reason) }

  /// What a complete build was made without; nil when it has everything.
  static func noted(in room: FilePath) -> [Self]? {
    let note = try? Data(contentsOf: URL(filePath: room.appending("complete").string))
    let missing = note.flatMap { try? JSONDecoder().decode([Self].self, from: $0) } ?? []
    return missing.isEmpty ? nil : missing
  }

  /// Notes that a build is complete, and what it was made without.
  static func note(_ missing: [Self], in room: FilePath) throws {
    try (missing.isEmpty ? Data() : JSONEncoder().encode(missing))
      .write(to: URL(filePath: room.appending("complete").string), options: .atomic)
  }
}
