import Foundation
import Glibc

/// A Perl program that runs beside the launches of a test, and writes to stderr once it listens.
struct Listener {
  private let process = Process()

  var pid: pid_t { process.processIdentifier }

  init(_ source: String, _ arguments: [String]) throws {
    process.executableURL = URL(filePath: "/usr/bin/perl")
    process.arguments = ["-e", source] + arguments
    let output = Pipe()
    process.standardError = output
    try process.run()
    _ = try output.fileHandleForReading.read(upToCount: 1)
  }

  func end() {
    kill(pid, SIGKILL)
    process.waitUntilExit()
  }

  /// The TCP port that it listens on.
  func port() throws -> Int {
    let script = """
      for link in /proc/\(pid)/fd/*; do readlink $link; done | sed -n 's/^socket:.\\(.*\\).$/\\1/p' |
        while read inode; do awk -v i=$inode '$10 == i && $4 == "0A" {print $2}' /proc/net/tcp; done
      """
    let address = try TestMachine.shell(script, in: "/")
    return address.split(separator: ":").last.flatMap { Int($0, radix: 16) } ?? 0
  }
}
