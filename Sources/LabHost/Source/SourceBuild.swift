import Foundation
package import LabModel
import Subprocess
import SystemPackage

/// Builds of a scenario's source, kept by git tree and build command.
///
/// Each build happens in a linked worktree of its own below `cache`. When it has ended the
/// link is cut, so that the repository lists no worktree that is not being built in.
package struct SourceBuild: Sendable {
  private let source: Source
  private let cache: FilePath
  private let interrupt: InterruptFlag?

  /// - Parameters:
  ///   - source: What is built.
  ///   - cache: The directory that holds the builds; it is made when it is missing.
  ///   - interrupt: Ends a build, with all that it has started, when it is set.
  package init(source: Source, cache: String, interrupt: InterruptFlag? = nil) {
    self.source = source
    self.cache = FilePath(cache)
    self.interrupt = interrupt
  }

  /// Builds a revision, unless the same tree was built by the same command before.
  ///
  /// - Parameters:
  ///   - revision: Any name git knows, such as `HEAD`.
  ///   - announce: Told of the build before it begins, unless it was made before.
  /// - Returns: The build, with the directory that stands for `source.repository`.
  /// - Throws: ``HostError`` when the revision is unknown, or the build fails or is interrupted; the
  ///   log is kept.
  package func build(
    _ revision: String,
    announce: (BuildRecord) -> Void = { _ in }
  ) async throws -> BuildRecord {
    let repository = try await GitRepository(containing: source.repository)
    let commit = try await repository.commit(revision)
    let room = cache.appending(
      Self.key(tree: commit.tree, command: source.build, prefix: repository.prefix)
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
    if FileManager.default.fileExists(atPath: room.appending("complete").string) {
      // The builds that were not used for the longest time are removed first.
      DiskUse.touch(room.appending("complete"))
      return record
    }
    record.wasCached = false
    announce(record)
    try await checkOut(commit.id, of: repository, to: tree)
    do {
      try await compile(in: record.directory, log: room.appending("build.log"))
    } catch {
      try? GitRepository.unlinkWorktree(at: tree)
      throw error
    }
    try GitRepository.unlinkWorktree(at: tree)
    BuildCache.noteSize(of: room)
    try Data().write(to: URL(filePath: room.appending("complete").string))
    return record
  }

  private func checkOut(
    _ commit: String,
    of repository: GitRepository,
    to tree: FilePath
  ) async throws {
    if FileManager.default.fileExists(atPath: tree.string) {
      try GitRepository.unlinkWorktree(at: tree)
      try FileManager.default.removeItem(atPath: tree.string)
    }
    try await repository.addWorktree(at: tree, of: commit)
  }

  private func compile(in directory: String, log: FilePath) async throws {
    let file = try FileDescriptor.open(
      log,
      .writeOnly,
      options: [.create, .truncate],
      permissions: [.ownerReadWrite, .groupRead]
    )
    let status: TerminationStatus
    do {
      status = try await shell(in: directory, output: file)
    } catch is CancellationError {
      throw HostError.interrupted
    }
    if interrupt?.isSet == true { throw HostError.interrupted }
    guard status.isSuccess else {
      throw HostError.buildFailed(
        command: source.build,
        status: "\(status)",
        log: log.string,
        tail: Self.tail(of: log)
      )
    }
  }

  /// Runs the build command in a session of its own, so that it can be ended as a whole.
  private func shell(
    in directory: String,
    output file: FileDescriptor
  ) async throws -> TerminationStatus {
    var options = PlatformOptions()
    options.createSession = true
    options.teardownSequence = [
      .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(2)),
      .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero),
    ]
    let command = Task { [source, options] in
      try await Subprocess.run(
        .path("/bin/sh"),
        arguments: ["-c", source.build],
        workingDirectory: FilePath(directory),
        platformOptions: options,
        output: .fileDescriptor(file, closeAfterSpawningProcess: true),
        error: .combinedWithOutput
      ).terminationStatus
    }
    let watch = Task { [interrupt] in
      while let interrupt, !interrupt.isSet { try await Task.sleep(for: .milliseconds(20)) }
      if interrupt != nil { command.cancel() }
    }
    defer { watch.cancel() }
    return try await command.value
  }

  private static func tail(of log: FilePath) -> [String] {
    let text = (try? Data(contentsOf: URL(filePath: log.string))).map {
      String(decoding: $0, as: UTF8.self)
    }
    return (text ?? "").split(whereSeparator: \.isNewline).suffix(15).map(String.init)
  }

  /// The name of a build: the tree id, and a digest of the command and where it is run.
  static func key(tree: String, command: String, prefix: String) -> String {
    "\(tree.prefix(16))-\(String(fnv1a64((prefix + "\0" + command).utf8), radix: 16))"
  }

  /// The FNV-1a hash of some bytes.
  ///
  /// Source: Fowler, Noll and Vo, *The FNV Non-Cryptographic Hash Algorithm* (RFC 9923).
  private static func fnv1a64(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
  }
}
