package import Foundation
import Glibc
import SystemPackage

/// Who holds a lab lock, by what the kernel tells: anybody may write anything to the lock's file.
package enum LabLockOwner: Hashable, Sendable {
  /// A living process. A lab is one that has the name of `launchlab`; it can be trusted to be one
  /// when nobody but root can have made its program, or when that is the one of this process.
  case process(LabHolder, isLab: Bool, isTrusted: Bool)

  /// The process that took it has ended, and another one has its open file.
  case inherited(from: Int)

  /// The kernel names nobody to this process, as of a holder in another container.
  case unseen(claim: LabHolder?)

  /// Looks the holder up.
  ///
  /// Source: proc_locks(5), which leaves out processes of other pid namespaces.
  ///
  /// - Parameter path: The file of the lock.
  /// - Returns: Nil when it is no file, or the kernel knows of no lock on it.
  static func holding(_ path: FilePath) -> Self? {
    var status = stat()
    // Reading a pipe that somebody has put there would wait for ever.
    guard unsafe lstat(path.string, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    let place = status.lockPlace
    for line in (HostTree().text(at: "proc/locks") ?? "").split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 5, words[1] == "FLOCK", words[5] == place, let pid = Int(words[4]) else {
        continue
      }
      guard pid > 0 else { return .unseen(claim: LabHolder(at: path)) }
      guard let holder = LabHolder(ofLiving: pid) else { return .inherited(from: pid) }
      let isTrusted = isTrusted(pid)
      return .process(holder, isLab: isTrusted || holder.program == labName, isTrusted: isTrusted)
    }
    return nil
  }

  private static let labName = "launchlab"

  /// Whether nobody but root can have made the program of a process, or it is the one of this.
  private static func isTrusted(_ pid: Int) -> Bool {
    var own = stat()
    var other = stat()
    guard unsafe stat("/proc/\(pid)/exe", &other) == 0 else { return false }
    if unsafe stat("/proc/self/exe", &own) == 0, own.st_ino == other.st_ino,
      own.st_dev == other.st_dev
    {
      return true
    }
    let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
    return name.map { FilePath($0).lastComponent?.string } == labName && other.st_uid == 0
      && other.st_mode & 0o022 == 0 && other.st_nlink == 1
  }
}

extension stat {
  /// The file as `/proc/locks` names it; makedev(3) says where a device has its two numbers.
  fileprivate var lockPlace: String {
    let device = UInt64(st_dev)
    let major = device >> 8 & 0xfff | device >> 32 & ~0xfff
    let minor = device & 0xff | device >> 12 & 0xfff_ff00
    return String(format: "%02llx:%02llx:%llu", major, minor, UInt64(st_ino))
  }
}

/// A lab that has the lab lock.
package struct LabHolder: Hashable, Codable, Sendable {
  package var pid: Int

  /// When the process started, in clock ticks after the boot; it tells it from a later one.
  package var start: UInt64

  package var user: String
  package var command: [String]
  package var startedAt: Date

  enum CodingKeys: String, CodingKey {
    case pid, start, user, command
    case startedAt = "started_at"
  }

  /// This process, which runs a command line of launchlab.
  static func current(command: [String]) -> Self {
    let identity = ProcessIdentity.current
    return Self(
      pid: identity.pid,
      start: identity.start,
      user: NSUserName(),
      command: command,
      startedAt: Date()
    )
  }

  /// The name of its program.
  var program: String? { command.first.flatMap { FilePath($0).lastComponent?.string } }

  /// One line for people, without what could steer a terminal or pass for a line of advice.
  package var sentence: String {
    let name = Self.cleaned(user)
    let words = Self.cleaned(command.joined(separator: " "))
    return "process \(pid) of \(name), \"\(words)\" since \(startedAt.formatted(.iso8601))"
  }

  private static func cleaned(_ text: String) -> String {
    let kept = text.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : "\(scalar)"
    }.joined()
    return kept.count <= 200 ? kept : kept.prefix(200) + "…"
  }
}

// MARK: - What the kernel tells

extension LabHolder {
  /// A living process; nil when there is none.
  init?(ofLiving pid: Int, tree: HostTree = HostTree()) {
    guard let identity = ProcessIdentity(ofLiving: pid, tree: tree), identity.isAlive else {
      return nil
    }
    let words = (tree.bytes(at: "proc/\(pid)/cmdline") ?? []).split(separator: 0)
      .map { String(decoding: $0, as: UTF8.self) }
    self.init(
      pid: pid,
      start: identity.start,
      user: Self.user(of: pid, in: tree),
      command: Self.command(of: words, named: Self.name(of: pid, in: tree)),
      startedAt: Self.time(ofTicks: identity.start, in: tree)
    )
  }

  /// The command line with the name that the kernel has of the program, and without the values of
  /// variables, which may be secrets.
  static func command(of words: [String], named name: String) -> [String] {
    var isVariable = false
    let rest = words.dropFirst().map { word in
      defer { isVariable = word == "--env" }
      guard isVariable || word.hasPrefix("--env=") else { return word }
      let from = isVariable ? word.startIndex : word.index(word.startIndex, offsetBy: 6)
      guard let end = word[from...].firstIndex(of: "=") else { return word }
      return word[...end] + "…"
    }
    return [name] + rest
  }

  /// What the process is called by the kernel, which only it could change; 15 bytes at most.
  private static func name(of pid: Int, in tree: HostTree) -> String {
    guard let text = tree.text(at: "proc/\(pid)/stat"), let begin = text.firstIndex(of: "("),
      let end = text.lastIndex(of: ")"), begin < end
    else { return "?" }
    return String(text[text.index(after: begin)..<end])
  }

  private static func user(of pid: Int, in tree: HostTree) -> String {
    let line = (tree.text(at: "proc/\(pid)/status") ?? "").split(separator: "\n")
      .first { $0.hasPrefix("Uid:") }
    guard let id = line?.split(separator: "\t").dropFirst(2).first.flatMap({ uid_t($0) }) else {
      return "an unknown user"
    }
    guard let entry = unsafe getpwuid(id), let name = unsafe entry.pointee.pw_name else {
      return "user \(id)"
    }
    return unsafe String(cString: name)
  }

  private static func time(ofTicks ticks: UInt64, in tree: HostTree) -> Date {
    let line = (tree.text(at: "proc/stat") ?? "").split(separator: "\n")
      .first { $0.hasPrefix("btime ") }
    let boot = line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
    let rate = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    return Date(timeIntervalSince1970: (boot + Double(ticks) / rate).rounded())
  }
}

// MARK: - What the file says

extension LabHolder {
  /// What the file of a lock says, which may be a lie; nil when it is not whole.
  init?(at path: FilePath) {
    let options: FileDescriptor.OpenOptions = [.noFollow, .nonBlocking, .closeOnExec]
    guard let file = try? FileDescriptor.open(path, .readOnly, options: options) else { return nil }
    defer { try? file.close() }
    self.init(json: HostTree.bytes(of: file) ?? [])
  }

  /// Reads what a holder has written; nil when it is not whole.
  init?(json: [UInt8]) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard let holder = try? decoder.decode(Self.self, from: Data(json)) else { return nil }
    self = holder
  }

  /// A line of JSON.
  var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array((try? encoder.encode(self)) ?? Data()) + [UInt8(ascii: "\n")]
  }
}
