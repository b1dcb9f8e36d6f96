import CLabHost
import Glibc

/// On which processors the threads of this process run; sched_setaffinity(2).
///
/// Processors from 1,024 on are not known to launchlab.
package enum ProcessAffinity {
  /// How many processors there can be, in whole words of the mask.
  static let limit = 1_024

  /// The processors that the calling thread may run on now, ascending; empty when they cannot be
  /// read.
  package static func allowed() -> [Int] {
    var mask = [UInt8](repeating: 0, count: limit / 8)
    guard unsafe lab_get_affinity(0, &mask, UInt(mask.count)) == 0 else { return [] }
    return cpus(of: mask)
  }

  /// The processors that a process may be put on, ascending: those that are on, and in its cpuset.
  ///
  /// They may be more than ``allowed()``. Only a trial tells, for which the calling thread may run
  /// on all of them for an instant.
  package static func available() -> [Int] {
    let before = allowed()
    guard set(0, to: Array(0..<limit)) == 0 else { return before }
    defer { _ = set(0, to: before) }
    return allowed()
  }

  /// Keeps every thread of this process, and those they start from now on, on some processors.
  ///
  /// - Returns: 0, or the errno of the first thread that could not be moved; EINVAL when none of
  ///   the processors is there or allowed.
  package static func pin(to cpus: [Int]) -> Int32 {
    var pinned: Set<Int32> = []
    // A thread that was started meanwhile may still have the old processors.
    while true {
      let threads = HostTree().names(in: "proc/self/task").compactMap { Int32($0) }
      let rest = threads.filter { !pinned.contains($0) }
      if rest.isEmpty { return pinned.isEmpty ? ENOENT : 0 }
      for thread in rest {
        let errno = set(thread, to: cpus)
        guard errno == 0 || errno == ESRCH else { return errno }
        pinned.insert(thread)
      }
    }
  }

  private static func set(_ thread: Int32, to cpus: [Int]) -> Int32 {
    var mask = [UInt8](repeating: 0, count: limit / 8)
    for cpu in cpus where (0..<limit).contains(cpu) { mask[cpu / 8] |= 1 << UInt8(cpu % 8) }
    return unsafe -lab_set_affinity(thread, mask, UInt(mask.count))
  }

  private static func cpus(of mask: [UInt8]) -> [Int] {
    (0..<mask.count * 8).filter { mask[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
  }
}
