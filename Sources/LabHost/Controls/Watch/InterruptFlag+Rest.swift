import Glibc
package import LabModel

extension InterruptFlag {
  /// Whether the flag is set, or becomes so within some time; rounded up to whole milliseconds.
  package func isSet(within time: Nanoseconds) -> Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&state, 1, Self.milliseconds(time)) > 0 else { return false }
    heed()
    return true
  }

  /// Sleeps for some time; says that nothing has interrupted it.
  static func sleep(_ time: Nanoseconds) -> Bool {
    _ = poll(nil, 0, milliseconds(time))
    return false
  }

  private static func milliseconds(_ time: Nanoseconds) -> Int32 {
    Int32(clamping: (time.count + 999_999) / 1_000_000)
  }
}
