import Glibc
import SystemPackage

/// A process, told from a later one that was given the same id by when it started.
///
/// Its description, `<pid>-<start>`, is part of the names of what the process leaves behind.
struct ProcessIdentity: Hashable, Sendable, CustomStringConvertible {
  let pid: Int

  /// Field 22 of `/proc/PID/stat`, in clock ticks after the boot; proc_pid_stat(5).
  let start: UInt64

  /// Reads the identity of a living process; nil when there is none.
  init?(ofLiving pid: Int, tree: HostTree = HostTree()) {
    guard let text = tree.text(at: "proc/\(pid)/stat"), let comm = text.lastIndex(of: ")"),
      let start = text[comm...].split(separator: " ").dropFirst(20).first.flatMap({ UInt64($0) })
    else { return nil }
    self.pid = pid
    self.start = start
  }

  /// Reads a description.
  init?(_ description: some StringProtocol) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let pid = Int(parts[0]), let start = UInt64(parts[1]) else {
      return nil
    }
    self.pid = pid
    self.start = start
  }

  private init(pid: Int, start: UInt64) {
    self.pid = pid
    self.start = start
  }

  /// This process.
  static let current =
    ProcessIdentity(ofLiving: Int(getpid())) ?? ProcessIdentity(pid: Int(getpid()), start: 0)

  /// Whether this very process still runs; one that only waits for its parent has ended.
  var isAlive: Bool {
    ProcessIdentity(ofLiving: pid) == self && ProcessStatus(of: pid_t(pid)) != nil
  }

  var description: String { "\(pid)-\(start)" }
}
