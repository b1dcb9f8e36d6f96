import CLabHost
import Foundation
import Glibc
import LaunchCore

/// The rate of the counter that the dynamic loader counts its time in.
package struct CycleClock: Hashable, Sendable {
  /// Cycles per second; nil where cycles cannot be turned to time.
  package let hertz: Double?

  /// How the rate was found, or why it cannot be, as a sentence without a full stop.
  package let explanation: String

  /// Measures the rate: the median of three times 20 ms against the kernel's raw clock.
  ///
  /// It needs an invariant time stamp counter that the kernel itself keeps time by. In a virtual
  /// machine the counter is the guest's own, scaled and offset by the processor, and the hypervisor
  /// vouches for it by the CPUID bit. `kvm-clock` is accepted as well, since it is computed from the
  /// same counter; yet a guest that uses it may be moved to another host, after which the rate is
  /// another. The loader of other architectures than x86-64 prints no times, so none is needed.
  ///
  /// - Parameter host: Where `/sys` is.
  /// - Returns: The rate, or why there is none; it takes 60 ms.
  package static func measured(host: HostTree = HostTree()) -> Self {
    let isSteady = lab_has_steady_cycles()
    guard isSteady >= 0 else {
      return Self(unavailable: "the loader of this architecture prints no times")
    }
    guard isSteady == 1 else {
      return Self(unavailable: "the time stamp counter is not invariant (CPUID 0x80000007)")
    }
    let source = host.text(at: "sys/devices/system/clocksource/clocksource0/current_clocksource")
    guard let source, ["tsc", "kvm-clock"].contains(source) else {
      return Self(
        unavailable: "the kernel keeps time by \(source ?? "an unknown clock"), not by the"
          + " time stamp counter"
      )
    }
    let rates = (0..<3).map { _ in lab_cycles_per_second(20_000_000) }
    return Self(rates: rates, source: source)
  }

  private init(hertz: Double?, explanation: String) {
    self.hertz = hertz
    self.explanation = explanation
  }

  private init(unavailable reason: String) {
    self.init(hertz: nil, explanation: "cycles are not turned to time: \(reason)")
  }

  /// Takes the middle of the rates, unless they differ by more than 0.1 %.
  ///
  /// - Parameters:
  ///   - rates: Cycles per second, an odd number of them; 0 where a counter did not advance.
  ///   - source: The kernel's clock source.
  init(rates: [Double], source: String) {
    let sorted = rates.sorted()
    let middle = sorted[sorted.count / 2]
    guard let least = sorted.first, let most = sorted.last, least > 0,
      most - least <= middle / 1_000
    else {
      self.init(unavailable: "\(rates.count) measurements of its rate disagree")
      return
    }
    let caution = source == "tsc" ? "" : ", and is right until this machine is moved"
    let megahertz = String(format: "%.2f", middle / 1e6)
    self.init(
      hertz: middle,
      explanation: "cycles are counted as \(megahertz) MHz, which was measured against"
        + " \(source)\(caution)"
    )
  }
}

/// The clock of every time in launchlab, `CLOCK_MONOTONIC`.
enum MonotonicClock {
  static var now: Nanoseconds {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
