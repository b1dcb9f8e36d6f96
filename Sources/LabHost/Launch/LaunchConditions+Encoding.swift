import Glibc
import LabModel

/// Conditions as the spawner reads them; the encoding is that of `spawner_protocol.h`.
extension LaunchConditions {
  /// The nice value and the policy that the program gets in the end.
  var givenPriority: LaunchPriority? { isRealTime ? RealTimeScheduling.priority : priority }

  /// The flags of the request that ask for them.
  var encodedFlags: UInt32 {
    let priority = givenPriority
    let flags: [(UInt32, Bool)] = [
      (8, cpus != nil),
      (16, !randomizesAddresses),
      (32, priority?.nice != nil),
      (64, priority?.policy != nil),
      (128, network == .none),
      (256, padsEnvironment),
      (512, isRealTime),
    ]
    return flags.reduce(0) { $1.1 ? $0 | $1.0 : $0 }
  }

  /// The processors, as 16 words of 64 bits.
  ///
  /// - Throws: ``HostError/launchRefused(_:)`` for a processor that can never be there.
  func encodedCPUs() throws(HostError) -> [UInt64] {
    var words = [UInt64](repeating: 0, count: ProcessAffinity.limit / 64)
    for cpu in cpus ?? [] {
      guard (0..<ProcessAffinity.limit).contains(cpu) else {
        throw .launchRefused(.unknownProcessor(cpu))
      }
      words[cpu / 64] |= 1 << UInt64(cpu % 64)
    }
    return words
  }
}

extension LaunchPriority {
  /// The number of the policy in sched(7), and the level, which is 0 for policies without one.
  var encodedPolicy: (number: UInt32, level: UInt32) {
    let level = UInt32(clamping: level ?? 1)
    return switch policy {
    case .fifo: (1, level)
    case .rr: (2, level)
    case .batch: (3, 0)
    case .other, nil: (0, 0)
    }
  }
}
