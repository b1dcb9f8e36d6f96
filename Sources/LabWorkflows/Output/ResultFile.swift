import LabHost

/// A file, or stdout, that a result is written to in pieces.
package struct ResultFile {
  private let path: String

  /// - Parameter path: A path; `-` means stdout.
  package init(_ path: String) { self.path = path }

  /// Writes what `body` passes on; a file is replaced only when the new one is whole.
  package func write(_ body: (_ sink: (String) throws -> Void) throws -> Void) throws {
    guard Self.isStdout(path) else { return try WholeFile(path).write(body) }
    try body { try Terminal.standardOutput.write(document: $0) }
  }

  /// Whether a path means stdout, whatever that is.
  static func isStdout(_ path: String) -> Bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path)
  }
}
