import Foundation
package import Testing

/// A git repository in a directory of a test, of which the settings of the machine know nothing.
package struct TestRepository: Sendable {
  /// The absolute path of its top.
  package let path: String

  /// Makes a repository on the branch `main` that has no commit.
  ///
  /// - Parameter path: The absolute path of a directory that is not there.
  /// - Throws: An error of Foundation or of the test when git fails.
  package init(at path: String) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try shell("git init -q -b main")
  }

  /// Runs a script of bash at the top, with `set -eu` and three functions.
  ///
  /// `commit SUBJECT` commits everything, `add FILE TEXT` commits a file of one line, and `id REV`
  /// prints the full id of a commit.
  ///
  /// - Returns: What it prints, without the line feeds at the end.
  /// - Throws: An error of Foundation or of the test when it fails.
  @discardableResult
  package func shell(
    _ script: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws
    -> String
  {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-euc", Self.functions + script]
    process.currentDirectoryURL = URL(filePath: path)
    process.environment = [
      "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "GIT_CONFIG_GLOBAL": "/dev/null",
      "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_AUTHOR_NAME": "Ann Author", "GIT_AUTHOR_EMAIL": "a@b",
      "GIT_COMMITTER_NAME": "Carl", "GIT_COMMITTER_EMAIL": "c@d",
      "GIT_AUTHOR_DATE": "1700000000 +0000",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(script)", sourceLocation: sourceLocation)
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  /// The full id of a commit.
  ///
  /// - Throws: An error of the test when there is none.
  package func id(_ revision: String) throws -> String { try shell("id '\(revision)'") }

  private static let functions = """
    commit() { git add -A; git commit -q --allow-empty -m "$1"; }
    add() { mkdir -p "$(dirname "$1")"; echo "$2" > "$1"; commit "$1 $2"; }
    id() { git rev-parse --verify "$1^{commit}"; }

    """
}
