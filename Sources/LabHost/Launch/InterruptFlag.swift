import CLabHost
import Glibc

/// Says that launchlab shall stop, and wakes who waits for a launch.
///
/// Once set it stays set.
package final class InterruptFlag: Sendable {
  /// An eventfd that is readable once the flag is set.
  let descriptor: Int32

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

  /// Whether the flag is set.
  package var isSet: Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&state, 1, 0) > 0
  }

  /// Sets the flag, from any thread.
  package func set() {
    var one: UInt64 = 1
    _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Lets SIGINT, SIGTERM and SIGHUP set the flag instead of ending the process.
  ///
  /// A signal that is ignored, as under `nohup`, stays ignored. SIGPIPE does not end the process
  /// any more either, which may have to set the machine back. The flag must live as long as the
  /// process does.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package func setOnSignals() throws(HostError) {
    let status = lab_tell_signals(descriptor)
    guard status == 0 else {
      throw .system(operation: "take over signals", path: nil, errno: -status)
    }
  }

  /// The flag that SIGINT, SIGTERM and SIGHUP set from its first use on, for the rest of the process.
  package static let onSignals = Result<InterruptFlag, HostError> { () throws(HostError) in
    let flag = try InterruptFlag()
    try flag.setOnSignals()
    return flag
  }
}
