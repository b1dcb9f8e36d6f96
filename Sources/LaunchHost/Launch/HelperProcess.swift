import CLabHost
import Glibc
import LaunchCore

/// A running helper, such as the spawner, and the socket to it.
struct HelperProcess: ~Copyable {
  let pid: pid_t
  private let socket: Int32

  /// Tells of the end of the process, which a target that has not begun may hide by holding the
  /// socket open.
  private let end: ChildEnd

  /// How long it may take to end by itself, and then again to be gone once it was killed.
  private let patience: Nanoseconds

  /// Starts the helper, in a session of its own, so that Ctrl-C does not reach it.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  init(
    program: String,
    arguments: [String],
    patience: Nanoseconds = .seconds(5)
  ) throws(HostError) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw .system(operation: "make a socket pair", path: nil, errno: errno)
    }
    defer { close(ends[1]) }
    let (own, other) = (ends[0], ends[1])
    let started: (pid: pid_t, end: ChildEnd)
    do {
      started = try ForcedEnd.changing { () throws(HostError) in
        let pid = try Self.spawn(program, arguments: [program] + arguments, control: other)
        do throws(HostError) {
          let end = try ChildEnd(of: pid)
          ForcedEnd.add(spawner: pid, socket: own)
          return (pid, end)
        } catch {
          _ = Glibc.kill(pid, SIGKILL)
          throw error
        }
      }
    } catch {
      close(own)
      throw error
    }
    (pid, end) = started
    socket = own
    self.patience = patience
  }

  deinit {
    ForcedEnd.remove(spawner: pid)
    close(socket)
  }

  private static func spawn(
    _ program: String,
    arguments: [String],
    control: Int32
  ) throws(HostError) -> pid_t {
    var pointers = unsafe arguments.map { unsafe strdup($0) }
    defer { while let pointer = unsafe pointers.popLast() { unsafe free(pointer) } }
    unsafe pointers.append(nil)
    let pid = unsafe lab_start_helper(program, pointers, control)
    guard pid > 0 else {
      throw .system(operation: "start a helper", path: program, errno: -pid)
    }
    return pid
  }

  /// Sends a whole message; false when the helper is gone.
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = unsafe rest.withUnsafeBytes { buffer in
        unsafe Glibc.send(socket, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
      }
      if sent < 0 && errno == EINTR { continue }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  /// What waiting for an answer came to.
  enum Reply {
    case message([UInt8])
    case ended
    case late
    case interrupted
  }

  /// Waits until there is something to read, the process has ended, or there is an interruption.
  ///
  /// - Returns: Whether the time has passed without any of them.
  func isSilent(for limit: Nanoseconds, interrupt: Int32) -> Bool {
    let deadline = ContinuousClock.now + .nanoseconds(limit.count)
    while true {
      var watched = [socket, interrupt, end.descriptor]
        .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let left = deadline.pollTimeout
      if unsafe poll(&watched, 3, left) > 0 { return false }
      if left == 0 { return true }
    }
  }

  /// Waits for one whole message.
  ///
  /// - Parameters:
  ///   - limit: How long to wait.
  ///   - interrupt: The descriptor of an ``InterruptFlag``, or -1.
  /// - Returns: The message, or why there is none.
  func receive(within limit: Nanoseconds, interrupt: Int32) -> Reply {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    let deadline = ContinuousClock.now + .nanoseconds(limit.count)
    while true {
      var watched = [
        pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        pollfd(fd: interrupt, events: Int16(POLLIN), revents: 0),
        pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let left = deadline.pollTimeout
      if unsafe poll(&watched, 3, left) <= 0 {
        // An answer that came while this process itself was stopped is not late.
        if left == 0 { return .late }
        continue
      }
      if watched[1].revents != 0 { return .interrupted }
      // What it had said before it ended is read still.
      if watched[0].revents == 0 { return .ended }
      let count = unsafe recv(socket, &chunk, chunk.count, 0)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return .ended }
      bytes.append(contentsOf: chunk.prefix(count))
      if let size = Self.size(of: bytes), bytes.count >= size { return .message(bytes) }
      if bytes.count > chunk.count { chunk = [UInt8](repeating: 0, count: 256 << 10) }
    }
  }

  private static func size(of bytes: [UInt8]) -> Int? {
    bytes.value(of: UInt32.self).map { Int($0) + MemoryLayout<UInt32>.size }
  }

  /// Asks an idle helper to exit, and waits for it.
  consuming func dismiss() {
    _ = send([UInt8](of: UInt32(0)))
    _ = waitForEnd()
  }

  /// Closes the socket, upon which a helper stops what it does and exits; one that does
  /// not within five seconds is killed.
  ///
  /// - Returns: How it ended, such as `signal 9`.
  consuming func abandon() -> String {
    shutdown(socket, Int32(SHUT_RDWR))
    return waitForEnd()
  }

  /// Kills the helper at once.
  consuming func kill() {
    _ = Glibc.kill(pid, SIGKILL)
    _ = waitForEnd()
  }

  private func waitForEnd() -> String {
    var fate = end.fate(within: patience)
    if fate == nil {
      _ = Glibc.kill(pid, SIGKILL)
      fate = end.fate(within: patience)
    }
    return switch fate {
    case .exited(let status): "status \(status)"
    case .signalled(let signal): "signal \(signal)"
    case .unknown: "an unknown status"
    case nil: "no status, since it was killed and does not end"
    }
  }
}

/// A helper that gives each request one answer, until it is lost.
final class AnsweringHelper {
  private var process: HelperProcess?

  /// How long an answer may take.
  private let patience: Nanoseconds

  /// Why there is no answer, as a clause without a full stop.
  struct Loss: Error {
    let reason: String
  }

  /// Starts the helper.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  init(
    _ program: EmbeddedHelper,
    arguments: [String],
    patience: Nanoseconds
  ) throws(HostError) {
    self.patience = patience
    process = try HelperProcess(program: try program.unpacked(), arguments: arguments)
  }

  /// Sends a whole message, and waits for the one that answers it.
  func answer(to request: [UInt8]) throws(Loss) -> [UInt8] {
    guard process?.send(request) == true else { throw lose("it has ended") }
    switch process?.receive(within: patience, interrupt: -1) {
    case .message(let bytes): return bytes
    case .late: throw lose("it did not answer")
    case .ended, .interrupted, nil: throw lose("it has ended")
    }
  }

  /// Gives the helper up, which is gone or stuck.
  func lose(_ reason: String) -> Loss {
    let status = process.take()?.abandon()
    return Loss(reason: status.map { "\(reason), with \($0)" } ?? reason)
  }

  func close() {
    if let process = process.take() { _ = process.abandon() }
  }

  deinit { close() }
}

extension ContinuousClock.Instant {
  /// How many milliseconds poll(2) is to wait until then, rounded up so that nothing is asked again and
  /// again at the end; 0 once it has passed.
  var pollTimeout: Int32 {
    let left = (self - .now) / .milliseconds(1)
    return left > 0 ? Int32(clamping: Int64(min(left, 1_000_000)) + 1) : 0
  }
}
