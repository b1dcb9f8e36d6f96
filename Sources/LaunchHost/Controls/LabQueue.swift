import Synchronization
import SystemPackage

/// A place in the queue for a lab lock that another lab has.
///
/// The kernel wakes who waits, so that nothing runs beside the launches of the other lab meanwhile. Who
/// has no use for the place any more leaves the queue.
package final class LabQueue: Sendable {
  private let path: FilePath
  private let waiting: Task<Void, Never>
  private let free: InterruptFlag

  /// Locks that came free, each for the next ``LabLock`` of this process.
  private static let taken = Mutex<[FilePath: FileDescriptor]>([:])

  /// Joins the queue, behind those who wait already.
  ///
  /// - Parameter lock: The file of the lock.
  /// - Throws: ``HostError/lockUnusable(path:reason:)``, or `HostError.system`.
  package init(for lock: String) throws(HostError) {
    let path = FilePath(lock)
    let file = try LabLock.open(path, mode: path == LabLock.commonPath ? 0o666 : 0o600)
    let free = try InterruptFlag()
    self.path = path
    self.free = free
    waiting = Task {
      do {
        try await LockThread.take(file)
        try Task.checkCancellation()
        let other = Self.taken.withLock { $0.updateValue(file, forKey: path) }
        try other?.close()
      } catch {
        try? file.close()
        // Where the kernel cannot queue, such as on some file systems, the lock is tried now and then.
        try? await Task.sleep(for: .seconds(1))
      }
      free.set()
    }
  }

  deinit {
    waiting.cancel()
    try? Self.withdraw(path)?.close()
  }

  /// Who has the lock now; nil when nobody has.
  package var owner: LabLockOwner? { .holding(path) }

  /// Waits for some time at most; no thread waits.
  ///
  /// - Parameters:
  ///   - time: The longest time.
  ///   - interrupt: Ends the waiting.
  /// - Returns: Whether it is worth trying to take the lock.
  /// - Throws: ``HostError/interrupted``, or `CancellationError`.
  package func isFirst(within time: Duration, interrupt: InterruptFlag) async throws -> Bool {
    let free = free
    let work = LimitedWork(limit: time, interrupt: interrupt) { try await free.heeded() }
    let (_, obstacle) = await work.result()
    try Task.checkCancellation()
    if obstacle == .interrupted { throw HostError.interrupted }
    return free.isSet
  }

  /// The lock of a file that came free for this process, which is then the caller's.
  static func withdraw(_ path: FilePath) -> FileDescriptor? {
    taken.withLock { $0.removeValue(forKey: path) }
  }
}
