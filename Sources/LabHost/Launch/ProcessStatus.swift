import Glibc

/// One living process, as far as `/proc/PID/stat` is needed; proc_pid_stat(5).
struct ProcessStatus {
  var pid: pid_t
  var parent: pid_t
  var session: pid_t

  /// Reads the status of a process; nil when there is none, or it only waits for its parent.
  init?(of pid: pid_t) {
    guard let line = HostTree().text(at: "proc/\(pid)/stat"),
      let nameEnd = line.lastIndex(of: ")")
    else { return nil }
    let fields = Array(line[nameEnd...].split(separator: " ").dropFirst().prefix(4))
    guard fields.count == 4, fields[0] != "Z", fields[0] != "X", let parent = pid_t(fields[1]),
      let session = pid_t(fields[3])
    else { return nil }
    self.pid = pid
    self.parent = parent
    self.session = session
  }

  /// Every process that may be seen.
  static var all: [Self] {
    HostTree().names(in: "proc").compactMap { pid_t($0) }.compactMap(Self.init(of:))
  }
}
