import Foundation
import Glibc
import LaunchHost
import Synchronization
import SystemPackage

/// An exclusive lock on one build, so that two runs do not build in the same place.
struct BuildLock: Sendable {
  private let file: FileDescriptor

  /// Makes the directory of the lock, and waits until no other process holds it.
  ///
  /// A build that was removed meanwhile took its lock along, which then keeps nobody out: another
  /// one is made.
  ///
  /// - Throws: ``HostError/interrupted`` when the flag is set meanwhile, or an `Errno`.
  init(_ path: FilePath, interrupt: InterruptFlag?) async throws {
    while true {
      try Self.makeRoom(path.removingLastComponent())
      guard let file = try Self.opened(path) else { continue }
      do {
        try await Self.take(file, interrupt)
      } catch {
        try? file.close()
        throw error
      }
      if Self.isStillThere(file, at: path) {
        self.file = file
        return
      }
      try? file.close()
    }
  }

  /// Takes the lock of a file, and waits for it in a thread of its own where another process has it.
  private static func take(_ file: FileDescriptor, _ interrupt: InterruptFlag?) async throws {
    if flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 { return }
    let failure = Errno(rawValue: errno)
    guard [.wouldBlock, .interrupted].contains(failure) else { throw failure }
    let waiting = LimitedWork(limit: nil, interrupt: interrupt) { try await LockThread.take(file) }
    let (result, obstacle) = await waiting.result()
    if obstacle != nil || Task.isCancelled { throw HostError.interrupted }
    try result.get()
  }

  /// Takes the lock, unless another process holds it or it was never made.
  init?(ifFree path: FilePath) {
    guard let file = try? FileDescriptor.open(path, .readWrite, options: [.closeOnExec]) else {
      return nil
    }
    guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0, Self.isStillThere(file, at: path) else {
      try? file.close()
      return nil
    }
    self.file = file
  }

  /// Takes the lock together with others who share it, unless it is held or its directory is gone.
  init?(sharing path: FilePath) {
    guard let file = try? Self.opened(path) else { return nil }
    guard flock(file.rawValue, LOCK_SH | LOCK_NB) == 0, Self.isStillThere(file, at: path) else {
      try? file.close()
      return nil
    }
    self.file = file
  }

  func release() { try? file.close() }

  /// Makes the directory of a build with launchlab's mark, unless something is there.
  private static func makeRoom(_ room: FilePath) throws {
    try OwnPlace.make(room.removingLastComponent().string)
    do throws(HostError) {
      _ = try OwnedDirectory.make(room, permissions: 0o755)
    } catch .system(_, _, EEXIST) {
      // Where it was removed meanwhile, the lock cannot be made, and all begins again.
      _ = try OwnPlace.check(room.string)
    }
  }

  /// Opens or makes the file of the lock; nil when its directory is gone again.
  private static func opened(_ path: FilePath) throws -> FileDescriptor? {
    do {
      return try FileDescriptor.open(
        path,
        .readWrite,
        options: [.create, .closeOnExec],
        permissions: [.ownerReadWrite]
      )
    } catch Errno.noSuchFileOrDirectory {
      return nil
    }
  }

  private static func isStillThere(_ file: FileDescriptor, at path: FilePath) -> Bool {
    var own = stat()
    guard unsafe fstat(file.rawValue, &own) == 0, let now = DiskUse.status(of: path) else {
      return false
    }
    return own.st_ino == now.st_ino && own.st_dev == now.st_dev
  }
}

/// A thread that waits for the lock of a file.
private final class LockThread: Sendable {
  private enum State {
    case waiting(CheckedContinuation<Void, any Error>?)
    case over
  }

  private let state = Mutex<State>(.waiting(nil))

  /// Takes the lock, without keeping a thread of the caller.
  ///
  /// A thread that nobody waits for any more gives the lock back as soon as it gets it.
  ///
  /// - Throws: An `Errno`, or `CancellationError`.
  static func take(_ file: FileDescriptor) async throws {
    // The lock is held as long as one of both is open.
    let copy = fcntl(file.rawValue, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw Errno(rawValue: errno) }
    let thread = LockThread()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        thread.begin(continuation, copy)
      }
    } onCancel: {
      thread.end(with: .failure(CancellationError()))
    }
  }

  private func begin(_ continuation: CheckedContinuation<Void, any Error>, _ copy: Int32) {
    let isWanted = state.withLock { state in
      guard case .waiting = state else { return false }
      state = .waiting(continuation)
      return true
    }
    guard isWanted else {
      close(copy)
      return continuation.resume(throwing: CancellationError())
    }
    Thread.detachNewThread { [self] in
      var failure: Errno?
      while flock(copy, LOCK_EX) != 0 {
        failure = Errno(rawValue: errno)
        if failure != .interrupted { break }
        failure = nil
      }
      end(with: failure.map { .failure($0) } ?? .success(()))
      close(copy)
    }
  }

  private func end(with result: Result<Void, any Error>) {
    let continuation = state.withLock { state in
      defer { state = .over }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    continuation?.resume(with: result)
  }
}

/// The builds that this process still needs, which no other process removes meanwhile.
///
/// They are free again when the process ends, however it ends.
package final class BuildLeases: Sendable {
  private let held = Mutex<[String: BuildLock]>([:])

  package init() {}

  deinit {
    held.withLock { held in
      for lock in held.values { lock.release() }
    }
  }

  /// Takes a build, unless it is being removed.
  ///
  /// - Returns: Whether it is held.
  @discardableResult
  func take(_ room: FilePath) -> Bool {
    held.withLock { held in
      if held[room.string] != nil { return true }
      held[room.string] = BuildLock(sharing: Self.path(in: room))
      return held[room.string] != nil
    }
  }

  /// Where a build is marked as needed; what is not there is needed by nobody.
  static func path(in room: FilePath) -> FilePath { room.appending("lease") }
}
