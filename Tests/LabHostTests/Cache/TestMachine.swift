import Foundation
import Glibc
import SystemPackage
import Testing

/// What tests need of the machine they run on: a shell, and its rights.
enum TestMachine {
  static var isRoot: Bool { geteuid() == 0 }

  /// Mounting takes `CAP_SYS_ADMIN`, which root in a container may lack.
  static var canMount: Bool { hasCapability(21) }

  /// Changing the attributes of chattr(1) takes `CAP_LINUX_IMMUTABLE`.
  static var canLock: Bool { hasCapability(9) }

  /// Whether `setcap` is there and may be used: `CAP_SETFCAP`.
  static var hasSetcap: Bool {
    hasCapability(31) && FileManager.default.isExecutableFile(atPath: "/usr/sbin/setcap")
  }

  private static func hasCapability(_ bit: Int) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    let bits = line?.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) }
    return (bits ?? 0) >> bit & 1 == 1
  }

  /// Runs a shell script in a directory, with `set -eu`, and gives what it prints.
  @discardableResult
  static func shell(_ script: String, in directory: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-euc", script]
    process.currentDirectoryURL = URL(filePath: directory)
    process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(script)")
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  /// Everything about a tree that must not change: names, kinds, modes, owners, times, contents.
  static func digest(of tree: String) throws -> String {
    try shell(
      """
      find . -printf '%P %y %m %U %G %T@ %l\\n' | sort
      find . -type f -print0 | sort -z | xargs -0r sha256sum
      """,
      in: tree
    )
  }
}
