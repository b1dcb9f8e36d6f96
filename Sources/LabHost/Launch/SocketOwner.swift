/// The process that holds a socket open.
struct SocketOwner {
  var pid: Int
  var name: String

  /// Searches the open files of every process that may be seen, for proc_pid_fd(5).
  static func find(inode: UInt64) -> Self? {
    let tree = HostTree()
    let wanted = "socket:[\(inode)]"
    for entry in tree.names(in: "proc") {
      guard let pid = Int(entry) else { continue }
      let files = "proc/\(entry)/fd"
      if tree.names(in: files).contains(where: { tree.link(at: "\(files)/\($0)") == wanted }) {
        return Self(pid: pid, name: tree.text(at: "proc/\(entry)/comm") ?? "?")
      }
    }
    return nil
  }
}
