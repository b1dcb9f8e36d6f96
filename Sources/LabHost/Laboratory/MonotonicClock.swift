import Glibc
import LabModel

/// The clock of every time in launchlab, `CLOCK_MONOTONIC`.
enum MonotonicClock {
  static var now: Nanoseconds {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
