import Foundation
import LabHost

/// One of the standard streams of launchlab, and what it is connected to.
package struct Terminal: Sendable {
  private let handle: FileHandle
  package let isTerminal: Bool

  /// The number of columns; nil when the stream is no terminal.
  package let width: Int?

  /// Whether colour suits the stream: a terminal, no `NO_COLOR`, and not `TERM=dumb`.
  package let isColored: Bool

  package static let standardOutput = Terminal(.standardOutput)
  package static let standardError = Terminal(.standardError)

  private init(_ handle: FileHandle) {
    let environment = ProcessInfo.processInfo.environment
    self.handle = handle
    width = TerminalFacts.width(of: handle.fileDescriptor)
    isTerminal = width != nil
    isColored =
      isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// Keeps what launchlab opens from becoming a standard stream that its caller has closed.
  package static func holdStreams() { StandardStreams.hold() }

  /// Writes a text at once.
  ///
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  package func write(_ text: String) throws {
    do {
      try handle.write(contentsOf: Data(text.utf8))
    } catch {
      throw WorkflowError.cannotWrite(path: "stdout", reason: "\(error)")
    }
  }
}
