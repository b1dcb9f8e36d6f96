import CLabHost
import Glibc
import SystemPackage

/// Whether the probe can see the launch of a program, found out from its files.
package enum ProbeApplicability: Hashable, Sendable {
  case applies

  /// The reason is a sentence for people, without a full stop.
  case refused(reason: String)

  /// How many interpreters the kernel follows.
  private static let interpreterLimit = 5

  /// Examines a program; of a script, what interprets it, and what `env` is to find.
  ///
  /// - Parameters:
  ///   - program: An absolute path.
  ///   - environment: The target's, for its PATH.
  ///   - directory: Where relative elements of the PATH begin.
  package init(program: String, environment: [String: String], directory: String) {
    self.init(
      program,
      path: environment["PATH"],
      directory: directory,
      left: Self.interpreterLimit
    )
  }

  private init(_ program: String, path: String?, directory: String, left: Int) {
    guard left > 0 else {
      self = .refused(reason: "\(program) is behind too many interpreters")
      return
    }
    switch ProgramFile(at: FilePath(program)) {
    case .script(let interpreter, let argument):
      let next = { Self($0, path: path, directory: directory, left: left - 1) }
      let first = next(interpreter)
      guard case .applies = first, interpreter.hasSuffix("/env") else {
        self = first
        return
      }
      guard case .runs(let command) = EnvCommand(argument ?? "") else {
        self = .refused(reason: "\(program) empties the environment, and so loses the probe")
        return
      }
      let found = try? ExecutableLookup.resolve(command: command, path: path, directory: directory)
      self =
        found.map(next) ?? .refused(reason: "\(program) asks for \(command), which is not there")
    case .dynamic(let loader):
      self.init(refusal: ProgramImage(program).refusal(underLoader: loader))
    case .fixed:
      self.init(refusal: ProgramImage(program).refusalWithoutLoader)
    case .pointer, .unknown:
      self = .refused(reason: "\(program) is neither a program nor a script of this system")
    }
  }

  private init(refusal: String?) { self = refusal.map { .refused(reason: $0) } ?? .applies }
}

/// What `env` does with the rest of the first line of a script; env(1).
enum EnvCommand {
  case runs(String)

  /// It removes the variables that the probe lives by.
  case ends

  init(_ argument: String) {
    var words = argument.split(separator: " ").map(String.init)
    var command = ""
    while let word = words.first {
      words.removeFirst()
      if word == "-i" || word == "-" || word == "--ignore-environment" {
        self = .ends
        return
      }
      if word == "-u" || word == "-C" { words = Array(words.dropFirst()) }
      if word.hasPrefix("-S"), word.count > 2 { words.insert(String(word.dropFirst(2)), at: 0) }
      if word.hasPrefix("-") || word.contains("=") { continue }
      command = word
      break
    }
    self = .runs(command)
  }
}

/// An ELF program as far as the probe is concerned.
struct ProgramImage {
  private let path: String

  /// The beginning, where the headers are.
  private let start: [UInt8]

  init(_ path: String) {
    self.path = path
    start = Self.beginning(of: path)
  }

  /// Why the probe sees nothing of a program with this loader; nil when it does.
  func refusal(underLoader loader: String) -> String? {
    foreignness ?? lackOfTrust ?? refusal(of: loader)
  }

  /// Why a program without a loader cannot be watched.
  var refusalWithoutLoader: String {
    if let foreignness { return foreignness }
    let isPIE = start.value(at: 16) == 3 as UInt16
    let kind = isGo ? "a static Go program" : isPIE ? "a static-PIE program" : "a static program"
    return "\(path) is \(kind), which no loader prepares"
  }

  /// Whether it has the note with the build id of the Go linker, which is behind the headers.
  var isGo: Bool { start.contains(sequence: [4, 0, 0, 0, 0x47, 0x6F, 0, 0]) }

  // MARK: - Details

  /// The probe is a program for this machine only.
  private var foreignness: String? {
    #if arch(x86_64)
    let machine: UInt16 = 62
    #else
    let machine: UInt16 = 183
    #endif
    let isNative = start.count > 20 && start[4] == 2 && start.value(at: 18) == machine
    return isNative ? nil : "\(path) is a program for another processor architecture"
  }

  /// Why the loader ignores LD_AUDIT for want of trust; ld.so(8), "secure-execution mode".
  ///
  /// The real user root has no rights to gain; execve(2), capabilities(7).
  private var lackOfTrust: String? {
    var status = stat()
    var system = statvfs()
    guard unsafe stat(path, &status) == 0, unsafe statvfs(path, &system) == 0,
      system.f_flag & UInt(ST_NOSUID) == 0
    else { return nil }
    if status.st_mode & S_ISUID != 0, status.st_uid != getuid() {
      return "\(path) is set-user-ID, where the loader takes no probe"
    }
    if status.st_mode & S_ISGID != 0, status.st_mode & S_IXGRP != 0, status.st_gid != getgid() {
      return "\(path) is set-group-ID, where the loader takes no probe"
    }
    if getuid() != 0, hasCapabilities {
      return "\(path) has capabilities of its own, where the loader takes no probe"
    }
    return nil
  }

  private var hasCapabilities: Bool {
    guard let file = try? OpenFile(reading: FilePath(path)) else { return false }
    return unsafe lab_get_attribute(file.descriptor, "security.capability", nil, 0) > 0
  }

  /// A glibc has the name of each of its versions among its symbol versions.
  private func refusal(of loader: String) -> String? {
    let bytes = HostTree().bytes(at: loader) ?? []
    if bytes.contains(sequence: Array("\0GLIBC_2.35\0".utf8)) { return nil }
    if bytes.contains(sequence: Array("\0GLIBC_PRIVATE\0".utf8)) {
      return "\(path) runs on a glibc before 2.35, where a probe slows down calls"
    }
    if loader.contains("/ld-musl-") { return "\(path) runs on musl, whose loader takes no probe" }
    return "\(path) runs on the loader \(loader), which is not glibc's"
  }

  private static func beginning(of path: String) -> [UInt8] {
    guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
    else {
      return []
    }
    defer { try? file.close() }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe try? file.read(into: $0) }
    return Array(bytes.prefix(count ?? 0))
  }
}

extension [UInt8] {
  /// Whether some bytes occur in these, one after the other.
  fileprivate func contains(sequence: [UInt8]) -> Bool {
    guard let first = sequence.first else { return true }
    var rest = self[...]
    while let index = rest.firstIndex(of: first) {
      if rest[index...].starts(with: sequence) { return true }
      rest = rest[(index + 1)...]
    }
    return false
  }
}
