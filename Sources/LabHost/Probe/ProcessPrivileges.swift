import CLabHost
import Glibc
import SystemPackage

/// What executing a file gives or takes.
enum ProcessPrivileges {
  /// Why a program must not be traced; nil when tracing changes nothing for it.
  ///
  /// A traced program does not get the privileges of its file, unless its tracer has them too;
  /// execve(2) and ptrace(2).
  static func refusalToTrace(_ path: String, mayTraceAll: Bool = mayTraceAll) -> String? {
    guard !mayTraceAll, let privilege = privilege(of: path) else { return nil }
    return "\(path) \(privilege), and would lose that while it is watched by a user without "
      + "CAP_SYS_PTRACE, so that nothing of its start is seen"
  }

  /// What more a program may do than who starts it, such as `is setuid`; nil when nothing.
  private static func privilege(of path: String) -> String? {
    // It may be allowed to execute a file that may not be read, such as sudo.
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    if status.st_mode & S_ISUID != 0, status.st_uid != geteuid() { return "is setuid" }
    if status.st_mode & S_ISGID != 0, status.st_mode & S_IXGRP != 0 { return "is setgid" }
    guard let file = try? OpenFile(reading: FilePath(path)) else { return nil }
    let length = unsafe lab_get_attribute(file.descriptor, "security.capability", nil, 0)
    return length > 0 ? "has file capabilities" : nil
  }

  /// Bit 19 of the effective set, by capabilities(7).
  static let mayTraceAll: Bool = {
    let line = (HostTree().text(at: "proc/self/status") ?? "").split(separator: "\n")
      .first { $0.hasPrefix("CapEff:") }
    let bits = line?.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) }
    return (bits ?? 0) & 1 << 19 != 0
  }()
}
