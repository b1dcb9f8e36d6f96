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
