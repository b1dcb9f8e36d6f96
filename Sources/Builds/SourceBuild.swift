// Builds: commits to programs. Runs, nights and bisections have their builds from here.
//
// `GitRepository` and `GitRange` read the history, `LaunchTools` checks what a build needs before one
// begins. `SourceBuild` tells the story of a build: a worktree of the commit, its submodules
// (`SubmoduleCheckout`), the command with its log and its limit (`BuildCommand`, `BuildLog`), and the
// directory in the `BuildCache` under the `BuildDigest` of all that went in. A build that failed says how
// (`BuildFailure` in LaunchHost) and is not tried again. `SharedBuilds` are made by other hosts.
//
// `PinnedPrograms` finds the files that a build launches, and `ArtifactCache` keeps the programs of nights,
// so that a proof can launch them later.

import Foundation
package import LaunchCore
package import LaunchHost
import SystemPackage

/// Builds of a scenario's source, kept by git tree and build command.
///
/// Each build happens in a linked worktree of its own below `cache`. When it has ended the
/// link is cut, so that the repository lists no worktree that is not being built in. Failures are
/// remembered, too.
package struct SourceBuild: Sendable {
  private let source: Source
  private let cache: FilePath
  private let timeLimit: Duration?
  private var timeLeft: Duration?
  private let leases: BuildLeases?
  private let shared: SharedBuilds?
  private let interrupt: InterruptFlag?

  /// The submodules that could not be had so far, which are not asked for again.
  private let unavailable = UnavailableSubmodules()

  /// - Parameters:
  ///   - source: What is built.
  ///   - cache: The directory that holds the builds; it is made when it is missing.
  ///   - timeLimit: How long the build command may take; nil for no limit.
  ///   - leases: Takes every build that succeeds; nil when it may be removed at any time.
  ///   - shared: Where builds of others are looked for before one is made.
  ///   - interrupt: Ends a build, with all that it has started, when it is set.
  package init(
    source: Source,
    cache: String,
    timeLimit: Duration? = nil,
    leases: BuildLeases? = nil,
    shared: SharedBuilds? = nil,
    interrupt: InterruptFlag? = nil
  ) {
    self.source = source
    self.cache = FilePath(cache)
    self.timeLimit = timeLimit
    self.leases = leases
    self.shared = shared
    self.interrupt = interrupt
  }

  /// The same with at most so much time for the build command.
  ///
  /// That a build took longer than this says nothing of it, and is not remembered.
  package func limited(to time: Duration) -> Self {
    var limited = self
    limited.timeLeft = time
    return limited
  }

  /// Builds a revision, unless the same tree was built by the same command before.
  ///
  /// - Parameters:
  ///   - revision: Any name git knows, such as `HEAD`.
  ///   - triesAgain: Whether a build that has failed before is tried again. A failure is final else,
  ///     but for one by a time limit that is higher now, or by a submodule that could not be had;
  ///     then only its log is kept.
  ///   - announce: Told of the build before it begins, unless it was made before.
  /// - Returns: The build, with the directory that stands for `source.repository`.
  /// - Throws: ``HostError`` when the revision is unknown, or the build fails or is interrupted, or
  ///   the task is cancelled; the log is kept.
  package func build(
    _ revision: String,
    triesAgain: Bool = true,
    announce: (BuildRecord) -> Void = { _ in }
  ) async throws -> BuildRecord {
    let repository = try await GitRepository(containing: source.repository)
    let commit = try await repository.commit(revision)
    let room = cache.appending(
      Self.key(
        tree: commit.tree,
        command: source.build,
        prefix: repository.prefix,
        submodules: source.submodules,
        environment: BuildEnvironment(of: source).text
      )
    )
    let tree = room.appending("tree")
    var record = BuildRecord(
      commit: commit.id,
      subject: commit.subject,
      tree: commit.tree,
      directory: tree.appending(repository.prefix).lexicallyNormalized().string,
      wasCached: true
    )
    let lock = try await BuildLock(room.appending("lock"), interrupt: interrupt)
    defer { lock.release() }
    var isThere = try await isUsable(room, of: repository)
    if !isThere, let shared, shared.has(room) {
      try clear(tree)
      if await shared.fill(room) { isThere = try await isUsable(room, of: repository) }
    }
    if isThere {
      record.missingSubmodules = MissingSubmodule.noted(in: room)?.map(\.withoutOrigins)
      leases?.take(room)
      // The builds that were not used for the longest time are removed first.
      DiskUse.touch(room.appending("complete"))
      return record
    }
    if !triesAgain, let failure = BuildFailure.remembered(in: room, timeLimit: timeLimit) {
      throw HostError.buildFailed(failure, tail: failure.log.map { LogTail.lines(of: $0) } ?? [])
    }
    record.wasCached = false
    announce(record)
    BuildFailure.forget(in: room)
    var missing: [MissingSubmodule] = []
    do {
      missing = try await checkOut(commit.id, of: repository, to: tree)
      record.missingSubmodules = missing.isEmpty ? nil : missing.map(\.withoutOrigins)
      try await compile(
        in: record.directory,
        log: room.appending("build.log"),
        without: record.missingSubmodules
      )
    } catch {
      try? GitRepository.unlinkWorktree(at: tree)
      if case HostError.buildFailed(let failure, _) = error, !isCut(failure) {
        try? failure.remember(in: room)
      }
      if !triesAgain { try? OwnedDirectory.made(at: room)?.remove("tree") }
      throw error
    }
    try GitRepository.unlinkWorktree(at: tree)
    BuildCache.noteSize(of: room)
    try MissingSubmodule.note(missing, in: room)
    leases?.take(room)
    return record
  }

  /// The path of what a build has printed.
  package func log(of record: BuildRecord) -> String {
    let below = FilePath(record.directory).components.dropFirst(cache.components.count)
    return cache.appending(below.prefix(1)).appending("build.log").string
  }

  /// Whether a build is still there, which a lease then keeps.
  ///
  /// - Parameter log: Its path, from ``log(of:)``.
  /// - Returns: Whether it can be launched from now on.
  package func isKept(log: String) -> Bool {
    let room = FilePath(log).removingLastComponent()
    return leases?.take(room) != false
      && FileManager.default.fileExists(atPath: room.appending("complete").string)
  }

  /// Whether a build was ended because there was no time left, and not by its own limit.
  private func isCut(_ failure: BuildFailure) -> Bool {
    guard case .timedOut = failure.cause, let timeLeft else { return false }
    return timeLimit.map { timeLeft < $0 } ?? true
  }

  /// Whether a build was made that need not be made again.
  ///
  /// One that was made without a submodule is made again when the submodule can be had by now, or is
  /// required, unless somebody still launches it.
  private func isUsable(_ room: FilePath, of repository: GitRepository) async throws -> Bool {
    let complete = room.appending("complete")
    guard FileManager.default.fileExists(atPath: complete.string) else { return false }
    guard let missing = MissingSubmodule.noted(in: room) else { return true }
    let lease = BuildLeases.path(in: room)
    let own = BuildLock(ifFree: lease)
    defer { own?.release() }
    let isFree = own != nil || DiskUse.status(of: lease) == nil
    guard source.submodules != .required else {
      guard isFree else {
        throw HostError.buildFailed(
          BuildFailure(.submodule(path: missing[0].path, reason: missing[0].reason)),
          tail: []
        )
      }
      try FileManager.default.removeItem(atPath: complete.string)
      return false
    }
    guard isFree,
      try await submodules(of: repository).canHave(anyOf: missing, in: room.appending("probe"))
    else { return true }
    try FileManager.default.removeItem(atPath: complete.string)
    return false
  }

  private func submodules(of repository: GitRepository) -> SubmoduleCheckout {
    SubmoduleCheckout(
      repository: repository,
      policy: source.submodules,
      unavailable: unavailable,
      interrupt: interrupt
    )
  }

  /// - Returns: The submodules that cannot be had, but for a policy that takes no notice of them.
  private func checkOut(
    _ commit: String,
    of repository: GitRepository,
    to tree: FilePath
  ) async throws -> [MissingSubmodule] {
    try clear(tree)
    try await repository.addWorktree(at: tree, of: commit)
    return try await submodules(of: repository).fill(tree, of: commit)
  }

  /// Removes what an earlier build has left, and ends what still works on it.
  private func clear(_ tree: FilePath) throws {
    let room = tree.removingLastComponent()
    BuildSession.endLeft(in: room)
    guard DiskUse.status(of: tree) != nil else { return }
    guard let made = OwnedDirectory.made(at: room) else {
      throw HostError.placeRefused(path: tree.string, .unmarked)
    }
    try GitRepository.unlinkWorktree(at: tree)
    try made.remove("tree")
  }

  private func compile(
    in directory: String,
    log: FilePath,
    without missing: [MissingSubmodule]?
  ) async throws {
    guard FileManager.default.fileExists(atPath: directory) else {
      throw HostError.buildFailed(BuildFailure(.missingDirectory(directory)), tail: [])
    }
    let limit = [timeLimit, timeLeft].compactMap(\.self).min()
    let command = BuildCommand(text: source.build, timeLimit: limit, interrupt: interrupt)
    guard let cause = try await command.run(in: FilePath(directory), log: log) else { return }
    if let trouble = HostTrouble.reason(log: log.string, on: FilePath(directory)) {
      throw HostError.buildPrevented(reason: trouble, log: log.string)
    }
    var failure = BuildFailure(cause, command: source.build, log: log.string)
    failure.missingSubmodules = missing
    throw HostError.buildFailed(failure, tail: LogTail.lines(of: log.string))
  }

  /// The name of a build: the tree id, and a digest of the command, of where it is run, and of what of
  /// the environment it depends on.
  ///
  /// Where submodules are wanted they follow from the tree, but for those that cannot be had, which
  /// are noted in the build. Without them it is another build.
  static func key(
    tree: String,
    command: String,
    prefix: String,
    submodules: Source.Submodules = .tried,
    environment: String
  ) -> String {
    let kind = submodules == .off ? "\0without submodules" : ""
    let digest = fnv1a64((prefix + "\0" + command + kind + "\0" + environment).utf8)
    return "\(tree.prefix(16))-\(String(digest, radix: 16))"
  }

  /// The FNV-1a hash of some bytes.
  ///
  /// Source: Fowler, Noll and Vo, *The FNV Non-Cryptographic Hash Algorithm* (RFC 9923).
  private static func fnv1a64(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
  }
}
