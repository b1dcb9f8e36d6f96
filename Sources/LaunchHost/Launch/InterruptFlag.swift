import CLabHost
import Dispatch
import Glibc
package import LaunchCore
import Synchronization

/// Says that launchlab shall stop, and wakes who waits for a launch.
///
/// Once set it stays set.
package final class InterruptFlag: Sendable {
  /// An eventfd that is readable once the flag is set.
  let descriptor: Int32

  private let seen = Atomic(false)

  /// Makes a flag that is not set.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package init() throws(HostError) {
    descriptor = lab_make_event()
    guard descriptor >= 0 else {
      throw .system(operation: "make an eventfd", path: nil, errno: -descriptor)
    }
  }

  deinit { close(descriptor) }

  /// Whether the flag is set; to ask changes nothing.
  package var isSet: Bool { isReadable(within: .zero) }

  /// Whether somebody has seen that the flag is set, and ends in good order.
  var wasSeen: Bool { seen.load(ordering: .relaxed) }

  /// Notes that somebody has seen that the flag is set.
  func heed() { seen.store(true, ordering: .relaxed) }

  /// Sets the flag, from any thread.
  package func set() {
    var one: UInt64 = 1
    _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Lets SIGINT, SIGTERM and SIGHUP set the flag instead of ending the process.
  ///
  /// A second signal ends the process at once, after the machine is set back; so does the first
  /// when nobody sees the flag for about a second. See ``ForcedEnd``.
  ///
  /// A signal that is ignored, as under `nohup`, stays ignored. SIGPIPE does not end the process
  /// any more either, which may have to set the machine back. The flag must live as long as the
  /// process does.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package func setOnSignals() throws(HostError) {
    let signals = lab_make_event()
    guard signals >= 0 else {
      throw .system(operation: "make an eventfd", path: nil, errno: -signals)
    }
    let status = lab_tell_signals(descriptor, signals)
    guard status == 0 else {
      throw .system(operation: "take over signals", path: nil, errno: -status)
    }
    ForcedEnd.watch(signals, self)
  }

  /// The flag that SIGINT, SIGTERM and SIGHUP set from its first use on, for the rest of the process.
  package static let onSignals = Result<InterruptFlag, HostError> { () throws(HostError) in
    let flag = try InterruptFlag()
    try flag.setOnSignals()
    return flag
  }
}

extension InterruptFlag {
  /// Whether the flag is set, which the caller then ends for in good order.
  package func heedIfSet() -> Bool { heed(within: .zero) }

  /// Whether the flag is set, or becomes so within some time; the caller then ends in good order.
  ///
  /// The thread waits, for a time that is rounded up to whole milliseconds.
  package func heed(within time: Nanoseconds) -> Bool {
    guard isReadable(within: time) else { return false }
    heed()
    return true
  }

  /// Returns once the flag is set, for which the caller then ends in good order; no thread waits.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  package func heeded() async throws {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
    let (events, continuation) = AsyncStream<Never>.makeStream()
    source.setEventHandler { continuation.finish() }
    // The descriptor stays open until nobody watches it any more.
    source.setCancelHandler { withExtendedLifetime(self) {} }
    source.activate()
    for await _ in events {}
    source.cancel()
    guard heedIfSet() else { throw CancellationError() }
  }

  /// Whether the flag is set, or becomes so within some time; as ``heeded()`` for no thread waits.
  ///
  /// - Throws: `CancellationError`.
  package func heed(waiting time: Duration) async throws -> Bool {
    let work = LimitedWork(limit: nil, interrupt: self) { try await Task.sleep(for: time) }
    let (_, obstacle) = await work.result()
    try Task.checkCancellation()
    return obstacle != nil
  }

  /// Sleeps for some time; says that nothing has interrupted it.
  static func sleep(_ time: Nanoseconds) -> Bool {
    _ = poll(nil, 0, milliseconds(time))
    return false
  }

  private func isReadable(within time: Nanoseconds) -> Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&state, 1, Self.milliseconds(time)) > 0
  }

  private static func milliseconds(_ time: Nanoseconds) -> Int32 {
    Int32(clamping: (time.count + 999_999) / 1_000_000)
  }
}
