import CLabHost
import Glibc
import SystemPackage

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
    let isPIE = start.integer(at: 16) as UInt16 == 3
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
    let isNative = start.count > 20 && start[4] == 2 && start.integer(at: 18) as UInt16 == machine
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
