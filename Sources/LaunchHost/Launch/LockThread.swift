import Foundation
import Glibc
import Synchronization
package import SystemPackage

/// A thread that waits for the lock of a file.
package final class LockThread: Sendable {
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
  package static func take(_ file: FileDescriptor) async throws {
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
