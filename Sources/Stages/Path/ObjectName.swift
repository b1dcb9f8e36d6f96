/// The names of what system calls work on, the same in every launch.
///
/// Numbers of processes, hashes and temporary names in a path become `#`.
struct ObjectName: Hashable, Sendable {
  let text: String

  /// Of an internet address, as it was given.
  let port: Int?

  enum Kind: Hashable, Sendable {
    case file
    case socket

    /// Such as a pipe, or a standard stream.
    case kernelObject
  }

  init(kernelObject text: String) {
    self.text = text
    port = nil
  }

  /// The name of an unconnected socket of a domain, as `socket(2)` numbers them on Linux.
  init(socketDomain domain: Int64) {
    text =
      switch domain {
      case 1: "unix socket"
      case 2, 10: "internet socket"
      case 16: "netlink socket"
      default: "socket"
      }
    port = nil
  }

  /// The name of an address such as `unix:/run/x.sock` or `127.0.0.1:80`; a port that is given for
  /// a short time becomes `#`.
  init(address: String) {
    if address.hasPrefix(Self.unixPrefix) {
      text = Self.unixPrefix + Self.masked(String(address.dropFirst(Self.unixPrefix.count)))
      port = nil
      return
    }
    let colon = address.lastIndex(of: ":")
    port = colon.flatMap { Int(address[address.index(after: $0)...]) }
    if let colon, let port, port >= Self.firstTemporaryPort {
      text = address[...colon] + "#"
    } else {
      text = address
    }
  }

  init(path: String) {
    text = Self.masked(path)
    port = nil
  }

  var kind: Kind { Self.kind(of: text) }

  /// Says what a name is that this type gave.
  static func kind(of text: String) -> Kind {
    if kernelObjects.contains(text) { return .kernelObject }
    if text.hasPrefix(unixPrefix) || sockets.contains(text) { return .socket }
    guard !text.hasPrefix("/"), let colon = text.lastIndex(of: ":") else { return .file }
    let port = text[text.index(after: colon)...]
    return port == "#" || Int(port) != nil ? .socket : .file
  }

  static let unixPrefix = "unix:"
  static let streams = ["stdin", "stdout", "stderr"]

  /// What a process has mapped since it was executed: the program, its loader and its stack.
  static let mappedByExecution = "[mapped by execve]"

  private static let kernelObjects = Set(
    streams + [
      "pipe", "eventfd", "epoll", "timerfd", "signalfd", "inotify", "memfd", "pidfd", "io_uring",
      mappedByExecution,
    ]
  )
  private static let sockets: Set = [
    "unix socket", "internet socket", "netlink socket", "socket", "socket pair",
  ]

  /// The first port that Linux gives to sockets that did not ask for one.
  private static let firstTemporaryPort = 32_768
}

/// What of a path is different in every launch.
extension ObjectName {
  /// Where installed files are: the numbers in their names are those of versions.
  private static let installed = [
    "/usr/", "/lib/", "/lib32/", "/lib64/", "/etc/", "/bin/", "/sbin/", "/opt/", "/sys/",
  ]
  private static let temporary = ["/tmp/", "/var/tmp/", "/dev/shm/", "/run/"]

  /// Masks the numbers of processes, long hashes and temporary names in a path.
  ///
  /// - Parameter path: Any text.
  /// - Returns: The same path with `#` for each of them.
  static func masked(_ path: String) -> String {
    let isInstalled = installed.contains { path.hasPrefix($0) }
    let isTemporary = temporary.contains { path.hasPrefix($0) }
    let isProcess = path.hasPrefix("/proc/")
    var masked: [UInt8] = []
    var wasChanged = false
    for (place, component) in path.utf8.split(separator: slash, omittingEmptySubsequences: false)
      .enumerated()
    {
      if place > 0 { masked.append(slash) }
      let bytes = Array(component)
      let known =
        if isProcess, bytes.allSatisfy(isDigit), !bytes.isEmpty {
          [hash]
        } else if isTemporary, isPythonTemporary(bytes) {
          Array("tmp#".utf8)
        } else {
          masking(bytes, numbers: !isInstalled, temporaryNames: isTemporary)
        }
      wasChanged = wasChanged || known != bytes
      masked += known
    }
    return wasChanged ? String(decoding: masked, as: UTF8.self) : path
  }

  /// Masks the runs of letters and digits in a component of a path.
  private static func masking(
    _ component: [UInt8],
    numbers: Bool,
    temporaryNames: Bool
  ) -> [UInt8] {
    var masked: [UInt8] = []
    var start = 0
    while start < component.count {
      var end = start
      while end < component.count, isAlphanumeric(component[end]) { end += 1 }
      guard end > start else {
        masked.append(component[start])
        start += 1
        continue
      }
      let word = component[start..<end]
      if isHash(word) || (temporaryNames && isRandom(word)) {
        masked.append(hash)
      } else if numbers {
        masked += maskingNumbers(word)
      } else {
        masked += word
      }
      start = end
    }
    return masked
  }

  /// A number of four to seven digits may be that of a process, and one of nine or more a time;
  /// one of eight is a date.
  private static func maskingNumbers(_ word: ArraySlice<UInt8>) -> [UInt8] {
    var masked: [UInt8] = []
    var start = word.startIndex
    while start < word.endIndex {
      var end = start
      while end < word.endIndex, isDigit(word[end]) { end += 1 }
      let length = end - start
      if (4...7).contains(length) || length >= 9 {
        masked.append(hash)
      } else {
        masked += word[start..<max(end, start + 1)]
      }
      start = max(end, start + 1)
    }
    return masked
  }

  private static func isHash(_ word: ArraySlice<UInt8>) -> Bool {
    word.count >= 12 && word.contains(where: isDigit) && !word.allSatisfy(isDigit)
      && word.allSatisfy { isDigit($0) || (0x61...0x66).contains($0 | 0x20) }
  }

  /// Whether a word looks like what `mkstemp(3)` or `mktemp(1)` put in for its letters X.
  private static func isRandom(_ word: ArraySlice<UInt8>) -> Bool {
    guard [6, 8, 10].contains(word.count) else { return false }
    let changes = zip(word, word.dropFirst()).count { letterClass($0) != letterClass($1) }
    return changes >= 3
  }

  /// Whether it is a name that the module tempfile of Python gives: `tmp` and 8 letters.
  private static func isPythonTemporary(_ component: [UInt8]) -> Bool {
    component.count == 11 && component.starts(with: "tmp".utf8)
      && component.allSatisfy { isDigit($0) || (0x61...0x7A).contains($0) || $0 == 0x5F }
  }

  private static let slash = UInt8(ascii: "/")
  private static let hash = UInt8(ascii: "#")

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool { letterClass(byte) > 0 }

  /// 1 for digits, 2 for capitals, 3 for small letters, 0 for the rest.
  private static func letterClass(_ byte: UInt8) -> Int {
    switch byte {
    case 0x30...0x39: 1
    case 0x41...0x5A: 2
    case 0x61...0x7A: 3
    default: 0
    }
  }
}
