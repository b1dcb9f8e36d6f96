import CLabHost
import Foundation
import Glibc
import LaunchCore

/// The end of a process that this one has started: it can be waited for with a limit, and is reaped once.
final class ChildEnd {
  /// How a process ended.
  enum Fate: Hashable {
    case exited(status: Int32)
    case signalled(Int32)

    /// Somebody else has reaped it.
    case unknown
  }

  /// Readable once the process has ended.
  let descriptor: Int32

  private let pid: pid_t

  /// How often it is tried to reap one that has ended, in milliseconds.
  private static let step: Int32 = 10

  /// Prepares to wait for a child, which nobody else reaps.
  ///
  /// - Parameters:
  ///   - pid: The child.
  ///   - open: Opens it as a pidfd; where the kernel cannot do that, a thread waits for its end.
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  init(of pid: pid_t, open: (pid_t) -> Int32 = lab_watch_process) throws(HostError) {
    self.pid = pid
    let file = open(pid)
    descriptor = file >= 0 ? file : try Self.waitingThread(for: pid)
  }

  deinit { close(descriptor) }

  /// Starts a thread that waits for the end of a child without reaping it.
  ///
  /// - Returns: An eventfd that is readable from then on.
  private static func waitingThread(for pid: pid_t) throws(HostError) -> Int32 {
    let event = lab_make_event()
    let copy = event < 0 ? event : fcntl(event, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else {
      let code = event < 0 ? -event : errno
      if event >= 0 { close(event) }
      throw .system(operation: "wait for a process", path: nil, errno: code)
    }
    Thread.detachNewThread {
      var info = unsafe siginfo_t()
      while unsafe waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      var one: UInt64 = 1
      _ = unsafe write(copy, &one, MemoryLayout<UInt64>.size)
      close(copy)
    }
    return event
  }

  /// Waits for the end, and reaps the process.
  ///
  /// - Parameter limit: How long to wait.
  /// - Returns: Nil when it has not ended by then, or cannot be reaped yet, such as one that a debugger
  ///   holds or that waits for a disk.
  func fate(within limit: Nanoseconds) -> Fate? {
    let deadline = ContinuousClock.now + .nanoseconds(limit.count)
    var wasReadable = false
    while true {
      var status: Int32 = 0
      let ended = unsafe waitpid(pid, &status, WNOHANG)
      if ended == pid { return Self.fate(of: status) }
      if ended < 0, errno != EINTR { return .unknown }
      let left = deadline.pollTimeout
      if left == 0 { return nil }
      // One that has ended can be reaped, unless somebody traces it and has to do so first.
      var watched = pollfd(fd: wasReadable ? -1 : descriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&watched, 1, wasReadable ? min(left, Self.step) : left)
      wasReadable = wasReadable || watched.revents != 0
    }
  }

  private static func fate(of status: Int32) -> Fate {
    let signal = status & 0x7f
    return signal == 0 ? .exited(status: status >> 8 & 0xff) : .signalled(signal)
  }
}
