import Glibc
import LaunchCore

/// Looks at the processes that a spawner has launched, without touching them; proc(5).
struct TreeLook {
  let spawner: pid_t
  var tree = HostTree()

  /// The most open files that are told of.
  private static let mostFiles = 8

  /// The length of a clock tick, in which the kernel counts processor time; sysconf(3).
  private static let tick = 1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK)))

  /// The processor time that the living processes have used so far.
  func used() -> Nanoseconds {
    Nanoseconds(processes.reduce(0) { $0 + $1.ticks } * Self.tick)
  }

  /// What the processes are doing.
  ///
  /// - Parameters:
  ///   - before: What ``used()`` gave at the beginning of the window.
  ///   - window: How long ago that was.
  /// - Returns: Nil when none is there any more.
  func sight(since before: Nanoseconds, window: Nanoseconds) -> TreeSight? {
    let processes = processes
    guard !processes.isEmpty else { return nil }
    let used = Nanoseconds(processes.reduce(0) { $0 + $1.ticks } * Self.tick) - before
    let open = processes.map { links(of: $0.pid) }
    let inodes = Set(open.joined().compactMap(Self.inode))
    let ports = Set(processes.flatMap { self.ports(of: $0.pid, inodes) })
    let sockets = Set(processes.flatMap { self.sockets(of: $0.pid, inodes) })
    return TreeSight(
      processes: processes.map(\.name),
      // Of those that have ended meanwhile the time is gone.
      used: max(.zero, used),
      window: window,
      isActive: processes.contains { isActive($0.pid) },
      ports: ports.sorted(),
      sockets: sockets.sorted(),
      files: Array(Set(open.joined().filter(Self.isFile)).sorted().prefix(Self.mostFiles))
    )
  }

  // MARK: - Processes

  private struct Process {
    var pid: pid_t
    var parent: pid_t
    var name: String
    var ticks: Int64
  }

  /// The living descendants of the spawner, parents before their children.
  private var processes: [Process] {
    let all = tree.names(in: "proc").compactMap { pid_t($0) }.compactMap(process)
    let children = Dictionary(grouping: all, by: \.parent)
    var found = children[spawner] ?? []
    var next = 0
    while next < found.count {
      found += children[found[next].pid] ?? []
      next += 1
    }
    return found
  }

  /// Nil for what is not there, or only waits for its parent; proc_pid_stat(5).
  private func process(_ pid: pid_t) -> Process? {
    guard let line = tree.text(at: "proc/\(pid)/stat"), let start = line.firstIndex(of: "("),
      let end = line.lastIndex(of: ")"), start < end
    else { return nil }
    let fields = line[line.index(after: end)...].split(separator: " ")
    guard fields.count > 12, fields[0] != "Z", fields[0] != "X", let parent = pid_t(fields[1]),
      let user = Int64(fields[11]), let system = Int64(fields[12])
    else { return nil }
    let name = String(line[line.index(after: start)..<end])
    return Process(pid: pid, parent: parent, name: name, ticks: user + system)
  }

  /// Whether a thread runs, or waits in a way that no signal ends, which mostly is for storage.
  private func isActive(_ pid: pid_t) -> Bool {
    tree.names(in: "proc/\(pid)/task").contains { thread in
      guard let line = tree.text(at: "proc/\(pid)/task/\(thread)/stat"),
        let end = line.lastIndex(of: ")")
      else { return false }
      let state = line[line.index(after: end)...].split(separator: " ").first
      return state == "R" || state == "D"
    }
  }

  // MARK: - Files and sockets

  /// Where the open files of a process lead; proc_pid_fd(5).
  private func links(of pid: pid_t) -> [String] {
    tree.names(in: "proc/\(pid)/fd").compactMap { tree.link(at: "proc/\(pid)/fd/\($0)") }
  }

  private static func isFile(_ link: String) -> Bool {
    link.hasPrefix("/") && !link.hasSuffix(" (deleted)")
      && !["/dev/", "/proc/", "/sys/", "/memfd:"].contains(where: link.hasPrefix)
  }

  /// The number in `socket:[12345]`.
  private static func inode(_ link: String) -> String? {
    guard link.hasPrefix("socket:["), link.hasSuffix("]") else { return nil }
    return String(link.dropFirst(8).dropLast())
  }

  /// The addresses that a process listens on, in its own network; proc_net_tcp(5).
  private func ports(of pid: pid_t, _ inodes: Set<String>) -> [String] {
    ["tcp", "tcp6"].flatMap { table -> [String] in
      let lines = tree.text(at: "proc/\(pid)/net/\(table)")?.split(separator: "\n") ?? []
      return lines.dropFirst().compactMap { line in
        let fields = line.split(separator: " ")
        // The state 0A is that of a listening socket.
        guard fields.count > 9, fields[3] == "0A", inodes.contains(String(fields[9])) else {
          return nil
        }
        return Self.address(fields[1])
      }
    }
  }

  /// Such as `127.0.0.1:80` for `0100007F:0050`: words of 32 bits in the machine's own order.
  static func address(_ text: Substring) -> String? {
    let parts = text.split(separator: ":")
    guard parts.count == 2, let port = UInt16(parts[1], radix: 16) else { return nil }
    let digits = Array(parts[0])
    guard digits.count == 8 || digits.count == 32 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: 8) {
      guard let word = UInt32(String(digits[start..<start + 8]), radix: 16) else { return nil }
      unsafe withUnsafeBytes(of: word) { unsafe bytes.append(contentsOf: $0) }
    }
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard unsafe inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else {
      return nil
    }
    let host = String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
      as: UTF8.self
    )
    return bytes.count == 4 ? "\(host):\(port)" : "[\(host)]:\(port)"
  }

  /// The paths of the Unix sockets that a process listens on; proc_net_unix(5).
  private func sockets(of pid: pid_t, _ inodes: Set<String>) -> [String] {
    let lines = tree.text(at: "proc/\(pid)/net/unix")?.split(separator: "\n") ?? []
    return lines.dropFirst().compactMap { line in
      let fields = line.split(separator: " ", maxSplits: 7)
      // The flag of a socket that accepts connections.
      guard fields.count == 8, fields[3] == "00010000", inodes.contains(String(fields[6])) else {
        return nil
      }
      return String(fields[7])
    }
  }
}
