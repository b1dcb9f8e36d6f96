import Foundation
import Glibc
import LabTestSupport
import SystemPackage

@testable import LaunchCore
@testable import LaunchHost

/// A tree of files in the directory of the running test, which stands in for the machine.
struct FixtureTree {
  let tree = HostTree(root: FilePath(TemporaryDirectory.path))

  /// Writes a text file, and makes the directories that it is in.
  func write(_ text: String, to path: String, mode: Int = 0o644) throws {
    let file = URL(filePath: TemporaryDirectory.path).appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
  }

  func text(at path: String) -> String? { tree.text(at: path) }
}

extension HostError {
  /// What is shown of the error, each diagnostic on lines of its own.
  var text: String { diagnostics.map(\.description).joined(separator: "\n") }
}

/// Whether there is something at a path.
func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

/// A process that does nothing, until it is ended.
struct Sleeper {
  private let process = Process()

  init() throws {
    process.executableURL = URL(filePath: "/bin/sleep")
    process.arguments = ["1000"]
    try process.run()
  }

  var pid: pid_t { process.processIdentifier }

  func end() {
    kill(pid, SIGKILL)
    wait()
  }

  /// Waits until somebody has ended it.
  func wait() { process.waitUntilExit() }
}
